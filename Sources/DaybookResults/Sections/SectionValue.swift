import DaybookEssentials
import DaybookStore

/// The encoding of the value that all rows of a section have in common: the own part of a
/// ``SectionKey``. Two sections are the same if and only if their bytes are equal.
///
/// ```
/// 0   u8   0 if there is no value; the bytes then end here. Otherwise 1, or the zone of a range of
///          floats, or the first byte of a `MarkedWord`, 1 to 3
/// 1        exact: the part of an order key, ascending and plain
///          bits:  the bits of a float, a double or a date, big-endian, in the order of the numbers
///          word:  the number of a period or of a range of integers, as `MarkedWord` writes it
///          range: the number of a range of floats, big-endian
///          start: the start of a range of decimals, as `EscapedBytes` writes it
/// ```
///
/// The bytes sort like the values. The numbers -0.0 and 0.0 are separate sections, and so are NaNs
/// with different bits. Only a sort order treats these values as equal.
struct SectionValue: Hashable, Sendable {
  /// The encoding of the common value, for one kind of sections and one type of values.
  enum Form: Hashable, Sendable {
    /// Values of the other types. A plain sort order distinguishes any two different values of
    /// these types.
    case exact(OrderKeyPart)
    /// Floats, doubles and dates.
    case bits(ScalarType)
    case letter(OrderKeyPart)
    case prefix(Int, OrderKeyPart)
    case period(DatePeriod, minutesFromUTC: Int)
    case zoned(DatePeriod, ClockZone)
    case integers(ScalarType, IntegerRanges)
    case floats(ScalarType, FloatRanges)
    case decimals(DecimalRanges)
  }

  let form: Form
  /// The number of bytes of a value in a row; 0 if it varies.
  private let width: Int

  init(_ kind: SectionKind, of end: ValuePath.End) throws(SectionProblem) {
    guard let type = end.scalarType else {
      throw SectionProblem(.several, typeName: end.typeName)
    }
    width = type.byteCount ?? 0
    let exact = OrderKeyPart(type, isOptional: true)
    let defect = SectionProblem(.defect(kind), typeName: end.typeName)
    switch kind.form {
    case .value:
      form =
        switch type {
        case .float, .double, .date: .bits(type)
        default: .exact(exact)
        }
    case .letter:
      guard type == .string else { throw defect }
      form = .letter(exact)
    case .prefix(let count):
      guard type == .string else { throw defect }
      guard count > 0 else {
        throw SectionProblem(.prefixTooShort(count), typeName: end.typeName)
      }
      form = .prefix(count, exact)
    case .period(let period, let offset):
      guard type == .date else { throw defect }
      guard offset < .seconds(86_400), offset > .seconds(-86_400) else {
        throw SectionProblem(.offsetOutOfReach(offset), typeName: end.typeName)
      }
      let minutes = Int(offset.components.seconds) / 60
      guard offset == .seconds(60 * minutes) else {
        throw SectionProblem(.offsetNotInMinutes(offset), typeName: end.typeName)
      }
      form = .period(period, minutesFromUTC: minutes)
    case .zoned(let period, let zone):
      guard type == .date else { throw defect }
      form = .zoned(period, zone)
    case .range(let width):
      switch type {
      case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64:
        form = .integers(type, try IntegerRanges(type, width: width))
      case .float, .double: form = .floats(type, try FloatRanges(type, width: width))
      case .decimal: form = .decimals(try DecimalRanges(width))
      default: throw defect
      }
    }
  }

