import DaybookEssentials

/// A writer that encodes records as consecutive rows of one layout. ``RecordCodec`` and
/// ``DynamicRecord`` use it.
///
/// ```swift
/// var writer = RowWriter(layout, after: buffer.take())
/// for record in records {
///   writer.start(record.id)
///   for value in record.values { writer.append { … } }
/// }
/// buffer = writer.finish()
/// ```
///
/// The caller appends the attributes in the layout's storage order (fixed-width attributes first),
/// each as bytes or as nil. The writer stores all values in the row itself. Large values are moved
/// out of the row later, when a transaction is written.
@usableFromInline
package struct RowWriter: ~Copyable {
  private let layout: Layout
  // The list belongs to `layout`. The copy here exists because each access through `layout` would
  // retain the layout.
  private let fields: FieldList
  private let shape: RowShape
  /// The bytes that are copied at the start of each row.
  private let emptyRow: [UInt8]
  @usableFromInline var buffer: RowBuffer
  /// The offset of the current row.
  private var start: Int
  /// The number of attributes that were appended to the current row.
  private var storageIndex: Int
  /// The number of entries in the current row's table of ends.
  private var endCount = 0
  /// The offset of the current row's variable part in the buffer; 0 before the fixed part is
  /// complete.
  private var variableStart = 0
  /// A Boolean value that indicates whether the ends of the current row are 32-bit numbers.
  private var isWide = false
  /// A Boolean value that indicates whether at least one attribute of the current row is nil.
  package private(set) var hasNil = false

  /// Creates a writer that appends to a buffer. The caller should pass the only reference to the
  /// buffer's bytes, so that the writer does not copy them; see ``RowBuffer/take()``.
  package init(_ layout: Layout, after buffer: consuming RowBuffer) {
    self.layout = layout
    fields = layout.storageFields
    shape = layout.shape
    emptyRow = layout.emptyRow
    start = buffer.count
    storageIndex = fields.count
    endCount = shape.variableCount
    self.buffer = buffer.take()
  }

  /// The range of the current row in the buffer. A row that is started after it begins at the end
  /// of this range.
  package var row: Range<Int> { start..<buffer.count }

  /// Calls a closure with the current row.
  package func withRow<Result>(_ body: (RawSpan) -> Result) -> Result {
    body(buffer.room.span.bytes.extracting(row))
  }

  /// Starts a row with an identifier. The row before it must be complete.
  package mutating func start(_ identifier: RecordIdentifier, creation: UInt64 = 0) {
    precondition(
      identifier.kind == layout.identifierKind,
      "the identifier of \(layout.entity.name) is \(identifier.kind), not \(layout.identifierKind)")
    checkComplete()
    start = buffer.count
    storageIndex = 0
    endCount = 0
    variableStart = 0
    isWide = false
    hasNil = false
    buffer.layOut(emptyRow, more: RowWriter.stringByteCount)
    buffer.pass(Layout.creationOffset)
    buffer.append(creation)
    if case .string = identifier {} else { identifier.append(to: &buffer) }
    buffer.pass(layout.fixedOffset - layout.nilBitsOffset)
    if fields.count == 0 || fields[0].byteCount == nil { openEnds() }
    if case .string(let string) = identifier {
      // A string identifier is the first variable-width value. Its bytes follow the fixed-width
      // values, so the writer keeps the string until they are complete.
      pendingString = NormalizedText.text(of: string)
      if variableStart > 0 { appendPendingString() }
    }
  }

  /// The expected total size of a row's variable-width values, in bytes.
  private static let stringByteCount = 96

  /// The string identifier of the current row, until the writer has appended it to the variable
  /// part.
  private var pendingString: String?

  private mutating func openEnds() {
    buffer.pass(shape.variableCount * 2)
    variableStart = buffer.count
    appendPendingString()
  }

  private mutating func appendPendingString() {
    guard let string = pendingString, variableStart > 0 else { return }
    buffer.append(string)
    endValue()
    pendingString = nil
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
    let field = nextField
    hasNil = true
    buffer.setBit(field.nilBit, at: start + field.nilOffset)
    if let byteCount = field.byteCount { buffer.pass(byteCount) }
    endAttribute()
  }

  /// Appends the bytes of the next attribute in storage order, or nil for it.
  package mutating func append(_ bytes: [UInt8]?) {
    if let bytes { append { $0.append(bytes) } } else { appendNil() }
  }

  private var nextField: AttributeField {
    precondition(
      storageIndex < fields.count,
      "\(layout.entity.name) has only \(storageIndex) attributes")
    return fields[storageIndex]
  }

  /// Ends the attribute whose bytes the caller has just appended.
  @usableFromInline
  mutating func endAttribute() {
    let field = nextField
    storageIndex += 1
    guard let byteCount = field.byteCount else { return endValue() }
    let expected = start + field.offset + byteCount
    precondition(
      buffer.count == expected,
      "expected \(byteCount) bytes for \(layout.entity.name), found \(buffer.count - expected + byteCount)"
    )
    // The table of ends starts after the last fixed-width attribute.
    if storageIndex == fields.count || fields[storageIndex].byteCount == nil { openEnds() }
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

  /// Converts the table of ends from 16-bit to 32-bit numbers, for a row with more than 64 KiB of
  /// variable-width values. Few rows are that large.
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

  /// Traps if the current row is incomplete.
  private func checkComplete() {
    precondition(
      storageIndex == fields.count && endCount == shape.variableCount,
      "only \(storageIndex) of \(fields.count) attributes of \(layout.entity.name) were written")
  }

  /// Ends the last row, and returns the buffer.
  package consuming func finish() -> RowBuffer {
    checkComplete()
    buffer.trim()
    return buffer
  }
}

extension RecordIdentifier {
  /// Appends the bytes of the identifier, in the form that rows and arrays of references contain.
  /// The method converts a string to normal form C.
  package func append(to buffer: inout RowBuffer) {
    switch self {
    case .int(let number): buffer.append(number)
    case .uint(let number): buffer.append(number)
    case .string(let string): buffer.append(NormalizedText.text(of: string))
    case .uuid(let uuid): uuid._append(to: &buffer)
    }
  }

  /// Creates an identifier of a kind from its bytes; nil if the number of bytes differs from the
  /// kind's width.
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
      guard let uuid = UUID(_row: bytes) else { return nil }
      self = .uuid(uuid)
    }
  }
}
