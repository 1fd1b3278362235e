import DaybookJournal

/// Writes compact JSON to the end of some bytes.
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
/// Commas and colons come by themselves. What would not be JSON, as a value without a key in an
/// object or a second value in one line, is the caller's mistake, and stops the program.
package struct JSONWriter {
  /// What was written.
  package private(set) var bytes: [UInt8]

  private var depth = 0
  // A bit for each open object or array, the innermost lowest.
  private var objects: UInt64 = 0
  private var started: UInt64 = 0
  private var hasKey = false
  private var isWhole = false

  /// A writer that appends to some bytes.
  package init(appendingTo bytes: [UInt8] = []) {
    self.bytes = bytes
  }

  /// Drops what was written, and keeps its memory for what comes.
  package mutating func removeAll() {
    self = JSONWriter(appendingTo: removingBytes())
  }

  /// Hands out what was written and begins anew.
  package mutating func takeBytes() -> [UInt8] {
    precondition(depth == 0, "bytes were taken from JSON of which \(depth) parts are open")
    let taken = bytes
    self = JSONWriter()
    return taken
  }

  /// Hands out what was written since it did so last, and goes on where it is: what is long need not be kept
  /// whole.
  package mutating func takePiece() -> [UInt8] {
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

  package mutating func beginObject() { open(UInt8(ascii: "{"), isObject: true) }

  package mutating func endObject() { close(UInt8(ascii: "}"), isObject: true) }

  package mutating func beginArray() { open(UInt8(ascii: "["), isObject: false) }

  package mutating func endArray() { close(UInt8(ascii: "]"), isObject: false) }

  /// The key of the value that is written next.
  package mutating func key(_ key: String) {
    precondition(
      depth > 0 && objects & 1 == 1 && !hasKey, "the key \(key) was written where a value comes")
    separate()
    append(quoted: key)
    bytes.append(UInt8(ascii: ":"))
    hasKey = true
  }

  /// Ends the line, so that another value may follow.
  package mutating func endLine() {
    precondition(depth == 0 && isWhole, "a line ended in JSON of which \(depth) parts are open")
    bytes.append(UInt8(ascii: "\n"))
    isWhole = false
  }

  private mutating func open(_ byte: UInt8, isObject: Bool) {
    beginValue()
    precondition(depth < JSONReader.depthMax, "JSON may be \(JSONReader.depthMax) deep")
    bytes.append(byte)
    depth &+= 1
    objects = objects << 1 | (isObject ? 1 : 0)
    started <<= 1
  }

  private mutating func close(_ byte: UInt8, isObject: Bool) {
    precondition(
      depth > 0 && (objects & 1 == 1) == isObject && !hasKey,
      "the end of an \(isObject ? "object" : "array") was written where none is open")
    bytes.append(byte)
    depth &-= 1
    objects >>= 1
    started >>= 1
    if depth == 0 { isWhole = true }
  }

  /// What comes before any value.
  @inline(__always)
  private mutating func beginValue() {
    if depth == 0 {
      precondition(!isWhole, "a second value was written in one line")
      isWhole = true
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

  /// Writes a string, with escapes only where JSON demands them.
  ///
  /// - Complexity: O(*n*)
  package mutating func write(_ text: String) {
    beginValue()
    append(quoted: text)
  }

  package mutating func write(_ integer: Int64) {
    beginValue()
    if integer < 0 { bytes.append(UInt8(ascii: "-")) }
    append(integer.magnitude)
  }

  package mutating func write(_ integer: UInt64) {
    beginValue()
    append(integer)
  }

  package mutating func write(_ integer: Int) { write(Int64(integer)) }

  /// Writes the shortest number that reads back the same, with a point or exponent; what is no
  /// number as the strings `NaN`, `Infinity` and `-Infinity`.
  package mutating func write(_ double: Double) {
    beginValue()
    append(floating: double.isFinite ? double.description : JSONWriter.name(double))
  }

  /// The same for a float, whose shortest form is shorter than that of the double it equals.
  package mutating func write(_ float: Float) {
    beginValue()
    append(floating: float.isFinite ? float.description : JSONWriter.name(Double(float)))
  }

  package mutating func write(_ bool: Bool) {
    beginValue()
    append(ascii: bool ? "true" : "false")
  }

  package mutating func writeNull() {
    beginValue()
    append(ascii: "null")
  }

  /// Writes a value that is JSON text already, such as a reader captured.
  ///
  /// - Complexity: O(*n*)
  package mutating func write(text: RawSpan) {
    beginValue()
    append(text)
  }

  package mutating func write(_ number: JSONNumber) {
    beginValue()
    append(ascii: number.text)
  }

  /// Writes a tree. It may be as deep as a reader would read it.
  package mutating func write(_ value: JSONValue) {
    switch value {
    case .null: writeNull()
    case .bool(let bool): write(bool)
    case .number(let number): write(number)
    case .string(let text): write(text)
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

  private mutating func append(floating text: String) { append(ascii: text) }

  private mutating func append(ascii text: String) {
    bytes.append(contentsOf: text.utf8)
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

  private mutating func append(quoted text: String) {
    bytes.append(UInt8(ascii: "\""))
    append(escaping: text.utf8Span.span.bytes)
    bytes.append(UInt8(ascii: "\""))
  }

  /// Appends text, run by run, with what stands between the runs escaped.
  private mutating func append(escaping text: RawSpan) {
    var start = 0
    while true {
      let end = JSONSource.unescapedEnd(text, from: start)
      append(text.extracting(start..<end))
      guard end < text.byteCount else { return }
      appendEscape(of: text.unsafeLoad(fromByteOffset: end, as: UInt8.self))
      start = end + 1
    }
  }

  private mutating func appendEscape(of byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"):
      bytes.append(UInt8(ascii: "\\"))
      bytes.append(byte)
    default: append(ascii: JSONError.escape(byte))
    }
  }
}