  /// Appends the bytes of the section of a value.
  ///
  /// - Parameter value: The value as a row contains it; nil if the row has no value.
  func append(_ value: borrowing RawSpan?, to key: inout RowBuffer) {
    guard let value = copy value, width == 0 || value.byteCount == width else {
      return key.append(0 as UInt8)
    }
    switch form {
    case .exact(let part): part.append(value, to: &key)
    case .letter(let part), .prefix(_, let part):
      part.append(string(of: value).utf8Span.span.bytes, to: &key)
    case .bits(let type):
      key.append(1 as UInt8)
      if type == .float {
        let word = OrderWord.exact(value.number(at: 0, as: UInt32.self) ?? 0)
        key.append(UInt32(word).bigEndian)
      } else {
        key.append(OrderWord.exact(value.word(at: 0)).bigEndian)
      }
    case .period(let period, let minutes):
      let number = period.key(of: SectionValue.date(in: value), offsetMinutes: minutes)
      SectionValue.period.append(UInt64(bitPattern: number) ^ 1 << 63, to: &key)
    case .zoned(let period, let zone):
      let number = period.key(of: SectionValue.date(in: value)) { zone.seconds(at: $0) }
      SectionValue.period.append(UInt64(bitPattern: number) ^ 1 << 63, to: &key)
    case .integers(let type, let ranges):
      let bits = OrderWord.word(of: type, bytes: value)
      let value = ranges.isSigned ? Int128(bits) - 1 << Int128(8 * width - 1) : Int128(bits)
      ranges.form.append(ranges.word(of: value), to: &key)
    case .floats(let type, let ranges):
      let number =
        type == .float
        ? Double(Float(bitPattern: value.number(at: 0, as: UInt32.self) ?? 0))
        : Double(bitPattern: value.word(at: 0))
      let (zone, word) = ranges.key(of: number)
      key.append(zone)
      key.append(word.bigEndian)
    case .decimals(let ranges):
      let packed = PackedDecimal(
        low: value.word(at: 0), high: value.word(at: 8),
        tail: value.number(at: 16, as: UInt32.self) ?? 0)
      key.append(1 as UInt8)
      let start = ranges.start(of: packed)?.orderBytes ?? [SectionValue.notANumber]
      EscapedBytes.append(start.span.bytes, mask: 0, to: &key)
    }
  }

  /// The encoding of period numbers in keys.
  static let period = MarkedWord(isSigned: true)

  private static func date(in value: RawSpan) -> Date {
    Date(timeIntervalSinceReferenceDate: Double(bitPattern: value.word(at: 0)))
  }

  /// The byte for NaN in place of the start of a range of decimals. The byte is greater than the
  /// first byte of any start, so NaN sorts after all numbers.
  static let notANumber: UInt8 = 0xFF

  /// Returns the common string of the section that contains a row's string: its first letter, its
  /// prefix, or the string itself.
  func string(of value: RawSpan) -> String {
    switch form {
    case .letter: SectionText.letter(of: value)
    case .prefix(let count, _): SectionText.prefix(count, of: value)
    default: RowText.text(value)
    }
  }

  /// Returns the end of the bytes of a section that start at an offset of a key.
  ///
  /// - Parameter mask: 0xFF if the bytes in the key are inverted; otherwise 0.
  func end(in key: RawSpan, from start: Int, mask: UInt8) -> Int {
    let marker = key.number(at: start, as: UInt8.self)
    if marker == mask { return start + 1 }
    return switch form {
    case .exact(let part), .letter(let part), .prefix(_, let part):
      part.end(in: key, from: start, mask: mask)
    case .bits: start + 1 + width
    case .period, .zoned, .integers:
      start + 1 + MarkedWord.byteCount(after: (marker ?? 0) ^ mask)
    case .floats: start + 9
    case .decimals: EscapedBytes.end(in: key, from: start + 1, mask: mask)
    }
  }
}

/// Functions that return the start of a string, for sections by letter or prefix.
enum SectionText {
  /// Returns the first character in normal form C, in uppercase if the uppercase form is one
  /// character; the empty string for an empty string.
  static func letter(of string: RawSpan) -> String {
    if let byte = string.number(at: 0, as: UInt8.self), byte < 0x80, isAlone(byte, in: string) {
      return String(Unicode.Scalar(byte &- 0x61 < 26 ? byte & 0xDF : byte))
    }
    guard let first = NormalizedText.text(of: RowText.text(string)).first else { return "" }
    let upper = first.uppercased()
    return upper.count == 1 ? NormalizedText.text(of: upper) : String(first)
  }

  /// Returns whether the first byte, which is ASCII, is a whole character. The first byte is a
  /// whole character if the next byte is ASCII too. The only exception is CR LF, two bytes that
  /// form one character.
  private static func isAlone(_ byte: UInt8, in string: RawSpan) -> Bool {
    guard let next = string.number(at: 1, as: UInt8.self) else { return true }
    return next < 0x80 && !(byte == 0x0D && next == 0x0A)
  }

  /// Returns the first characters in normal form C, or the whole string if it is shorter.
  static func prefix(_ characterCount: Int, of string: RawSpan) -> String {
    String(NormalizedText.text(of: RowText.text(string)).prefix(characterCount))
  }
}

