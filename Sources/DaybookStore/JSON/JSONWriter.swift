import DaybookJournal

/// A writer that appends JSON without white space to an array of bytes.
///
/// ```swift
/// var writer = JSONWriter()
/// writer.beginObject()
/// writer.key("tx")
/// writer.write(1)
/// writer.endObject()
/// writer.endLine()
/// ```
///
/// The writer adds commas and colons. A call that would not produce JSON is a programming error,
/// and traps. Examples are a value without a key in an object, and a second value in one line.
@_spi(Tools) public struct JSONWriter {
  /// The bytes that were written.
  public private(set) var bytes: [UInt8]

  private var depth = 0
  // One bit for each open object or array; the lowest bit is the innermost one. In `objects` the
  // bit is 1 for an object, and in `started` it is 1 after the first member or element.
  private var objects: UInt64 = 0
  private var started: UInt64 = 0
  private var hasKey = false
  private var isComplete = false

  /// Creates a writer that appends to an array of bytes.
  public init(appendingTo bytes: [UInt8] = []) {
    self.bytes = bytes
  }

  /// Removes the written bytes, and keeps their memory for the next text.
  package mutating func removeAll() {
    self = JSONWriter(appendingTo: removingBytes())
  }

  /// Returns the written bytes, and removes them from the writer.
  package mutating func takeBytes() -> [UInt8] {
    precondition(depth == 0, "the bytes were read while \(depth) objects and arrays are open")
    let taken = bytes
    self = JSONWriter()
    return taken
  }

  /// Returns the bytes that were written after the last call, and removes them from the writer. The
  /// writer can be inside a value and continues there. So a caller can write a long text in pieces.
  public mutating func takePiece() -> [UInt8] {
    var piece: [UInt8] = []
    swap(&piece, &bytes)
    return piece
  }

  private mutating func removingBytes() -> [UInt8] {
    var taken: [UInt8] = []
    swap(&taken, &bytes)
    taken.removeAll(keepingCapacity: true)
    return taken
  }

  // MARK: Structure

  /// Starts an object.
  public mutating func beginObject() { open(UInt8(ascii: "{"), isObject: true) }

  /// Ends the innermost open object.
  public mutating func endObject() { close(UInt8(ascii: "}"), isObject: true) }

  /// Starts an array.
  public mutating func beginArray() { open(UInt8(ascii: "["), isObject: false) }

  /// Ends the innermost open array.
  public mutating func endArray() { close(UInt8(ascii: "]"), isObject: false) }

  /// Writes a key of an object. The caller must then write its value.
  public mutating func key(_ key: String) {
    precondition(
      depth > 0 && objects & 1 == 1 && !hasKey,
      "the key \(key) was written where a value is expected")
    separate()
    append(quoted: key)
    bytes.append(UInt8(ascii: ":"))
    hasKey = true
  }

  /// Ends the line. The caller may then write a value in the next line.
  public mutating func endLine() {
    precondition(
      depth == 0 && isComplete, "the line ended while \(depth) objects and arrays are open")
    bytes.append(UInt8(ascii: "\n"))
    isComplete = false
  }

  private mutating func open(_ byte: UInt8, isObject: Bool) {
    beginValue()
    precondition(depth < JSONReader.depthMax, "JSON is nested deeper than \(JSONReader.depthMax)")
    bytes.append(byte)
    depth &+= 1
    objects = objects << 1 | (isObject ? 1 : 0)
    started <<= 1
  }

  private mutating func close(_ byte: UInt8, isObject: Bool) {
    precondition(
      depth > 0 && (objects & 1 == 1) == isObject && !hasKey,
      "the end of an \(isObject ? "object" : "array") was written, but none is open")
    bytes.append(byte)
    depth &-= 1
    objects >>= 1
    started >>= 1
    if depth == 0 { isComplete = true }
  }

  /// Writes the comma before a value if it needs one, and checks that a value is allowed.
  @inline(__always)
  private mutating func beginValue() {
    if depth == 0 {
      precondition(!isComplete, "a second value was written in one line")
      isComplete = true
    } else if objects & 1 == 1 {
      precondition(hasKey, "a value was written in an object without its key")
      hasKey = false
    } else {
      separate()
    }
  }

