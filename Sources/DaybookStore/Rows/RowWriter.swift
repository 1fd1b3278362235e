import DaybookEssentials

/// Packs records into rows of one layout, one behind the other.
///
/// ```swift
/// var writer = RowWriter(layout, behind: buffer.take())
/// for record in records {
///   writer.begin(record.id)
///   for value in record.values { writer.append { … } }
/// }
/// buffer = writer.finish()
/// ```
///
/// The attributes are appended in the layout's storage order, each as its bytes or as nil. All
/// values stand in the row itself; those that are large are moved out of it when a transaction is
/// written.
@usableFromInline
package struct RowWriter: ~Copyable {
  private let layout: Layout
  // The layout's, which keeps them: each look at that would retain it.
  private let places: PlaceList
  private let shape: RowShape
  private let emptyRow: [UInt8]
  @usableFromInline var buffer: RowBuffer
  /// Where the row begins that began last.
  private var start: Int
  /// How many attributes it has already.
  private var storageIndex: Int
  /// How many values of the table of ends there are already.
  private var endCount = 0
  private var variableStart = 0
  private var isWide = false
  /// Whether the row has no value for one of its attributes.
  package private(set) var hasNil = false

  /// Goes behind what a buffer holds, which should be the caller's alone, as `take()` gives it.
  package init(_ layout: Layout, behind buffer: consuming RowBuffer) {
    self.layout = layout
    places = layout.storagePlaces
    shape = layout.shape
    emptyRow = layout.emptyRow
    start = buffer.count
    storageIndex = places.count
    endCount = shape.variableCount
    self.buffer = buffer.take()
  }

  /// Where the row begins that began last, and where the next one would.
  package var row: Range<Int> { start..<buffer.count }

  /// Hands out the row that began last.
  package func withRow<Result>(_ body: (RawSpan) -> Result) -> Result {
    body(buffer.room.span.bytes.extracting(row))
  }

  /// Begins a row.
  package mutating func begin(_ identifier: RecordIdentifier, creation: UInt64 = 0) {
    precondition(
      identifier.kind == layout.identifierKind,
      "an identifier \(identifier.kind) for \(layout.entity.name), whose are "
        + "\(layout.identifierKind)")
    checkWhole()
    start = buffer.count
    storageIndex = 0
    endCount = 0
    variableStart = 0
    isWide = false
    hasNil = false
    buffer.layOut(emptyRow, more: RowWriter.textByteCount)
    buffer.pass(Layout.creationOffset)
    buffer.append(creation)
    if case .string = identifier {} else { identifier.append(to: &buffer) }
    buffer.pass(layout.fixedOffset - layout.nilBitsOffset)
    if places.count == 0 || places[0].byteCount == nil { openEnds() }
    if case .string(let text) = identifier {
      // It stands before the other variable values, but those of one width come before it.
      pendingText = NormalizedText.text(of: text)
      if variableStart > 0 { placeText() }
    }
  }

  /// How many bytes the values have together that are not of one width, in most rows.
  private static let textByteCount = 96

  private var pendingText: String?

  private mutating func openEnds() {
    buffer.pass(shape.variableCount * 2)
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
  @inlinable @inline(__always)
  package mutating func append(_ value: (inout RowBuffer) -> Void) {
    value(&buffer)
    endAttribute()
  }

  /// Appends nil for the next attribute in storage order.
  @usableFromInline
  package mutating func appendNil() {
    let place = nextPlace
    hasNil = true
    buffer.setBit(place.nilBit, at: start + place.nilOffset)
    if let byteCount = place.byteCount { buffer.pass(byteCount) }
    endAttribute()
  }

  /// Appends the bytes of the next attribute in storage order, or nil for it.
  package mutating func append(_ bytes: [UInt8]?) {
    if let bytes { append { $0.append(bytes) } } else { appendNil() }
  }

  private var nextPlace: AttributePlace {
    precondition(
      storageIndex < places.count,
      "more than \(storageIndex) attributes for \(layout.entity.name)")
    return places[storageIndex]
  }

  /// Ends the attribute whose bytes have just been appended.
  @usableFromInline
  mutating func endAttribute() {
    let place = nextPlace
    storageIndex += 1
    guard let byteCount = place.byteCount else { return endValue() }
    let wanted = start + place.offset + byteCount
    precondition(
      buffer.count == wanted,
      "\(buffer.count - wanted + byteCount) bytes of \(byteCount) for \(layout.entity.name)")
    // After the last attribute of one width the table of ends begins.
    if storageIndex == places.count || places[storageIndex].byteCount == nil { openEnds() }
  }

  private mutating func endValue() {
    let end = buffer.count - variableStart
    if !isWide, end > Int(UInt16.max) { widen() }
    let table = start + shape.endsOffset
    if isWide {
      buffer.put(UInt32(buffer.count - variableStart), at: table + endCount * 4)
    } else {
      buffer.put(UInt16(end), at: table + endCount * 2)
    }
    endCount += 1
  }

  /// Makes the table of ends one of wider numbers, for rows that are seldom so large.
  private mutating func widen() {
    let table = start + layout.endsOffset
    let ends = (0..<endCount).map {
      buffer.room.span.bytes.number(at: table + $0 * 2, as: UInt16.self) ?? 0
    }
    buffer.insertZeros(layout.variableCount * 2, at: table)
    variableStart += layout.variableCount * 2
    for (index, end) in ends.enumerated() { buffer.put(UInt32(end), at: table + index * 4) }
    buffer.put(layout.number | RowShape.wideFlag, at: start)
    isWide = true
  }

  /// Stops the program if the last row is not whole.
  private func checkWhole() {
    precondition(
      storageIndex == places.count && endCount == shape.variableCount,
      "\(storageIndex) of \(places.count) attributes of \(layout.entity.name)")
  }

  /// Ends the last row, and gives the buffer back.
  package consuming func finish() -> RowBuffer {
    checkWhole()
    buffer.trim()
    return buffer
  }
}

extension RecordIdentifier {
  /// Appends the bytes that stand for the identifier, in a row and in arrays of references. A text is in normal form C
  /// there, however the program spells it.
  package func append(to buffer: inout RowBuffer) {
    switch self {
    case .int(let number): buffer.append(number)
    case .uint(let number): buffer.append(number)
    case .string(let text): buffer.append(NormalizedText.text(of: text))
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
