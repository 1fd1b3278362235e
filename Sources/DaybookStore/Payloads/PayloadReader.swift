/// Goes through the changes in a transaction's payload, which anybody may have written: what it hands
/// out is whole, and what is not ends it with a reason.
///
/// ```swift
/// var reader = PayloadReader(payload, layouts: layouts)
/// while let change = reader.next(in: bytes) { … }
/// guard reader.misfit == nil else { … }
/// ```
package struct PayloadReader {
  /// The layouts known before this payload.
  private var known: LayoutTable
  /// Those that this payload was the first to tell of.
  package private(set) var newLayouts: [Layout] = []
  /// The same by their numbers, as a copy of a large table would be made for each payload.
  private var newByNumber: [UInt16: Layout] = [:]
  package let changeCount: Int
  package let hasKey: Bool
  private let hasMetadata: Bool
  /// Where the stored values stand.
  package private(set) var storedValues: Range<Int> = 0..<0
  private var remaining: Int
  private var offset: Int
  /// What is wrong with the payload, and where.
  package private(set) var misfit: PayloadMisfit?

  /// Reads what stands before the changes.
  package init(_ bytes: RawSpan, layouts known: LayoutTable) {
    self.known = known
    let version = bytes.number(at: 0, as: UInt8.self) ?? 0
    let flags = PayloadWriter.Flags(rawValue: bytes.number(at: 1, as: UInt8.self) ?? 0)
    hasMetadata = flags.contains(.metadata)
    hasKey = flags.contains(.key)
    var offset = 2
    var count: UInt64 = 0
    var misfit: PayloadMisfit?
    var storedValues = 0..<0
    var new = NewLayouts(known)
    read: do {
      guard version == PayloadWriter.version, flags.isSubset(of: .known) else {
        misfit = PayloadMisfit(offset: 0, kind: .version(version))
        break read
      }
      if flags.contains(.layouts) {
        guard let (layoutCount, end) = bytes.variableNumber(at: offset),
          layoutCount <= UInt64(bytes.byteCount)
        else {
          misfit = PayloadMisfit(offset: offset, kind: .layout)
          break read
        }
        offset = end
        for _ in 0..<layoutCount {
          if let kind = new.read(bytes, at: &offset) {
            misfit = PayloadMisfit(offset: offset, kind: kind)
            break read
          }
        }
      }
      if flags.contains(.storedValues) {
        guard let (byteCount, end) = bytes.variableNumber(at: offset),
          byteCount <= UInt64(bytes.byteCount - end)
        else {
          misfit = PayloadMisfit(offset: offset, kind: .storedValues)
          break read
        }
        storedValues = end..<end + Int(byteCount)
        offset = storedValues.upperBound
      }
      guard let (number, end) = bytes.variableNumber(at: offset),
        number <= UInt64(bytes.byteCount - end)
      else {
        misfit = PayloadMisfit(offset: offset, kind: .changeCount)
        break read
      }
      count = number
      offset = end
    }
    self.offset = offset
    self.storedValues = storedValues
    self.misfit = misfit
    (newLayouts, newByNumber) = (new.layouts, new.byNumber)
    changeCount = misfit == nil ? Int(count) : 0
    remaining = changeCount
  }

  /// The layout of a number, known before or told of here.
  @inline(__always)
  private func layout(_ number: UInt16) -> Layout? {
    if newByNumber.isEmpty { return known[number] }
    return newByNumber[number] ?? known[number]
  }

  /// Returns the new layouts and lets go of the table, so that they can be added to it without a copy.
  ///
  /// - Postcondition: No change is read before ``use(_:)``.
  mutating func takeNewLayouts() -> [Layout] {
    defer {
      known = LayoutTable()
      (newLayouts, newByNumber) = ([], [:])
    }
    return newLayouts
  }

  /// Goes on with a table that has the new layouts.
  mutating func use(_ layouts: LayoutTable) { known = layouts }

  /// Whether a payload says that it has an idempotency key.
  package static func hasKey(_ bytes: RawSpan) -> Bool {
    PayloadWriter.Flags(rawValue: bytes.number(at: 1, as: UInt8.self) ?? 0).contains(.key)
  }

  /// The next change, or nil after the last, or where the payload is not whole.
  @inline(__always)
  package mutating func next(in bytes: RawSpan) -> PayloadChange? {
    guard remaining > 0 else { return nil }
    let start = offset
    guard let code = bytes.number(at: offset, as: UInt8.self), let kind = ChangeKind(rawValue: code)
    else { return stop(start) }
    remaining &-= 1
    offset &+= 1
    var previous = ChangePlace(sequence: 0, payloadOffset: 0)
    if kind != .insert {
      guard let (sequence, end) = bytes.variableNumber(at: offset),
        let (place, placeEnd) = bytes.variableNumber(at: end), place <= UInt64(UInt32.max)
      else { return stop(start) }
      previous = ChangePlace(sequence: sequence, payloadOffset: UInt32(place))
      offset = placeEnd
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
      mask = offset..<offset &+ (layout.places.count &+ 7) / 8
      guard mask.upperBound <= bytes.byteCount else { return stop(start) }
      offset = mask.upperBound
    }
    return PayloadChange(
      kind: kind, layout: layout, previous: previous, row: rowRange, identifier: nil, mask: mask)
  }

  /// The layout of the changes that come next, if those are inserts that may be gone through together: several,
  /// with identifiers of one width.
  @inline(__always)
  func layoutOfInserts(in bytes: RawSpan) -> Layout? {
    guard remaining >= PayloadReader.runLengthMin,
      bytes.number(at: offset, as: UInt8.self) == ChangeKind.insert.rawValue,
      let head = bytes.number(at: offset &+ 1, as: UInt16.self),
      let layout = layout(head & Layout.numberMax), layout.identifierByteCount > 0
    else { return nil }
    return layout
  }

  /// With how few changes before the end it does not pay to look for a run of them.
  private static let runLengthMin = 8

  /// Goes through the inserts that come next, as long as they are of one layout and have all their values with
  /// them. The first that is not, or is not whole, is left to ``next(in:)``.
  ///
  /// - Parameter body: Is given where a row begins, of which the head and the identifier are there, and answers
  ///   whether it took it.
  @inline(__always)
  mutating func forEachInsert(
    of shape: RowShape, in bytes: RawSpan, body: (_ row: Int) -> Bool
  ) {
    while remaining > 0, bytes.number(at: offset, as: UInt8.self) == ChangeKind.insert.rawValue {
      let row = offset &+ 1
      guard let byteCount = shape.rowByteCount(bytes, at: row),
        let head = bytes.number(at: row, as: UInt16.self), head & RowShape.storedFlag == 0,
        let place = bytes.number(at: row &+ 2, as: UInt32.self), Int(place) == row, body(row)
      else { return }
      remaining &-= 1
      offset = row &+ byteCount
    }
  }

  private mutating func delete(
    of layout: Layout, after previous: ChangePlace, from start: Int, in bytes: RawSpan
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

  private mutating func stop(_ start: Int) -> PayloadChange? {
    misfit = PayloadMisfit(offset: start, kind: .change)
    remaining = 0
    return nil
  }

  /// The metadata behind the last change.
  ///
  /// - Precondition: All changes have been read.
  package mutating func metadata(in bytes: RawSpan) -> TransactionMetadata {
    precondition(remaining == 0, "\(remaining) changes are not read yet")
    guard misfit == nil else { return TransactionMetadata() }
    guard hasMetadata else {
      if offset != bytes.byteCount { misfit = PayloadMisfit(offset: offset, kind: .end) }
      return TransactionMetadata()
    }
    let text = bytes.extracting(offset..<bytes.byteCount)
    guard let metadata = TransactionMetadata(bytes: text) else {
      misfit = PayloadMisfit(offset: offset, kind: .metadata)
      return TransactionMetadata()
    }
    return metadata
  }
}

/// The layouts that a payload is the first to tell of, beside those that are known.
private struct NewLayouts {
  private let known: LayoutTable
  private(set) var layouts: [Layout] = []
  private(set) var byNumber: [UInt16: Layout] = [:]
  /// Of each entity with new layouts how many, and the kind of its identifiers.
  private var entities: [String: (kind: IdentifierKind, count: Int)] = [:]
  private var newEntityCount = 0

  init(_ known: LayoutTable) { self.known = known }

  /// Reads a layout and moves the offset behind it.
  ///
  /// - Returns: What is wrong with it, or nil.
  mutating func read(_ bytes: RawSpan, at offset: inout Int) -> PayloadMisfit.Kind? {
    let layout: Layout
    let end: Int
    do throws(LayoutMisfit) { (layout, end) = try Layout.reading(bytes, at: offset) } catch {
      switch error {
      case .malformed: return .layout
      case .limit(let excess): return .limit(excess)
      }
    }
    if let earlier = byNumber[layout.number] ?? known[layout.number] {
      guard earlier == layout else { return .layout }
      offset = end
      return nil
    }
    let name = layout.entity.name
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
    layouts.append(layout)
    byNumber[layout.number] = layout
    offset = end
    return nil
  }
}

/// A change as it stands in a payload: where its parts are.
package struct PayloadChange {
  package let kind: ChangeKind
  package let layout: Layout
  package let previous: ChangePlace
  /// The row of an insert or an update; the identifier of a delete.
  package let row: Range<Int>
  /// The identifier, if it stands outside a row.
  package let identifier: Range<Int>?
  /// A bit for each attribute that an update changed.
  package let mask: Range<Int>

  /// Returns where the record's identifier is in the bytes of ``row``; nil if they have none.
  package func identifierRange(in row: RawSpan) -> Range<Int>? {
    kind == .delete ? 0..<row.byteCount : layout.identifierRange(in: row)
  }
}

extension PayloadReader {
  /// Returns the metadata of a payload; nil if there is none.
  package static func metadata(in bytes: RawSpan, layouts: LayoutTable) -> TransactionMetadata? {
    let flags = PayloadWriter.Flags(rawValue: bytes.number(at: 1, as: UInt8.self) ?? 0)
    guard flags.contains(.metadata) else { return nil }
    var reader = PayloadReader(bytes, layouts: layouts)
    while reader.next(in: bytes) != nil {}
    return reader.misfit == nil ? reader.metadata(in: bytes) : nil
  }
}

/// What is wrong with a payload.
package struct PayloadMisfit: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// It is of a version that this build does not know.
    case version(UInt8)
    /// A layout is not whole, or contradicts one that was told of before.
    case layout
    /// A layout exceeds what there may be; nothing is wrong with the bytes.
    case limit(SchemaExcess)
    case storedValues
    case changeCount
    /// A change is not whole, or of an unknown kind or layout.
    case change
    case metadata
    /// Bytes follow the last change that nothing tells of.
    case end
  }

  package var offset: Int
  package var kind: Kind

  package init(offset: Int, kind: Kind) {
    self.offset = offset
    self.kind = kind
  }
}
