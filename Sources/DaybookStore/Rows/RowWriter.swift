import FoundationEssentials

/// Packs one record into a row.
///
/// The attributes are appended in the layout's storage order, each as its bytes or as nil. All
/// values stand in the row itself; those that are large are moved out of it when a transaction is
/// written.
package struct RowWriter {
  private let layout: Layout
  private var buffer: RowBuffer
  private let start: Int
  private var ends: [Int] = []
  private var storageIndex = 0
  private var variableStart = 0

  /// Begins a row behind what a buffer holds.
  package init(_ layout: Layout, creation: UInt64 = 0, behind buffer: consuming RowBuffer) {
    self.layout = layout
    start = buffer.count
    self.buffer = buffer
    self.buffer.append(layout.number)
    self.buffer.append(0 as UInt32)
    self.buffer.append(creation)
  }

  package mutating func begin(_ identifier: RecordIdentifier) {
    precondition(
      identifier.kind == layout.entity.identifierKind,
      "an identifier \(identifier.kind) for \(layout.entity.name), whose are "
        + "\(layout.entity.identifierKind)")
    if case .string = identifier {} else { identifier.append(to: &buffer) }
    buffer.appendZeros(layout.fixedOffset - layout.nilBitsOffset)
    ends.reserveCapacity(layout.variableCount)
    if layout.storageOrder.first.map({ layout.places[$0].byteCount == nil }) ?? true { openEnds() }
    if case .string(let text) = identifier {
      // It stands before the other variable values, but those of one width come before it.
      pendingText = text
      if variableStart > 0 { placeText() }
    }
  }

  private var pendingText: String?

  private mutating func openEnds() {
    buffer.appendZeros(layout.variableCount * 2)
    variableStart = buffer.count
    placeText()
  }

  private mutating func placeText() {
    guard let text = pendingText, variableStart > 0 else { return }
    buffer.append(text)
    endValue()
    pendingText = nil
  }

  /// Appends the next attribute in storage order.
  @inline(__always)
  package mutating func append(_ value: (inout RowBuffer) -> Void) {
    let place = beginValue()
    let before = buffer.count
    value(&buffer)
    if let byteCount = place.byteCount {
      precondition(
        buffer.count - before == byteCount,
        "\(buffer.count - before) bytes of \(byteCount) for \(layout.entity.name)")
      closeFixed()
    } else {
      endValue()
    }
  }

  /// Appends nil for the next attribute in storage order.
  package mutating func appendNil() {
    let place = beginValue()
    buffer.setBit(place.nilBit, at: start + place.nilOffset)
    if let byteCount = place.byteCount {
      buffer.appendZeros(byteCount)
      closeFixed()
    } else {
      endValue()
    }
  }

  private mutating func beginValue() -> AttributePlace {
    precondition(
      storageIndex < layout.storageOrder.count,
      "more than \(storageIndex) attributes for \(layout.entity.name)")
    let place = layout.places[layout.storageOrder[storageIndex]]
    storageIndex += 1
    return place
  }

  /// After the last attribute of one width the table of ends begins.
  private mutating func closeFixed() {
    guard
      storageIndex == layout.storageOrder.count
        || layout.places[layout.storageOrder[storageIndex]].byteCount == nil
    else { return }
    openEnds()
  }

  private mutating func endValue() { ends.append(buffer.count - variableStart) }

  /// Ends the row, and gives the buffer back.
  package consuming func finish() -> RowBuffer {
    precondition(
      storageIndex == layout.storageOrder.count && ends.count == layout.variableCount,
      "\(storageIndex) of \(layout.storageOrder.count) attributes of \(layout.entity.name)")
    let table = start + layout.endsOffset
    if ends.last ?? 0 <= UInt16.max {
      for (index, end) in ends.enumerated() { buffer.put(UInt16(end), at: table + index * 2) }
    } else {
      buffer.insertZeros(layout.variableCount * 2, at: table)
      for (index, end) in ends.enumerated() { buffer.put(UInt32(end), at: table + index * 4) }
      buffer.put(layout.number | Layout.wideFlag, at: start)
    }
    return buffer
  }
}

extension RecordIdentifier {
  /// Appends the bytes that stand for the identifier, in a row and in arrays of references.
  package func append(to buffer: inout RowBuffer) {
    switch self {
    case .int(let number): buffer.append(number)
    case .uint(let number): buffer.append(number)
    case .string(let text): buffer.append(text)
    case .uuid(let uuid): uuid.append(to: &buffer)
    }
  }

  /// The identifier that these bytes stand for, or nil if they are not of its width.
  package init?(_ kind: IdentifierKind, bytes: RawSpan) {
    switch kind {
    case .int:
      guard let number = bytes.wholeNumber(as: Int64.self) else { return nil }
      self = .int(number)
    case .uint:
      guard let number = bytes.wholeNumber(as: UInt64.self) else { return nil }
      self = .uint(number)
    case .string: self.init(RowText.text(bytes))
    case .uuid:
      guard let uuid = UUID(row: bytes) else { return nil }
      self = .uuid(uuid)
    }
  }
}
