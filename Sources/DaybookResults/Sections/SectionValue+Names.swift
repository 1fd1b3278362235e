import DaybookStore
import DaybookEssentials

/// The names of sections, from what their rows have in common alone.
extension SectionValue {
  /// The name of the section of these bytes: none if there is no value.
  func name(of bytes: RawSpan) -> String {
    guard let marker = bytes.number(at: 0, as: UInt8.self), marker != 0 else { return "" }
    let rest = bytes.extracting(1..<bytes.byteCount)
    switch form {
    case .exact(let part):
      if let form = part.markedWord { return name(ofWord: form.word(of: bytes), part.type) }
      return name(of: rest, part.type)
    case .letter, .prefix: return text(in: rest)
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

  /// The name of an integer, or of a truth value, by its `OrderWord`.
  private func name(ofWord word: UInt64, _ type: ScalarType) -> String {
    switch type {
    case .int8, .int16, .int32, .int64:
      "\(Int128(word) - 1 << Int128(8 * (type.byteCount ?? 8) - 1))"
    default: "\(word)"
    }
  }

  private func text(in key: RawSpan) -> String {
    String(decoding: EscapedBytes.bytes(in: key), as: UTF8.self)
  }

  /// The text-journal form of a value whose order key is plain; of a truth value 0 or 1.
  private func name(of key: RawSpan, _ type: ScalarType) -> String {
    switch type {
    case .bool, .uint8, .uint16, .uint32, .uint64, .int8, .int16, .int32, .int64:
      return name(ofWord: key.bigEndianWord, type)
    case .string, .url: return text(in: key)
    case .data: return Base64Text.text(of: EscapedBytes.bytes(in: key))
    case .uuid: return UUID(row: key).map { UUIDText.text(of: $0) } ?? ""
    case .decimal: return decimalName(of: key)
    case .float, .double, .date: preconditionFailure("\(type) is not told by its order alone")
    }
  }

  /// The decimal of `PackedDecimal.orderKey`: 39 digits behind a power of ten.
  private func decimalName(of key: RawSpan) -> String {
    let head = key.extracting(0..<2).bigEndianWord
    if head == 0xFFFF { return "NaN" }
    if head == 0x8000 { return "0" }
    let isNegative = head < 0x8000
    let mask: UInt64 = isNegative ? .max : 0
    let place = Int((head ^ mask) & 0xFFFF) - 0x8100
    let upper = (key.extracting(2..<3).bigEndianWord ^ mask) & 0xFF
    let lower =
      UInt128(key.extracting(3..<11).bigEndianWord ^ mask) << 64
      | UInt128(key.extracting(11..<19).bigEndianWord ^ mask)
    // The number is below 10³⁹, so that the first digit is what 10³⁸ goes into it.
    let power = SectionValue.tenToThe38
    let (first, rest) = power.dividingFullWidth((UInt128(upper), lower))
    let tail = rest.description.utf8.map { $0 - 48 }
    let digits = [UInt8(first)] + Array(repeating: 0, count: 38 - tail.count) + tail
    return LongDecimal(isNegative: isNegative, digits: digits, exponent: place - 39).text
  }

  private static let tenToThe38: UInt128 = 100_000_000_000_000_000_000_000_000_000_000_000_000
}