  @inline(__always)
  private mutating func separate() {
    if started & 1 == 1 { bytes.append(UInt8(ascii: ",")) }
    started |= 1
  }

  // MARK: Values

  /// Writes a string.
  ///
  /// The writer escapes characters if JSON requires this, or if a terminal could interpret them;
  /// see ``JSONEscape``.
  ///
  /// - Complexity: O(*n*)
  public mutating func write(_ string: String) {
    beginValue()
    append(quoted: string)
  }

  /// Writes an integer.
  public mutating func write(_ integer: Int64) {
    beginValue()
    if integer < 0 { bytes.append(UInt8(ascii: "-")) }
    append(integer.magnitude)
  }

  /// Writes an integer.
  public mutating func write(_ integer: UInt64) {
    beginValue()
    append(integer)
  }

  /// Writes an integer.
  public mutating func write(_ integer: Int) { write(Int64(integer)) }

  /// Writes a number with as few digits as possible, but enough for a reader to get an equal
  /// double. The number has a point or an exponent.
  ///
  /// NaN and infinities are written as the strings `NaN`, `Infinity` and `-Infinity`.
  public mutating func write(_ double: Double) {
    beginValue()
    append(floating: double.isFinite ? double.description : JSONWriter.name(double))
  }

  /// Writes a number with as few digits as possible, but enough for a reader to get an equal float.
  /// An equal double would need more digits.
  package mutating func write(_ float: Float) {
    beginValue()
    append(floating: float.isFinite ? float.description : JSONWriter.name(Double(float)))
  }

  /// Writes a Boolean value.
  public mutating func write(_ bool: Bool) {
    beginValue()
    append(ascii: bool ? "true" : "false")
  }

  /// Writes null.
  public mutating func writeNull() {
    beginValue()
    append(ascii: "null")
  }

  /// Writes a value that is JSON text already, for example from ``JSONReader/captureValue()``.
  ///
  /// Characters that a terminal could interpret are written as escapes. In valid JSON, such
  /// characters occur only in strings.
  ///
  /// - Complexity: O(*n*)
  public mutating func write(text: RawSpan) {
    beginValue()
    append(text) { JSONEscape.control(in: text, at: $0) }
  }

  package mutating func write(_ number: JSONNumber) {
    beginValue()
    append(ascii: number.text)
  }

  /// Writes a tree. Its depth must be at most ``JSONReader/depthMax``.
  package mutating func write(_ value: JSONValue) {
    switch value {
    case .null: writeNull()
    case .bool(let bool): write(bool)
    case .number(let number): write(number)
    case .string(let string): write(string)
    case .array(let elements):
      beginArray()
      for element in elements { write(element) }
      endArray()
    case .object(let members):
      beginObject()
      for member in members {
        key(member.key)
        write(member.value)
      }
      endObject()
    }
  }

  // MARK: Bytes

  private static func name(_ double: Double) -> String {
    double.isNaN ? "\"NaN\"" : double < 0 ? "\"-Infinity\"" : "\"Infinity\""
  }

  private mutating func append(floating string: String) { append(ascii: string) }

  private mutating func append(ascii string: String) {
    bytes.append(contentsOf: string.utf8)
  }

  private mutating func append(_ span: RawSpan) {
    span.withUnsafeBytes { bytes.append(contentsOf: $0) }
  }

