import Daybook
import DaybookResults

extension FetchedObjects {
  /// The sections and the identifiers of their rows, as text that a test can compare.
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
  /// The name of a section is in brackets. A list without a section key has only the lines of its
  /// rows. An empty list is the empty text.
  public var text: String { tableSections().map(\.description).joined(separator: "\n") }

  /// Returns the sections and their rows as text that a test can compare, with a text for each row.
  ///
  /// ```swift
  /// try store.snapshot.fetch(request).text { "\($0.name), \($0.assets)" }
  /// ```
  ///
  /// - Parameter row: Returns the text of a row.
  public func text(_ row: (R) -> String) -> String {
    tableSections { section in section.map(row) }.map(\.description).joined(separator: "\n")
  }

  /// Returns the sections of a table view that shows the list.
  func tableSections(
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
  /// The calls that a delegate receives for the difference, one line for each call, as text that a
  /// test can compare.
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
  /// An empty difference is the empty text. ``DaybookResults/ListDifference/callbackLines(order:)``
  /// documents the form of names and identifiers.
  public var text: String { callbackLines().joined(separator: "\n") }
}
