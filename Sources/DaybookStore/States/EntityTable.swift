import DaybookJournal

/// The live records of one entity: for each slot, the location of the row, the identifier, and the
/// creation number.
///
/// A slot is a small number that a record keeps during its life. After the record is deleted, a new
/// record can get the slot. The table consists of a few roots of page structures. A copy of the
/// roots, together with a pin on the pages, is a snapshot.
///
/// Invariants:
/// 1. A slot in use contains the location of a row. A free slot contains the location none, and a
///    link to the next free slot.
/// 2. The hash table finds the slot of each record by the record's identifier, unless the hash
///    table is deferred. While it is deferred, no slot is free.
/// 3. No record has an integer identifier at or above the bound.
package struct EntityTable: Sendable {
  /// For each slot in use, the row's location and the creation number. For each free slot, the
  /// location none, and the next free slot plus one.
  private var rows = PageArray(elementByteCount: 16)
  /// For each slot, the identifier. It is empty if identifiers are strings.
  private(set) var identifiers: PageArray
  private var slots = SlotTable()
  /// The number of records.
  package private(set) var count = 0
  /// The next free slot to use, plus one; 0 if no slot is free.
  private var firstFree: UInt32 = 0
  let kind: IdentifierKind
  /// A bound that is greater than all integer identifiers that records have had.
  private var bound: IdentifierBound
  /// A Boolean value that indicates whether the hash table of identifiers is deferred; see
  /// ``deferSlots()``.
  private(set) var defersSlots = false

  package init(_ kind: IdentifierKind) {
    self.kind = kind
    bound = IdentifierBound(kind)
    identifiers = PageArray(elementByteCount: kind == .uuid ? 16 : 8)
  }

  /// The number of slots, in use and free.
  package var slotCount: Int { rows.count }

  /// Returns whether two tables have the same pages, and so the same records in the same slots.
  ///
  /// Both tables must be in one space, or one of them in a fork of the space of the other.
  package func isSame(as other: EntityTable) -> Bool {
    rows == other.rows && identifiers == other.identifiers && slots == other.slots
      && firstFree == other.firstFree
  }

  // MARK: Reading

  /// Returns the location of the row in a slot, and the record's creation number. The location is
  /// none if the slot is free.
  @inline(__always)
  package func row(_ slot: UInt32, in space: PageSpace) -> (location: RowLocation, creation: UInt64)
  {
    let row = rows.element(Int(slot), as: PagePair.self, in: space)
    return (RowLocation(rawValue: row.first), row.second)
  }

  /// Returns the slot of a record; nil if the table does not contain the record.
  ///
  /// - Complexity: O(1)
  func slot(of key: IdentifierBytes, in reader: borrowing StateReader) -> UInt32? {
    precondition(!defersSlots, "the index of identifiers is not built")
    return slots.find(hash: key.hash, in: reader.space) { slot in
      if kind == .string { return hasString(key, in: slot, reader: reader) }
      return identifier(slot, in: reader.space) == key.words
    }
  }

  /// Returns whether the table may contain a record with an identifier. False is certain: the
  /// identifier is not below the bound.
  package func isWithinBound(_ key: IdentifierBytes) -> Bool { !bound.isBefore([key.words.first]) }

  private func identifier(_ slot: UInt32, in space: PageSpace) -> PagePair {
    kind == .uuid
      ? identifiers.element(Int(slot), as: PagePair.self, in: space)
      : PagePair(identifiers.element(Int(slot), as: UInt64.self, in: space), second: 0)
  }

  /// Returns the identifier of the record in a slot; nil if identifiers are strings, which only the
  /// rows contain.
  @inline(__always)
  func identifier(of slot: UInt32, in space: PageSpace) -> RecordIdentifier? {
    let words = kind == .string ? .zero : identifier(slot, in: space)
    switch kind {
    case .int: return .int(Int64(bitPattern: words.first))
    case .uint: return .uint(words.first)
    case .uuid: return .uuid(IdentifierBytes.uuid(words))
    case .string: return nil
    }
  }

  private func hasString(
    _ key: IdentifierBytes, in slot: UInt32, reader: borrowing StateReader
  ) -> Bool {
    reader.memory.withBytes(at: row(slot, in: reader.space).location) { row in
      guard let number = Layout.number(of: row),
        let range = reader.catalog.layouts[number]?.identifierRange(in: row)
      else { return false }
      return bytesAreEqual(row.extracting(range), and: key.stringBytes.span.bytes)
    }
  }

  /// Calls a closure with each slot in use, in ascending order.
  @inline(__always)
  package func forEach<Failure: Error>(
    in space: PageSpace,
    _ body: (_ slot: UInt32, _ location: RowLocation, _ creation: UInt64) throws(Failure) -> Void
  ) throws(Failure) {
    try rows.forEach(as: PagePair.self, in: space) { (slot, row) throws(Failure) in
      guard row.first != 0 else { return }
      try body(UInt32(slot), RowLocation(rawValue: row.first), row.second)
    }
  }

  /// Calls a closure with each free slot, in no particular order.
  ///
  /// - Complexity: O(free slots)
  package func forEachFree(in space: PageSpace, _ body: (_ slot: UInt32) -> Void) {
    var next = firstFree
    while next > 0 {
      body(next - 1)
      next = UInt32(rows.element(Int(next - 1), as: PagePair.self, in: space).second)
    }
  }

  /// Calls a closure with each slot that differs between two states: the slot contains different
  /// records, different rows of one record, or a record in one state only.
  ///
  /// The closure gets the location in each state. The location is none if the slot is free.
  ///
  /// - Complexity: O(pages that the two states do not share)
  package func forEachDifference(
    in space: PageSpace, from other: EntityTable, in otherSpace: PageSpace,
    _ body: (_ slot: UInt32, _ location: RowLocation, _ other: RowLocation) -> Void
  ) {
    // Drafts of two contexts can have equal locations, but their rows differ.
    let isOneSpace = space === otherSpace
    PageComparison(of: space, with: otherSpace).forEachDifference(
      from: other.rows, to: rows, as: PagePair.self,
      isSame: { isOneSpace || RowLocation(rawValue: $0.first).region != .draft }
    ) { slot, row, other in
      if row.first == 0 && other.first == 0 { return }
      body(UInt32(slot), RowLocation(rawValue: row.first), RowLocation(rawValue: other.first))
    }
  }

  /// Calls a closure with each page that can be reached from the roots.
  ///
  /// - Complexity: O(pages)
  package func forEachPage(in space: PageSpace, _ body: (PageNumber) -> Void) {
    rows.forEachPage(in: space, body)
    identifiers.forEachPage(in: space, body)
    slots.forEachPage(in: space, body)
  }

  // MARK: Changing

  /// Inserts a record and returns its slot. The table must not contain the record.
  package mutating func insert(
    _ key: IdentifierBytes, at location: RowLocation, creation: UInt64, in space: PageSpace
  ) -> UInt32 {
    precondition(location != .none, "the record has no row")
    let row = PagePair(location.rawValue, second: creation)
    let slot: UInt32
    if firstFree > 0 {
      slot = firstFree - 1
      firstFree = UInt32(rows.element(Int(slot), as: PagePair.self, in: space).second)
      rows.set(Int(slot), to: row, in: space)
      switch kind {
      case .uuid: identifiers.set(Int(slot), to: key.words, in: space)
      case .int, .uint: identifiers.set(Int(slot), to: key.words.first, in: space)
      case .string: break
      }
    } else {
      precondition(rows.count < Int(UInt32.max), "the entity is full: it has \(rows.count) records")
      slot = UInt32(rows.count)
      rows.append(row, in: space)
      switch kind {
      case .uuid: identifiers.append(key.words, in: space)
      case .int, .uint: identifiers.append(key.words.first, in: space)
      case .string: break
      }
    }
    if !defersSlots { slots.insert(slot, hash: key.hash, in: space) }
    bound.include(key.words.first)
    count += 1
    return slot
  }

  /// Replaces the location of a record's row.
  ///
  /// - Parameter creation: The record's creation number, which it keeps.
  package mutating func move(
    _ slot: UInt32, to location: RowLocation, creation: UInt64, in space: PageSpace
  ) {
    rows.set(Int(slot), to: PagePair(location.rawValue, second: creation), in: space)
  }

  /// Removes a record.
  package mutating func remove(_ slot: UInt32, key: IdentifierBytes, in space: PageSpace) {
    precondition(!defersSlots, "a record was removed before the index of identifiers was built")
    _ = slots.remove(slot, hash: key.hash, in: space)
    rows.set(Int(slot), to: PagePair(0, second: UInt64(firstFree)), in: space)
    firstFree = slot + 1
    count -= 1
  }
}

