/// A reader of the changes in a transaction's payload. Any program may have written the bytes, so
/// the reader checks all of them.
///
/// The reader returns only complete changes. At invalid bytes it stops and sets ``defect``.
///
/// ```swift
/// var reader = PayloadReader(payload, layouts: layouts)
/// while let change = reader.next(in: bytes) { … }
/// guard reader.defect == nil else { … }
/// ```
package struct PayloadReader {
  /// The layouts of earlier payloads.
  private var known: LayoutTable
  /// The layouts that this payload contains and no earlier one.
  package private(set) var newLayouts: [Layout] = []
  /// The new layouts by their numbers. The reader does not add them to `known`, because that would
  /// copy a large table for each payload.
  private var newByNumber: [UInt16: Layout] = [:]
  /// The number of changes in the payload; 0 if the payload is invalid before the changes.
  package let changeCount: Int
  /// A Boolean value that indicates whether the metadata contains an idempotency key.
  package let hasKey: Bool
  /// The offset of the number of changes.
  let changeCountOffset: Int
  private let hasMetadata: Bool
  private let hasGaps: Bool
  /// The range of the values that are too large for their rows.
  package private(set) var storedValues: Range<Int> = 0..<0
  /// The number of changes that were not read yet.
  private var remaining: Int
  /// The creation number of the next record after the base of a shared log; 0 if the payload is in
  /// no such base, or if its changes were not read.
  private(set) var nextCreation: UInt64 = 0
  /// The offset of the next change, or of the metadata after the last one.
  private var offset: Int
  /// The defect of the payload; nil if none was found.
  package private(set) var defect: PayloadDefect?

  /// Creates a reader, and reads the parts before the changes.
  package init(_ bytes: RawSpan, layouts known: LayoutTable) {
    self.known = known
    let version = bytes.number(at: 0, as: UInt8.self) ?? 0
    let flags = PayloadWriter.Flags(rawValue: bytes.number(at: 1, as: UInt8.self) ?? 0)
    hasMetadata = flags.contains(.metadata)
    hasKey = flags.contains(.key)
    hasGaps = flags.contains(.gaps)
    var offset = 2
    var count: UInt64 = 0
    var countOffset = 0
    var defect: PayloadDefect?
    var storedValues = 0..<0
    var new = NewLayouts(known, inVersion: version)
    read: do {
      guard
        (PayloadWriter.version...PayloadWriter.versionWithGaps).contains(version),
        flags.isSubset(of: .known), hasGaps == (version == PayloadWriter.versionWithGaps)
      else {
        defect = PayloadDefect(offset: 0, kind: .version(version))
        break read
      }
      if flags.contains(.layouts) {
        guard let (layoutCount, end) = bytes.variableNumber(at: offset),
          layoutCount <= UInt64(bytes.byteCount)
        else {
          defect = PayloadDefect(offset: offset, kind: .layout)
          break read
        }
        offset = end
        for _ in 0..<layoutCount {
          if let kind = new.read(bytes, at: &offset) {
            defect = PayloadDefect(offset: offset, kind: kind)
            break read
          }
        }
      }
      if flags.contains(.storedValues) {
        guard let (byteCount, end) = bytes.variableNumber(at: offset),
          byteCount <= UInt64(bytes.byteCount - end)
        else {
          defect = PayloadDefect(offset: offset, kind: .storedValues)
          break read
        }
        storedValues = end..<end + Int(byteCount)
        offset = storedValues.upperBound
      }
      countOffset = offset
      guard let (number, end) = bytes.variableNumber(at: offset),
        number <= UInt64(bytes.byteCount - end)
      else {
        defect = PayloadDefect(offset: offset, kind: .changeCount)
        break read
      }
      count = number
      offset = end
    }
    self.offset = offset
    self.storedValues = storedValues
    self.defect = defect
    (newLayouts, newByNumber) = (new.layouts, new.byNumber)
    changeCountOffset = countOffset
    changeCount = defect == nil ? Int(count) : 0
    remaining = changeCount
  }

  /// Returns the layout with a number, from the table or from this payload.
  @inline(__always)
  private func layout(_ number: UInt16) -> Layout? {
    if newByNumber.isEmpty { return known[number] }
    return newByNumber[number] ?? known[number]
  }

  /// Returns the new layouts, and releases the reader's reference to the table of layouts. The
  /// caller can then add them to its table without a copy.
  ///
  /// - Postcondition: The reader has no layouts until the caller calls ``use(_:)``.
  mutating func takeNewLayouts() -> [Layout] {
    defer {
      known = LayoutTable()
      (newLayouts, newByNumber) = ([], [:])
    }
    return newLayouts
  }

  /// Sets the table of layouts, which must contain the new layouts.
  mutating func use(_ layouts: LayoutTable) { known = layouts }

  /// Returns the next change; nil after the last one, or if the payload is invalid at this point.
  @inline(__always)
  package mutating func next(in bytes: RawSpan) -> PayloadChange? {
    guard remaining > 0 else { return nil }
    let start = offset
    guard let code = bytes.number(at: offset, as: UInt8.self), let kind = ChangeKind(rawValue: code)
    else {
      skipGap(in: bytes)
      return offset == start ? stop(start) : next(in: bytes)
    }
    remaining &-= 1
    offset &+= 1
    var previous = ChangePosition(sequence: 0, payloadOffset: 0)
    if kind != .insert {
      guard let (sequence, end) = bytes.variableNumber(at: offset),
        let (payloadOffset, payloadOffsetEnd) = bytes.variableNumber(at: end),
        payloadOffset <= UInt64(UInt32.max)
      else { return stop(start) }
      previous = ChangePosition(sequence: sequence, payloadOffset: UInt32(payloadOffset))
      offset = payloadOffsetEnd
    }
    guard let number = bytes.number(at: offset, as: UInt16.self),
      let layout = layout(number & Layout.numberMax)
    else { return stop(start) }
    if kind == .delete { return delete(of: layout, after: previous, from: start, in: bytes) }
    let row = bytes.extracting(offset..<bytes.byteCount)
    guard let byteCount = layout.rowByteCount(row),
      Int(Layout.payloadOffset(of: row)) == offset
    else { return stop(start) }
    let rowRange = offset..<offset &+ byteCount
    offset = rowRange.upperBound
    var mask = 0..<0
    if kind == .update {
      mask = offset..<offset &+ (layout.fields.count &+ 7) / 8
      guard mask.upperBound <= bytes.byteCount else { return stop(start) }
      offset = mask.upperBound
    }
    return PayloadChange(
      kind: kind, layout: layout, previous: previous, row: rowRange, identifier: nil, mask: mask)
  }

  /// Returns the layout of the next change, if ``forEachInsert(of:in:body:)`` should be tried for
  /// it; otherwise nil. The change must be an insert with an identifier of fixed width, and at
  /// least eight changes must remain.
  @inline(__always)
  func layoutOfInserts(in bytes: RawSpan) -> Layout? {
    guard remaining >= PayloadReader.runLengthMin,
      bytes.number(at: offset, as: UInt8.self) == ChangeKind.insert.rawValue,
      let head = bytes.number(at: offset &+ 1, as: UInt16.self),
      let layout = layout(head & Layout.numberMax), layout.identifierByteCount > 0
    else { return nil }
    return layout
  }

  /// The smallest number of remaining changes for which a run of inserts is tried. For fewer
  /// changes the preparation costs more than it saves.
  private static let runLengthMin = 8

  /// Reads a run of inserts: consecutive inserts of one layout without stored values. The method is
  /// faster than ``next(in:)``.
  ///
  /// The method stops before the first change that does not belong to the run, or that is
  /// incomplete. The caller reads that change with ``next(in:)``.
  ///
  /// - Parameter body: A closure that receives the offset of a row, and returns whether it has
  ///   accepted the row. The bytes contain the whole row. If the closure returns false, the method
  ///   stops before that insert.
  @inline(__always)
  mutating func forEachInsert(
    of shape: RowShape, in bytes: RawSpan, body: (_ row: Int) -> Bool
  ) {
    while remaining > 0, bytes.number(at: offset, as: UInt8.self) == ChangeKind.insert.rawValue {
      let row = offset &+ 1
      guard let byteCount = shape.rowByteCount(bytes, at: row),
        let head = bytes.number(at: row, as: UInt16.self), head & RowShape.storedFlag == 0,
        let payloadOffset = bytes.number(at: row &+ 2, as: UInt32.self), Int(payloadOffset) == row,
        body(row)
      else { return }
      remaining &-= 1
      offset = row &+ byteCount
    }
  }

  private mutating func delete(
    of layout: Layout, after previous: ChangePosition, from start: Int, in bytes: RawSpan
  ) -> PayloadChange? {
    offset += 2
    let kind = layout.identifierKind
    var length = kind.byteCount ?? 0
    if kind.byteCount == nil {
      guard let (count, end) = bytes.variableNumber(at: offset),
        count <= UInt64(bytes.byteCount - end)
      else { return stop(start) }
      offset = end
      length = Int(count)
    }
    guard offset + length <= bytes.byteCount else { return stop(start) }
    let range = offset..<offset + length
    offset += length
    return PayloadChange(
      kind: .delete, layout: layout, previous: previous, row: range, identifier: range, mask: 0..<0)
  }

  /// The offset after the last part that was read.
  var endOffset: Int { offset }

  /// Advances over the zeros instead of omitted changes.
  private mutating func skipGap(in bytes: RawSpan) {
    guard hasGaps else { return }
    while bytes.number(at: offset, as: UInt8.self) == 0 { offset += 1 }
  }

  private mutating func stop(_ start: Int) -> PayloadChange? {
    defect = PayloadDefect(offset: start, kind: .change)
    remaining = 0
    return nil
  }

  /// Reads the metadata after the last change. If it is invalid, or if bytes are left, sets
  /// ``defect`` and returns empty metadata.
  ///
  /// - Precondition: All changes have been read.
  package mutating func metadata(in bytes: RawSpan) -> TransactionMetadata {
    precondition(remaining == 0, "\(remaining) changes were not read")
    guard defect == nil else { return TransactionMetadata() }
    if hasGaps {
      guard let (number, end) = bytes.variableNumber(at: offset), number > 0,
        number <= Layout.creationMax + 1
      else {
        defect = PayloadDefect(offset: offset, kind: .change)
        return TransactionMetadata()
      }
      (nextCreation, offset) = (number, end)
    }
    guard hasMetadata else {
      if offset != bytes.byteCount { defect = PayloadDefect(offset: offset, kind: .end) }
      return TransactionMetadata()
    }
    let json = bytes.extracting(offset..<bytes.byteCount)
    guard let metadata = TransactionMetadata(bytes: json) else {
      defect = PayloadDefect(offset: offset, kind: .metadata)
      return TransactionMetadata()
    }
    return metadata
  }
}

