import DaybookStore

extension ListDifference {
  /// Returns the calls that a delegate receives for the difference, one line for each call.
  ///
  /// The result is empty if the difference is empty.
  ///
  /// ```
  /// willChange
  /// section insert 0 "CA"
  /// move [0, 1] -> [0, 0] 7
  /// didChange
  /// ```
  ///
  /// Section names are JSON strings. Integers and UUIDs are written without quotes. A string is
  /// written without quotes if it consists of ASCII letters, digits and `_.:-`, and is not an
  /// integer. Any other string is written as a JSON string.
  ///
  /// - Complexity: O(*k* log *n*)
  public func callbackLines(order: CallbackOrder = .observed) -> [String] {
    callbackLines(order: order) { row, list in
      list.snapshot.identifier(in: row.slot).calledText
    }
  }

  /// Returns the calls that a delegate receives for the difference, one line for each call.
  ///
  /// - Parameter describe: A closure that returns the text of a row in one of the two lists.
  package func callbackLines(
    order: CallbackOrder = .observed, row describe: (EditScript.Row, FetchedObjects<R>) -> String
  ) -> [String] {
    func line(
      _ verb: String, row: EditScript.Row, of list: FetchedObjects<R>, paths: [RowPath]
    ) -> String {
      CallbackLine.row(verb, text: describe(row, list), paths: paths)
    }
    let (old, new) = (before.snapshot, after.snapshot)
    return script.callbacks(order).map { call in
      switch call {
      case .willChange: "willChange"
      case .insertSection(let index):
        CallbackLine.section("insert", index: index, name: new.name(ofSection: index))
      case .deleteSection(let index):
        CallbackLine.section("delete", index: index, name: old.name(ofSection: index))
      case .delete(let row): line("delete", row: row, of: before, paths: [row.path])
      case .insert(let row): line("insert", row: row, of: after, paths: [row.path])
      case .move(let pair):
        line("move", row: pair.new, of: after, paths: [pair.old.path, pair.new.path])
      case .update(let pair):
        line("update", row: pair.new, of: after, paths: [pair.old.path, pair.new.path])
      case .didChange: "didChange"
      }
    }
  }
}

/// Formats the lines of text for the calls that a delegate receives.
package enum CallbackLine {
  /// Returns the line for a section, as in `section insert 0 "CA"`.
  package static func section(_ verb: String, index: Int, name: String) -> String {
    "section \(verb) \(index) \(name.quotedText)"
  }

  /// Returns the line for a row, as in `move [0, 1] -> [2, 0] 7`.
  package static func row(_ verb: String, id: RecordIdentifier, paths: [RowPath]) -> String {
    row(verb, text: id.calledText, paths: paths)
  }

  /// Returns the line for a row that is shown as a text.
  package static func row(_ verb: String, text name: String, paths: [RowPath]) -> String {
    "\(verb) \(paths.map(\.description).joined(separator: " -> ")) \(name)"
  }
}

extension RecordIdentifier {
  /// The identifier as text for a callback line. An integer or a UUID is written without quotes. So
  /// is a string of ASCII letters, digits and `_.:-` that is not an integer. Every other string is
  /// a JSON string.
  package var calledText: String {
    guard case .string(let string) = self else { return description }
    let isPlain = string.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: "_.:-".utf8.contains(byte)
      }
    }
    let digits = string.hasPrefix("-") ? string.dropFirst() : string[...]
    let isInteger = !digits.isEmpty && digits.utf8.allSatisfy { (48...57).contains($0) }
    return isPlain && !string.isEmpty && !isInteger ? string : string.quotedText
  }
}