// MARK: Many at once

extension EntityTable {
  /// Defers the hash table of identifiers until ``buildDeferredTable(in:)``. Building it once at
  /// the end is far cheaper than updating it for each of many inserts.
  ///
  /// Until then no record can be found by its identifier, and inserts do not detect duplicates.
  /// String identifiers have no fixed width; their hash table is never deferred.
  mutating func deferSlots() {
    precondition(count == 0, "the index of identifiers already has \(count) records")
    defersSlots = kind != .string
  }

  /// Builds the deferred hash table, so that records are found by their identifiers.
  ///
  /// - Returns: False if two records have the same identifier.
  /// - Complexity: O(*n*) in the records if the hash table was deferred; O(1) otherwise.
  mutating func buildDeferredTable(in space: PageSpace) -> Bool {
    guard defersSlots else { return true }
    defersSlots = false
    let identifiers = identifiers
    if kind == .uuid {
      return slots.build(slotCount: identifiers.count, in: space) { body in
        identifiers.forEach(as: PagePair.self, in: space) { slot, words in
          body(UInt32(slot), SlotHash.hash(words.first, and: words.second))
        }
      } isSame: { one, other in
        identifiers.element(Int(one), as: PagePair.self, in: space)
          == identifiers.element(Int(other), as: PagePair.self, in: space)
      }
    }
    return slots.build(slotCount: identifiers.count, in: space) { body in
      identifiers.forEach(as: UInt64.self, in: space) { slot, word in
        body(UInt32(slot), SlotHash.hash(near: word))
      }
    } isSame: { one, other in
      identifiers.element(Int(one), as: UInt64.self, in: space)
        == identifiers.element(Int(other), as: UInt64.self, in: space)
    }
  }

