import DaybookJournal

/// Goes through the rows of an entity where they stand: no record is built, and nothing is retained
/// for each row.
///
/// ```swift
/// let amount = AttributePath("amount", of: entity, in: frozen.catalog)
/// let scan = RowScan(frozen)
/// scan.forEach(in: entity) { entry, row in
///   if let number = amount.number(in: row, as: Int64.self) { sum += number }
/// }
/// ```
///
/// Rows come in the order of their slots. The closure is a part of the loop, also in other modules,
/// and what is not the same for all rows is asked for in pieces of some hundred.
@usableFromInline
package struct RowScan {
  /// One live record: its slot, where its row stands, and its creation number.
  @usableFromInline
  package struct Entry {
    @usableFromInline package let slot: UInt32
    @usableFromInline package let location: RowLocation
    @usableFromInline package let creation: UInt64
  }

  private let frozen: FrozenState
  // The bytes of the file, which `frozen` keeps. Each row is cut out of them with its bounds checked.
  @usableFromInline let file: UnsafeRawBufferPointer
  @usableFromInline let checked: CheckedRange

  package init(_ frozen: FrozenState) {
    self.frozen = frozen
    file = frozen.memory.file.withSpan { bytes in bytes.withUnsafeBytes { $0 } }
    checked = frozen.memory.checked
  }

  /// How many entries are handed out at a time.
  private static let pieceCount = 256

  /// Hands out the live records of an entity in pieces, in the order of their slots.
  ///
  /// - Complexity: O(slots)
  @usableFromInline
  package func forEachPiece(in entity: Int, _ body: (Span<Entry>) -> Void) {
    guard entity < frozen.state.tables.count else { return }
    withUnsafeTemporaryAllocation(of: Entry.self, capacity: RowScan.pieceCount) { piece in
      var count = 0
      frozen.state.tables[entity].forEach(in: frozen.space) { slot, location, creation in
        piece[count] = Entry(slot: slot, location: location, creation: creation)
        count += 1
        if count == RowScan.pieceCount {
          body(UnsafeBufferPointer(rebasing: piece[..<count]).span)
          count = 0
        }
      }
      if count > 0 { body(UnsafeBufferPointer(rebasing: piece[..<count]).span) }
    }
  }

  /// Hands out each row of an entity, from where it begins to the end of what holds it. Of a value
  /// that is too large for a row only the place stands there.
  ///
  /// - Complexity: O(slots)
  @inlinable @inline(__always)
  package func forEach(
    in entity: Int, _ body: (_ entry: Entry, _ row: RawSpan) -> Void
  ) {
    forEachPiece(in: entity) { entries in
      for index in entries.indices {
        let entry = entries[index]
        withRow(at: entry.location) { body(entry, $0) }
      }
    }
  }

  /// Hands out the row at a location.
  @inlinable @inline(__always)
  package func withRow<Result>(at location: RowLocation, _ body: (RawSpan) -> Result) -> Result {
    if checked.contains(location) {
      return withExtendedLifetime(self) {
        body(file.bytes.extracting(Int(location.rawValue)..<file.count))
      }
    }
    return withOtherRow(at: location, body)
  }

  /// Hands out the row at a location with all its values, however large they are.
  package func withWholeRow<Result>(
    at location: RowLocation, _ body: (RawSpan) -> Result
  ) -> Result {
    frozen.memory.withWholeRow(at: location, layouts: frozen.catalog.layouts, body)
  }

  @usableFromInline
  func withOtherRow<Result>(at location: RowLocation, _ body: (RawSpan) -> Result) -> Result {
    frozen.memory.withBytes(at: location, body)
  }
}
