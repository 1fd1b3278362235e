import Daybook
import DaybookResults

extension FetchedObjects {
  /// The sections, with the identifiers of their rows, as text that a test can compare.
  ///
  /// ```swift
  /// #expect(
  ///   try store.snapshot.fetch(request).text == """
  ///     [CA]
  ///       7
  ///       9
  ///     [NY]
  ///       3
  ///     """)
  /// ```
  ///
  /// The name of a section is in brackets. If the request has no section key, the text has only the
  /// lines of the rows. The text of an empty list is empty.
  public var text: String { tableSections().map(\.description).joined(separator: "\n") }

  /// Returns the sections as text that a test can compare. A closure returns the text of each row.
  ///
  /// ```swift
  /// try store.snapshot.fetch(request).text { "\($0.name), \($0.assets)" }
  /// ```
  ///
  /// - Parameter row: A closure that returns the text of a row.
  public func text(_ row: (R) -> String) -> String {
    tableSections { section in section.map(row) }.map(\.description).joined(separator: "\n")
  }

  /// Returns the sections of a table view that shows the list.
  package func tableSections(
    rows: (FetchedObjects) -> [String] = { list in
      list.identifiers.map { $0.recordIdentifier.calledText }
    }
  ) -> [TableView.Section] {
    sections.map { section in
      TableView.Section(
        title: snapshot.hasSections ? section.name : nil, rows: rows(section.objects))
    }
  }
}

extension ListDifference {
  /// The delegate's calls for the difference as text that a test can compare, with one line for
  /// each call.
  ///
  /// ```swift
  /// #expect(
  ///   try store.difference(of: request, from: 2, to: 3).text == """
  ///     willChange
  ///     section insert 0 "CA"
  ///     move [0, 1] -> [0, 0] 7
  ///     didChange
  ///     """)
  /// ```
  ///
  /// The text of an empty difference is empty.
  /// ``DaybookResults/ListDifference/callbackLines(order:)`` documents the form of names and
  /// identifiers.
  public var text: String { callbackLines().joined(separator: "\n") }

  /// Returns the delegate's calls for the difference as text, with one line for each call. A
  /// closure returns the text of each row. A deleted row is the record before its deletion.
  ///
  /// ```swift
  /// try store.difference(of: request, from: 2, to: 3).text { $0.name }
  /// ```
  ///
  /// - Parameter row: A closure that returns the text of a row.
  public func text(_ row: (R) -> String) -> String {
    callbackLines { row($1.record(at: $0.path)) }.joined(separator: "\n")
  }
}
