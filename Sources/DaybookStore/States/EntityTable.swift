import DaybookJournal

/// The live records of one entity: for each slot where its row stands, which record it is, and when
/// that was made.
///
/// A slot is a small number that a record keeps for as long as it lives; afterwards another record
/// may get it. The value is a handful of roots: copying it, with a pin on the pages, is a snapshot.
///
/// Invariants:
/// 1. A slot in use has a location that is not none; a free one has none, and leads to the next
///    free one.
/// 2. Each record in use is found by its identifier, under its slot, unless that is deferred. Then no slot is
///    free.
/// 3. No record in use is beyond the bound.
package struct EntityTable: Sendable {
  /// For each slot its location and creation number; for a free one none and the next free slot
  /// plus one.
  private var rows = PageArray(elementByteCount: 16)
  /// For each slot the identifier, if it is of one width.
  private(set) var identifiers: PageArray
  private var slots = SlotTable()
  /// How many records there are.
  package private(set) var count = 0
  /// The free slot to take next, plus one; 0 if there is none.
  private var firstFree: UInt32 = 0
  let kind: IdentifierKind
  /// Beyond which no number has identified a record.
  private var bound: IdentifierBound
  /// Whether records are not found by their identifiers yet; see ``deferSlots()``.
  private(set) var defersSlots = false

  package init(_ kind: IdentifierKind) {
    self.kind = kind
    bound = IdentifierBound(kind)
    identifiers = PageArray(elementByteCount: kind == .uuid ? 16 : 8)
  }

  /// How many slots there are, in use and free.
  package var slotCount: Int { rows.count }

  /// Whether another has the same pages, and so the same records in the same slots. The two are of one
  /// space, or of a fork and what it was made of.
  package func isSame(as other: EntityTable) -> Bool {
    rows == other.rows && identifiers == other.identifiers && slots == other.slots
      && firstFree == other.firstFree
  }

  // MARK: Reading

  /// Where the row in a slot stands, and the record's creation number; none if the slot is free.
  @inline(__always)
  package func row(_ slot: UInt32, in space: PageSpace) -> (location: RowLocation, creation: UInt64)
  {
    let row = rows.element(Int(slot), as: PagePair.self, in: space)
    return (RowLocation(rawValue: row.first), row.second)
  }

  /// The slot of a record, or nil if there is none.
  ///
  /// - Complexity: O(1)
  func slot(of key: IdentifierBytes, in reader: borrowing StateReader) -> UInt32? {
    precondition(!defersSlots, "records are not found by their identifiers yet")
    return slots.find(hash: key.hash, in: reader.space) { slot in
      if kind == .string { return hasText(key, in: slot, reader: reader) }
      return identifier(slot, in: reader.space) == key.words
    }
  }

  /// Whether there may be a record of this identifier, as far as the bound knows.
  package func isWithinBound(_ key: IdentifierBytes) -> Bool { !bound.isBefore([key.words.first]) }

  private func identifier(_ slot: UInt32, in space: PageSpace) -> PagePair {
    kind == .uuid
      ? identifiers.element(Int(slot), as: PagePair.self, in: space)
      : PagePair(identifiers.element(Int(slot), as: UInt64.self, in: space), second: 0)
  }

  /// The identifier of the record in a slot; nil if it is a text, which only its row has.
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

  private func hasText(
    _ key: IdentifierBytes, in slot: UInt32, reader: borrowing StateReader
  ) -> Bool {
    reader.memory.withBytes(at: row(slot, in: reader.space).location) { row in
      guard let number = Layout.number(of: row),
        let range = reader.catalog.layouts[number]?.identifierRange(in: row)
      else { return false }
      return bytesAreEqual(row.extracting(range), and: key.text.span.bytes)
    }
  }

  /// Hands out each slot in use, in the order of slots.
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

  /// Hands out each slot that is free, in no order that means anything.
  ///
  /// - Complexity: O(free slots)
  package func forEachFree(in space: PageSpace, _ body: (_ slot: UInt32) -> Void) {
    var next = firstFree
    while next > 0 {
      body(next - 1)
      next = UInt32(rows.element(Int(next - 1), as: PagePair.self, in: space).second)
    }
  }

  /// Hands out each slot in which another record stands than in another state, or another row of one,
  /// or in which one of the two has none.
  ///
  /// - Complexity: O(pages that the two do not share)
  package func forEachDifference(
    in space: PageSpace, from other: EntityTable, in otherSpace: PageSpace,
    _ body: (_ slot: UInt32, _ location: RowLocation, _ other: RowLocation) -> Void
  ) {
    // What stands in drafts of two contexts is never the same, wherever it stands.
    let isOneSpace = space === otherSpace
    PageComparison(of: space, with: otherSpace).forEachDifference(
      from: other.rows, to: rows, as: PagePair.self,
      isSame: { isOneSpace || RowLocation(rawValue: $0.first).region != .draft }
    ) { slot, row, other in
      if row.first == 0 && other.first == 0 { return }
      body(UInt32(slot), RowLocation(rawValue: row.first), RowLocation(rawValue: other.first))
    }
  }

  /// Tells of every page that can be reached from the roots.
  ///
  /// - Complexity: O(pages)
  package func forEachPage(in space: PageSpace, _ body: (PageNumber) -> Void) {
    rows.forEachPage(in: space, body)
    identifiers.forEachPage(in: space, body)
    slots.forEachPage(in: space, body)
  }

  // MARK: Changing

  /// Adds a record that there is none of, and says in which slot.
  package mutating func insert(
    _ key: IdentifierBytes, at location: RowLocation, creation: UInt64, in space: PageSpace
  ) -> UInt32 {
    precondition(location != .none, "a record without a row")
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
      precondition(rows.count < Int(UInt32.max), "an entity of \(rows.count) records")
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

  /// Makes the row of a record another one.
  ///
  /// - Parameter creation: The record's creation number, which it keeps.
  package mutating func move(
    _ slot: UInt32, to location: RowLocation, creation: UInt64, in space: PageSpace
  ) {
    rows.set(Int(slot), to: PagePair(location.rawValue, second: creation), in: space)
  }

  /// Removes a record.
  package mutating func remove(_ slot: UInt32, key: IdentifierBytes, in space: PageSpace) {
    precondition(!defersSlots, "a record goes that is not found by its identifier yet")
    _ = slots.remove(slot, hash: key.hash, in: space)
    rows.set(Int(slot), to: PagePair(0, second: UInt64(firstFree)), in: space)
    firstFree = slot + 1
    count -= 1
  }
}

// MARK: Many at once

extension EntityTable {
  /// Leaves it until ``settle(in:)`` that records are found by their identifiers: while many are inserted and
  /// none is looked for, that costs a fraction. Whoever inserts sees to it that there is none yet.
  ///
  /// Identifiers that are texts are not of one width, and always found.
  mutating func deferSlots() {
    precondition(count == 0, "\(count) records are found already")
    defersSlots = kind != .string
  }

  /// Sees to it that records are found by their identifiers.
  ///
  /// - Returns: False if two have the same.
  /// - Complexity: O(*n*) in the records, if that was deferred
  mutating func settle(in space: PageSpace) -> Bool {
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

  /// Whether there is one of some records.
  func hasAny(of identifiers: IdentifierWords, in space: PageSpace) -> Bool {
    precondition(!defersSlots && kind != .string, "records are not found by their identifiers")
    if bound.isBefore(identifiers.words) { return false }
    for place in 0..<identifiers.count {
      let words = identifiers[place]
      let slot = slots.find(hash: identifiers.hash(place), in: space) {
        identifier($0, in: space) == words
      }
      if slot != nil { return true }
    }
    return false
  }

  /// Whether a run of inserts can be taken in together: if no slot is free that would have to be taken first.
  var takesRuns: Bool { firstFree == 0 && kind != .string }

  /// Adds records in the slots behind all others.
  ///
  /// - Returns: The first one's slot; nil if one of them is there already, and then none is added. That is not
  ///   found out while records are not found by their identifiers.
  mutating func append(_ run: InsertRun, in space: PageSpace) -> UInt32? {
    precondition(takesRuns, "records are added behind all others, and slot \(firstFree) is free")
    precondition(rows.count <= Int(UInt32.max) - run.count, "an entity of \(rows.count) records")
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
    for place in 0..<run.count {
      let hash = run.identifiers.hash(place)
      let words = run.identifiers[place]
      let twin = slots.find(hash: hash, in: space) { identifier($0, in: space) == words }
      guard twin == nil else {
        removeLast(run, of: place, in: space)
        return nil
      }
      slots.insert(first + UInt32(place), hash: hash, in: space)
    }
    return first
  }

  /// Takes away a run that was added last, of which so many are found by their identifiers already.
  private mutating func removeLast(_ run: InsertRun, of found: Int, in space: PageSpace) {
    let first = rows.count - run.count
    for place in 0..<found {
      slots.remove(UInt32(first + place), hash: run.identifiers.hash(place), in: space)
    }
    for _ in 0..<run.count {
      rows.removeLast(in: space)
      identifiers.removeLast(in: space)
    }
    count -= run.count
  }
}

// MARK: Checkpoints

/// A table as a checkpoint has it: its roots, and how many records there are.
extension EntityTable {
  /// The same records in copies of the pages.
  ///
  /// - Complexity: O(pages)
  func copied(to copy: inout PageCopy) throws(DiskError) -> EntityTable {
    var table = self
    table.rows = try rows.copied(to: &copy)
    table.identifiers = try identifiers.copied(to: &copy)
    table.slots = try slots.copied(to: &copy)
    return table
  }

  /// Whether it can be read in pages that somebody else may have made.
  func isSound(_ check: inout PageCheck) -> Bool {
    check.isSound(rows) && check.isSound(identifiers)
      && (kind == .string ? identifiers.count == 0 : identifiers.count == rows.count)
      && check.isSound(slots, slotCount: rows.count)
  }

  func append(to buffer: inout RowBuffer) {
    buffer.append(UInt64(count))
    buffer.append(firstFree)
    buffer.append(bound.rawValue)
    buffer.append(rows)
    buffer.append(identifiers)
    buffer.append(slots)
  }

  /// - Returns: nil if there is none at the cursor.
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