/// The layouts that a payload contains and no earlier one, while they are read.
private struct NewLayouts {
  private let known: LayoutTable
  /// The version of the payload. Delete rules for the deletion of a reference's target need version
  /// 2, and earlier names of entities need version 3.
  private let version: UInt8
  private(set) var layouts: [Layout] = []
  private(set) var byNumber: [UInt16: Layout] = [:]
  /// For each entity with new layouts, the kind of its identifiers and the number of its new
  /// layouts.
  private var entities: [String: (kind: IdentifierKind, count: Int)] = [:]
  /// The entity of each name that a new layout contains: its name before this payload, or the first
  /// name of a new entity. This name identifies it in ``entities``.
  private var keys: [String: String] = [:]
  /// The newest name of each entity that this payload renames.
  private var newNames: [String: String] = [:]
  private var newEntityCount = 0
  private var renameCount = 0

  init(_ known: LayoutTable, inVersion version: UInt8) {
    self.known = known
    self.version = version
  }

  /// Reads a layout and moves the offset to its end.
  ///
  /// - Returns: The defect of the layout; nil if it is valid.
  mutating func read(_ bytes: RawSpan, at offset: inout Int) -> PayloadDefect.Kind? {
    let layout: Layout
    let end: Int
    do throws(LayoutDefect) { (layout, end) = try Layout.reading(bytes, at: offset) } catch {
      switch error {
      case .malformed: return .layout
      case .limit(let excess): return .limit(excess)
      }
    }
    guard
      version >= PayloadWriter.versionWithTargetRules || !layout.entity.hasTargetDeleteRules,
      version >= PayloadWriter.versionWithMigrations || layout.entity.earlierName == nil
    else { return .layout }
    if let earlier = byNumber[layout.number] ?? known[layout.number].map(known.original) {
      guard earlier == layout else { return .layout }
      offset = end
      return nil
    }
    let membership = EntityMembership(layout.entity) { keys[$0] ?? known.currentName(of: $0) }
    let name: String
    switch membership {
    case .contradicts: return .layout
    case .new: name = layout.entity.name
    case .of(let key):
      name = key
      if newNames[key] ?? key != layout.entity.name {
        let excess = SchemaExcess(
          renamed: layout.entity.name, after: known.renameCount + renameCount)
        if let excess { return .limit(excess) }
        renameCount += 1
        newNames[key] = layout.entity.name
      }
    }
    let entity = entities[name]
    let knownKind = entity?.kind ?? known.newest(of: name)?.identifierKind
    if knownKind == nil {
      newEntityCount += 1
      let count = known.entityCount + newEntityCount
      guard count <= SchemaLimit.entities.maximum else {
        return .limit(SchemaExcess(.entities, of: name, count: count))
      }
    }
    let kind = knownKind ?? layout.identifierKind
    guard kind == layout.identifierKind else { return .layout }
    let count = (entity?.count ?? 0) + 1
    let layoutCount = known.layoutCount(of: name) + count
    guard layoutCount <= SchemaLimit.layouts.maximum else {
      return .limit(SchemaExcess(.layouts, of: name, count: layoutCount))
    }
    entities[name] = (kind, count)
    keys[layout.entity.name] = name
    if let earlierName = layout.entity.earlierName { keys[earlierName] = name }
    layouts.append(layout)
    byNumber[layout.number] = layout
    offset = end
    return nil
  }
}