/// The names of sections, which are computed from their bytes alone.
extension SectionValue {
  /// Returns the name of the section with the given bytes; the empty string if its rows have no
  /// value.
  func name(of bytes: RawSpan) -> String {
    guard let marker = bytes.number(at: 0, as: UInt8.self), marker != 0 else { return "" }
    let rest = bytes.extracting(1..<bytes.byteCount)
    switch form {
    case .exact(let part):
      if let form = part.markedWord { return name(ofWord: form.word(of: bytes), part.type) }
      return name(of: rest, part.type)
    case .letter, .prefix: return string(in: rest)
    case .bits(let type):
      if type == .float {
        let bits = OrderWord.bits(ofExact: rest.bigEndianWord, as: UInt32.self)
        return NumberText.text(of: Float(bitPattern: bits))
      }
      let number = Double(bitPattern: OrderWord.bits(ofExact: rest.bigEndianWord))
      return type == .double
        ? NumberText.text(of: number)
        : DateText.text(of: Date(timeIntervalSinceReferenceDate: number))
    case .period(let period, _), .zoned(let period, _):
      let word = SectionValue.period.word(of: bytes)
      return period.name(ofKey: Int64(bitPattern: word ^ 1 << 63))
    case .integers(_, let ranges): return ranges.name(ofWord: ranges.form.word(of: bytes))
    case .floats(_, let ranges): return ranges.name(ofZone: marker, word: rest.bigEndianWord)
    case .decimals(let ranges):
      let start = EscapedBytes.bytes(in: rest)
      return start.first == SectionValue.notANumber
        ? "NaN" : ranges.name(ofStart: LongDecimal(orderBytes: start))
    }
  }

  /// Returns the name of an integer or a Boolean value by its `OrderWord`.
  private func name(ofWord word: UInt64, _ type: ScalarType) -> String {
    switch type {
    case .int8, .int16, .int32, .int64:
      "\(Int128(word) - 1 << Int128(8 * (type.byteCount ?? 8) - 1))"
    default: "\(word)"
    }
  }

  private func string(in key: RawSpan) -> String {
    String(decoding: EscapedBytes.bytes(in: key), as: UTF8.self)
  }

  /// Returns the text of a value as the text journal writes it, from the value's plain order key. A
  /// Boolean value is written as 0 or 1.
  private func name(of key: RawSpan, _ type: ScalarType) -> String {
    switch type {
    case .bool, .uint8, .uint16, .uint32, .uint64, .int8, .int16, .int32, .int64:
      return name(ofWord: key.bigEndianWord, type)
    case .string, .url: return string(in: key)
    case .data: return Base64Text.text(of: EscapedBytes.bytes(in: key))
    case .uuid: return UUID(_row: key).map { UUIDText.text(of: $0) } ?? ""
    case .decimal: return decimalName(of: key)
    case .float, .double, .date:
      preconditionFailure("a \(type) cannot be named by its order key alone")
    }
  }

  /// Returns the name of a decimal by its `PackedDecimal.orderKey`: a power of ten, followed by 39
  /// digits.
  private func decimalName(of key: RawSpan) -> String {
    let head = key.extracting(0..<2).bigEndianWord
    if head == 0xFFFF { return "NaN" }
    if head == 0x8000 { return "0" }
    let isNegative = head < 0x8000
    let mask: UInt64 = isNegative ? .max : 0
    let pointOffset = Int((head ^ mask) & 0xFFFF) - 0x8100
    let upper = (key.extracting(2..<3).bigEndianWord ^ mask) & 0xFF
    let lower =
      UInt128(key.extracting(3..<11).bigEndianWord ^ mask) << 64
      | UInt128(key.extracting(11..<19).bigEndianWord ^ mask)
    // The number is below 10³⁹, so its quotient by 10³⁸ is its first digit.
    let power = SectionValue.tenToThe38
    let (first, rest) = power.dividingFullWidth((UInt128(upper), lower))
    let tail = rest.description.utf8.map { $0 - 48 }
    let digits = [UInt8(first)] + Array(repeating: 0, count: 38 - tail.count) + tail
    return LongDecimal(isNegative: isNegative, digits: digits, exponent: pointOffset - 39).text
  }

  private static let tenToThe38: UInt128 = 100_000_000_000_000_000_000_000_000_000_000_000_000
}