  private mutating func append(_ number: UInt64) {
    guard number > 9 else {
      bytes.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number))
      return
    }
    var digits = [20 of UInt8](repeating: 0)
    var rest = number
    var start = digits.count
    repeat {
      start &-= 1
      digits[start] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    } while rest > 0
    append(digits.span.bytes.extracting(start..<digits.count))
  }

  private mutating func append(quoted string: String) {
    bytes.append(UInt8(ascii: "\""))
    append(escaping: string.utf8Span.span.bytes)
    bytes.append(UInt8(ascii: "\""))
  }

  /// Appends the characters of a string, with escapes.
  private mutating func append(escaping span: RawSpan) {
    append(span) { JSONEscape.string(in: span, at: $0) }
  }

  /// Appends UTF-8 bytes, and replaces some scalars by escapes.
  ///
  /// - Parameter escape: A closure that returns the escape of the scalar at an offset, and the byte
  ///   count of the scalar. It returns nil if the scalar is written unchanged.
  private mutating func append(
    _ span: RawSpan, replacing escape: (Int) -> (escape: String, byteCount: Int)?
  ) {
    var start = 0
    var offset = 0
    while true {
      offset = JSONSource.printableEnd(of: span, from: offset)
      guard offset < span.byteCount else { break }
      guard let (replacement, byteCount) = escape(offset) else {
        offset += 1
        continue
      }
      append(span.extracting(start..<offset))
      append(ascii: replacement)
      offset += byteCount
      start = offset
    }
    append(span.extracting(start..<span.byteCount))
  }
}

/// The escapes of the JSON that Daybook writes.
///
/// JSON allows some characters without escapes that a terminal interprets: control characters from
/// U+007F on, and characters that change the direction of text. A value could use them to change
/// the output of the tool. Therefore Daybook writes them as `\u` escapes, which every JSON reader
/// accepts.
enum JSONEscape {
  /// Returns the escape of the scalar at an offset of a string; nil if the scalar needs no escape.
  static func string(in span: RawSpan, at offset: Int) -> (escape: String, byteCount: Int)? {
    let byte = span.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
    switch byte {
    case UInt8(ascii: "\""): return ("\\\"", 1)
    case UInt8(ascii: "\\"): return ("\\\\", 1)
    case ..<0x20: return (JSONError.escape(byte), 1)
    default: return control(in: span, at: offset)
    }
  }

  /// Returns the escape of the scalar at an offset; nil if a terminal does not interpret the
  /// scalar.
  ///
  /// The scalars with an escape are U+007F to U+009F, U+2028 to U+202E and U+2066 to U+2069.
  static func control(in span: RawSpan, at offset: Int) -> (escape: String, byteCount: Int)? {
    func byte(_ distance: Int) -> UInt8 {
      let position = offset + distance
      return position < span.byteCount
        ? span.unsafeLoad(fromByteOffset: position, as: UInt8.self) : 0
    }
    switch (byte(0), byte(1), byte(2)) {
    case (0x7F, _, _): return ("\\u007F", 1)
    case (0xC2, 0x80...0x9F, _): return ("\\u00" + hexadecimal(byte(1)), 2)
    case (0xE2, 0x80, 0xA8...0xAE): return ("\\u20" + hexadecimal(byte(2) - 0x80), 3)
    case (0xE2, 0x81, 0xA6...0xA9): return ("\\u20" + hexadecimal(byte(2) - 0x40), 3)
    default: return nil
    }
  }

  /// Returns a byte as two hexadecimal digits.
  private static func hexadecimal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16, uppercase: true)
    return digits.count == 1 ? "0" + digits : digits
  }
}

extension JSONWriter {
  /// Writes an attribute value in the form that a text journal uses.
  ///
  /// - Complexity: O(*n*)
  public mutating func write(_ value: AttributeValue) {
    switch value {
    case .null: writeNull()
    case .bool(let bool): write(bool)
    case .int(let integer): write(integer)
    case .uint(let integer): write(integer)
    case .float(let float): write(float)
    case .double(let double): write(double)
    case .decimal(let decimal): write(DecimalText.text(of: decimal))
    case .string(let string), .url(let string): write(string)
    case .date(let date): write(DateText.text(of: date))
    case .uuid(let uuid): write(UUIDText.text(of: uuid))
    case .data(let bytes): write(Base64Text.text(of: bytes))
    case .reference(let identifier): write(identifier)
    case .array(let values):
      beginArray()
      for value in values { write(value) }
      endArray()
    }
  }

  /// Writes an identifier in the form that a text journal uses.
  public mutating func write(_ identifier: RecordIdentifier) {
    switch identifier {
    case .int(let integer): write(integer)
    case .uint(let integer): write(integer)
    case .string(let string): write(string)
    case .uuid(let uuid): write(UUIDText.text(of: uuid))
    }
  }
}
