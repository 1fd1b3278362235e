import DaybookJournal

/// A scan of the rows of an entity in place. It creates no records, and changes no reference count
/// for a row.
///
/// ```swift
/// let amount = AttributePath("amount", of: entity, in: frozen.catalog)
/// let scan = RowScan(frozen)
/// scan.forEach(in: entity) { entry, row in
///   if let number = amount.number(in: row, as: Int64.self) { sum += number }
/// }
/// ```
///
/// Rows are visited in the order of their slots. The loop is always inlined, also into other
/// modules. Records are passed in pieces, so that the table is read once for each piece.
@usableFromInline
package struct RowScan {
  /// A live record: its slot, the location of its row, and its creation number.
  @usableFromInline
  package struct Entry {
    @usableFromInline package let slot: UInt32
    @usableFromInline package let location: RowLocation
    /// The creation number; 0 if the caller has created the entry from a location.
    @usableFromInline package let creation: UInt64

    package init(slot: UInt32, location: RowLocation, creation: UInt64 = 0) {
      self.slot = slot
      self.location = location
      self.creation = creation
    }
  }

  private let frozen: FrozenState
  // The bytes of the file. `frozen` keeps them alive. Each row is extracted with a check of its
  // bounds.
  @usableFromInline let file: UnsafeRawBufferPointer
  @usableFromInline let checked: CheckedRange

  package init(_ frozen: FrozenState) {
    self.frozen = frozen
    file = frozen.memory.file.withSpan { bytes in bytes.withUnsafeBytes { $0 } }
    checked = frozen.memory.checked
  }

  /// The number of entries in a piece.
  private static let pieceCount = 256

  /// Calls a closure with the records in some slots of an entity in pieces, in the order of the
  /// slots.
  ///
  /// - Complexity: O(slots)
  package func forEachPiece(
    of slots: [UInt32], in entity: Int, _ body: (Span<Entry>) -> Void
  ) {
    var piece: [Entry] = []
    var rest = slots[...]
    while !rest.isEmpty {
      piece.removeAll(keepingCapacity: true)
      for slot in rest.prefix(RowScan.pieceCount) {
        let (location, creation) = frozen.reader.row(inSlot: slot, of: entity)
        piece.append(Entry(slot: slot, location: location, creation: creation))
      }
      rest = rest.dropFirst(RowScan.pieceCount)
      body(piece.span)
    }
  }

  /// Calls a closure with the live records of an entity in pieces, in the order of their slots.
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

  /// Calls a closure with each row of an entity. The bytes start with the row, and extend to the
  /// end of its file or memory chunk. If a value is too large for a row, the row contains only the
  /// value's location.
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

  /// Calls a closure with the row at a location.
  @inlinable @inline(__always)
  package func withRow<Result>(at location: RowLocation, _ body: (RawSpan) -> Result) -> Result {
    if checked.contains(location) {
      return withExtendedLifetime(self) {
        body(file.bytes.extracting(Int(location.rawValue)..<file.count))
      }
    }
    return withOtherRow(at: location, body)
  }

  /// Calls a closure with the whole row at a location: values outside of the row are copied into
  /// it.
  package func withCompleteRow<Result>(
    at location: RowLocation, _ body: (RawSpan) -> Result
  ) -> Result {
    frozen.memory.withCompleteRow(at: location, layouts: frozen.catalog.layouts, body)
  }

  @usableFromInline
  func withOtherRow<Result>(at location: RowLocation, _ body: (RawSpan) -> Result) -> Result {
    frozen.memory.withBytes(at: location, body)
  }
}
