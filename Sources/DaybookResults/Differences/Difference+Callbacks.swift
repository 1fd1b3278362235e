@_spi(Tools) import DaybookStore

/// One call that a list view's delegate hears.
package enum ResultCallback: Hashable, Sendable {
  case willChange
  case insertSection(Difference.Section)
  case deleteSection(Difference.Section)
  case delete(Difference.Row)
  case insert(Difference.Row)
  case move(Difference.Pair)
  case update(Difference.Pair)
  case didChange
}

/// In which order sections and rows are told.
public enum CallbackOrder: Hashable, Sendable {
  /// Sections that come, then rows, then sections that go: as has been seen of the class that this
  /// does the work of.
  case observed
  /// All sections before all rows: as that class is documented.
  case documented
}

extension Difference {
  /// The calls that tell of it, in one fixed order; none if it is empty.
  ///
  /// Sections come ascending by their places after; then rows go descending by their paths before, come
  /// ascending by their paths after, move and are updated ascending by their paths after; then sections
  /// go descending by their places before.
  ///
  /// - Complexity: O(*k*)
  package func callbacks(_ order: CallbackOrder = .observed) -> [ResultCallback] {
    if isEmpty { return [] }
    var rows: [ResultCallback] = deleted.map(ResultCallback.delete)
    rows += inserted.map(ResultCallback.insert)
    rows += moved.map(ResultCallback.move)
    rows += updated.map(ResultCallback.update)
    let inserts = insertedSections.map(ResultCallback.insertSection)
    let deletes = deletedSections.map(ResultCallback.deleteSection)
    let calls =
      switch order {
      case .observed: inserts + rows + deletes
      case .documented: inserts + deletes + rows
      }
    return [.willChange] + calls + [.didChange]
  }

  /// What a view can do in one batch that does not let rows leave sections that go, or enter sections
  /// that come: these are deleted and inserted instead of moved.
  ///
  /// - Complexity: O(*k* log *k*)
  package var batchSafe: Difference {
    let dead = Set(deletedSections.map(\.index))
    let new = Set(insertedSections.map(\.index))
    var safe = self
    safe.moved = []
    for pair in moved {
      guard dead.contains(pair.old.section) || new.contains(pair.new.section) else {
        safe.moved.append(pair)
        continue
      }
      safe.splitMoves.append(pair)
      safe.deleted.append(Row(path: pair.old, id: pair.id))
      safe.inserted.append(Row(path: pair.new, id: pair.id))
    }
    safe.deleted.sort { $0.path > $1.path }
    safe.inserted.sort { $0.path < $1.path }
    return safe
  }

  /// The identifiers of rows whose values changed, moved or not, in the order of the rows after.
  ///
  /// - Complexity: O(*k* log *k*)
  package var changedIdentifiers: [RecordIdentifier] {
    ((moved + splitMoves).filter(\.isContentChanged) + updated).sorted { $0.new < $1.new }.map(\.id)
  }
}

extension ResultCallback: CustomStringConvertible {
  /// `move [0, 1] -> [2, 0] 7`
  package var description: String {
    switch self {
    case .willChange: "willChange"
    case .insertSection(let section): "section insert \(section.index) \(section.name.quotedText)"
    case .deleteSection(let section): "section delete \(section.index) \(section.name.quotedText)"
    case .delete(let row): "delete \(row.path) \(row.id.calledText)"
    case .insert(let row): "insert \(row.path) \(row.id.calledText)"
    case .move(let pair): "move \(pair.old) -> \(pair.new) \(pair.id.calledText)"
    case .update(let pair): "update \(pair.old) -> \(pair.new) \(pair.id.calledText)"
    case .didChange: "didChange"
    }
  }
}

extension String {
  /// The text as a JSON string.
  package var quotedText: String {
    var writer = JSONWriter()
    writer.write(self)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

extension RecordIdentifier {
  /// As a call has it: bare, unless it is a text that could be taken for something else.
  package var calledText: String {
    guard case .string(let text) = self else { return description }
    let isPlain = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: "_.:-".utf8.contains(byte)
      }
    }
    let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
    let isInteger = !digits.isEmpty && digits.utf8.allSatisfy { (48...57).contains($0) }
    return isPlain && !text.isEmpty && !isInteger ? text : text.quotedText
  }
}