  /// Returns whether the table contains a record with one of some identifiers.
  func hasAny(of identifiers: IdentifierWords, in space: PageSpace) -> Bool {
    precondition(!defersSlots && kind != .string, "the index of identifiers is not built")
    if bound.isBefore(identifiers.words) { return false }
    for index in 0..<identifiers.count {
      let words = identifiers[index]
      let slot = slots.find(hash: identifiers.hash(index), in: space) {
        identifier($0, in: space) == words
      }
      if slot != nil { return true }
    }
    return false
  }

  /// A Boolean value that indicates whether a run of inserts can be added at once. It is false if a
  /// slot is free, because free slots must be used first.
  var takesRuns: Bool { firstFree == 0 && kind != .string }

  /// Appends records in new slots after all others.
  ///
  /// - Returns: The slot of the first record; nil if one of the records already exists, and then
  ///   none is added. While the hash table is deferred, existing records are not detected.
  mutating func append(_ run: InsertRun, in space: PageSpace) -> UInt32? {
    precondition(takesRuns, "records must be appended, but slot \(firstFree) is free")
    precondition(
      rows.count <= Int(UInt32.max) - run.count, "the entity is full: it has \(rows.count) records")
    let first = UInt32(rows.count)
    rows.append(contentsOf: run.rows, in: space)
    if kind == .uuid {
      identifiers.append(contentsOf: run.identifiers.pairs, in: space)
    } else {
      identifiers.append(contentsOf: run.identifiers.words, in: space)
    }
    count += run.count
    let isBeyond = bound.isBefore(run.identifiers.words)
    bound.include(run.identifiers.words)
    guard !defersSlots else { return first }
    if isBeyond {
      slots.insert(first..<first + UInt32(run.count), in: space) {
        run.identifiers.hash(Int($0 - first))
      }
      return first
    }
    for index in 0..<run.count {
      let hash = run.identifiers.hash(index)
      let words = run.identifiers[index]
      let duplicate = slots.find(hash: hash, in: space) { identifier($0, in: space) == words }
      guard duplicate == nil else {
        removeLast(run, of: index, in: space)
        return nil
      }
      slots.insert(first + UInt32(index), hash: hash, in: space)
    }
    return first
  }

  /// Removes the run that was appended last.
  ///
  /// - Parameter found: The number of its first records that are in the hash table.
  private mutating func removeLast(_ run: InsertRun, of found: Int, in space: PageSpace) {
    let first = rows.count - run.count
    for index in 0..<found {
      slots.remove(UInt32(first + index), hash: run.identifiers.hash(index), in: space)
    }
    for _ in 0..<run.count {
      rows.removeLast(in: space)
      identifiers.removeLast(in: space)
    }
    count -= run.count
  }
}

// MARK: Checkpoints

/// The form of a table in a checkpoint: its roots, and the number of its records.
extension EntityTable {
  /// Returns a table with the same records in copies of the pages.
  ///
  /// - Complexity: O(pages)
  func copied(to copy: inout PageCopy) throws(DiskError) -> EntityTable {
    var table = self
    table.rows = try rows.copied(to: &copy)
    table.identifiers = try identifiers.copied(to: &copy)
    table.slots = try slots.copied(to: &copy)
    return table
  }

  /// Returns whether the table can be read safely from pages of an untrusted file.
  func isSound(_ checksum: inout PageCheck) -> Bool {
    checksum.isSound(rows) && checksum.isSound(identifiers)
      && (kind == .string ? identifiers.count == 0 : identifiers.count == rows.count)
      && checksum.isSound(slots, slotCount: rows.count)
  }

  func append(to buffer: inout RowBuffer) {
    buffer.append(UInt64(count))
    buffer.append(firstFree)
    buffer.append(bound.rawValue)
    buffer.append(rows)
    buffer.append(identifiers)
    buffer.append(slots)
  }

  /// Creates a table from the bytes at a cursor; nil if they do not contain one.
  init?(
    _ kind: IdentifierKind, at cursor: inout ByteCursor, in bytes: RawSpan, pageCount: Int
  ) {
    self.init(kind)
    guard let count = cursor.number(bytes, as: UInt64.self).flatMap(Int.init(exactly:)),
      let firstFree = cursor.number(bytes, as: UInt32.self),
      let bound = cursor.number(bytes, as: UInt64.self),
      let rows = cursor.array(bytes, elementByteCount: 16, of: pageCount),
      let identifiers = cursor.array(
        bytes, elementByteCount: identifiers.elementByteCount, of: pageCount),
      let slots = cursor.table(bytes, of: pageCount),
      count == slots.count, count <= rows.count, Int(firstFree) <= rows.count
    else { return nil }
    self.count = count
    self.firstFree = firstFree
    self.bound = IdentifierBound(kind, rawValue: bound)
    self.rows = rows
    self.identifiers = identifiers
    self.slots = slots
  }
}