/// A change in a payload. The ranges are those of its parts in the payload.
package struct PayloadChange {
  package let kind: ChangeKind
  package let layout: Layout
  /// The identity of the previous change of the record; zero for an insert.
  package let previous: ChangePosition
  /// The row of an insert or an update; the identifier of a delete.
  package let row: Range<Int>
  /// The identifier of a delete; nil for an insert and an update, whose row contains it.
  package let identifier: Range<Int>?
  /// For an update, the range of the bytes with one bit for each attribute. A bit is 1 if the
  /// update has changed the attribute.
  package let mask: Range<Int>

  /// Returns the range of the record's identifier in the bytes of ``row``; nil if the row is
  /// invalid.
  package func identifierRange(in row: RawSpan) -> Range<Int>? {
    kind == .delete ? 0..<row.byteCount : layout.identifierRange(in: row)
  }
}

extension PayloadReader {
  /// Returns the metadata of a payload; nil if the payload has no metadata or is invalid.
  package static func metadata(in bytes: RawSpan, layouts: LayoutTable) -> TransactionMetadata? {
    let flags = PayloadWriter.Flags(rawValue: bytes.number(at: 1, as: UInt8.self) ?? 0)
    guard flags.contains(.metadata) else { return nil }
    var reader = PayloadReader(bytes, layouts: layouts)
    while reader.next(in: bytes) != nil {}
    return reader.defect == nil ? reader.metadata(in: bytes) : nil
  }
}
