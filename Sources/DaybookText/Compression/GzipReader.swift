import DaybookJournal

/// A decoder of gzip (RFC 1952) with the method DEFLATE (RFC 1951), which decodes as much as its
/// caller requests.
///
/// The decoder needs a fixed amount of memory: a buffer for the input, and the window of the last
/// 32 KiB of output. So a small file that expands to terabytes needs no more memory than others.
/// The checksum and the length of each member are checked at its end. Bytes that are not valid gzip
/// lead to an error, and never to a trap.
struct GzipReader {
  /// The first two bytes of a gzip file.
  static let magic: [UInt8] = [0x1F, 0x8B]

  private enum State {
    case memberStart
    case blockStart
    /// In a block without compression, with this number of bytes left.
    case stored(Int)
    case codes
    case memberEnd
    case end
  }

  private var input: BitReader
  private var state = State.memberStart
  private var isLastBlock = false
  private var literals = GzipReader.fixedLiterals
  private var distances = GzipReader.fixedDistances
  /// The number of bytes that are still to be copied from earlier output, and their distance from
  /// the end of the output.
  private var copy = (length: 0, distance: 0)
  /// The last bytes of the output. Byte *n* of the output is at *n* modulo the size of the window.
  private var window = [UInt8](repeating: 0, count: GzipReader.windowByteCount)
  private var checksum = CRC32()
  private var writtenByteCount: UInt64 = 0
  private var hasMember = false

  private static let windowByteCount = 32 << 10

  init(_ source: @escaping LineReader.Source) { input = BitReader(source) }

  /// Decodes the next bytes into a part of memory.
  ///
  /// - Returns: The number of decoded bytes; 0 only at the end.
  mutating func read(into memory: UnsafeMutableRawBufferPointer) throws(GzipError) -> Int {
    var count = 0
    while count < memory.count {
      switch state {
      case .memberStart: try startMember()
      case .blockStart: try startBlock()
      case .stored(0): endBlock()
      case .stored(let left):
        emit(UInt8(truncatingIfNeeded: try input.take(8)), at: &count, in: memory)
        state = .stored(left - 1)
      case .codes: try decode(&count, in: memory)
      case .memberEnd: try endMember()
      case .end: return count
      }
    }
    return count
  }

  private mutating func emit(
    _ byte: UInt8, at count: inout Int, in memory: UnsafeMutableRawBufferPointer
  ) {
    memory[count] = byte
    count += 1
    window[Int(truncatingIfNeeded: writtenByteCount) & (GzipReader.windowByteCount - 1)] = byte
    writtenByteCount += 1
    checksum.add(byte)
  }

  // MARK: Members

  /// Reads the header of a member, or the end of the file.
  private mutating func startMember() throws(GzipError) {
    if hasMember, try input.isEmpty() {
      state = .end
      return
    }
    hasMember = true
    var header = CRC32()
    func byte(_ input: inout BitReader) throws(GzipError) -> UInt8 {
      let byte = UInt8(truncatingIfNeeded: try input.take(8))
      header.add(byte)
      return byte
    }
    for expected in GzipReader.magic {
      guard try byte(&input) == expected else {
        throw input.damaged("the header of a member is missing")
      }
    }
    guard try byte(&input) == 8 else { throw input.damaged("unknown method of compression") }
    let flags = try byte(&input)
    guard flags & 0xE0 == 0 else { throw input.damaged("unknown flags") }
    for _ in 0..<6 { _ = try byte(&input) }
    if flags & 4 != 0 {
      let length = Int(try byte(&input)) | Int(try byte(&input)) << 8
      for _ in 0..<length { _ = try byte(&input) }
    }
    // The name and the comment end with a zero byte.
    for flag: UInt8 in [8, 16] where flags & flag != 0 {
      while try byte(&input) != 0 {}
    }
    if flags & 2 != 0 {
      let expected = header.value & 0xFFFF
      guard UInt32(try input.take(16)) == expected else {
        throw input.damaged("the checksum of the header is wrong")
      }
    }
    checksum = CRC32()
    writtenByteCount = 0
    isLastBlock = false
    state = .blockStart
  }

  private mutating func endMember() throws(GzipError) {
    try input.alignToByte()
    guard UInt32(try input.take(32)) == checksum.value else {
      throw input.damaged("the checksum is wrong")
    }
    guard UInt32(try input.take(32)) == UInt32(truncatingIfNeeded: writtenByteCount) else {
      throw input.damaged("the length is wrong")
    }
    state = .memberStart
  }

  // MARK: Blocks

  private mutating func startBlock() throws(GzipError) {
    isLastBlock = try input.take(1) == 1
    switch try input.take(2) {
    case 0:
      try input.alignToByte()
      let length = try input.take(16)
      guard try input.take(16) == length ^ 0xFFFF else {
        throw input.damaged("the length of a block is wrong")
      }
      state = .stored(length)
    case 1:
      (literals, distances) = (GzipReader.fixedLiterals, GzipReader.fixedDistances)
      state = .codes
    case 2:
      try readCodes()
      state = .codes
    default: throw input.damaged("unknown kind of block")
    }
  }

  private mutating func endBlock() { state = isLastBlock ? .memberEnd : .blockStart }

  /// Decodes symbols until the memory is full or the block ends.
  private mutating func decode(
    _ count: inout Int, in memory: UnsafeMutableRawBufferPointer
  ) throws(GzipError) {
    while count < memory.count {
      if copy.length > 0 {
        let index = Int(truncatingIfNeeded: writtenByteCount) - copy.distance
        emit(window[index & (GzipReader.windowByteCount - 1)], at: &count, in: memory)
        copy.length -= 1
        continue
      }
      let symbol = try input.symbol(literals)
      if symbol < 256 {
        emit(UInt8(symbol), at: &count, in: memory)
      } else if symbol == GzipReader.endOfBlock {
        return endBlock()
      } else {
        try startCopy(symbol)
      }
    }
  }

  /// Reads the rest of the length and the distance of a copy.
  private mutating func startCopy(_ symbol: Int) throws(GzipError) {
    let index = symbol - 257
    guard index < GzipReader.lengths.count else { throw input.damaged("unknown length") }
    let length = GzipReader.lengths[index]
    let byteCount = length.base + (try input.take(length.bitCount))
    let distanceSymbol = try input.symbol(distances)
    guard distanceSymbol < GzipReader.distanceRanges.count else {
      throw input.damaged("unknown distance")
    }
    let range = GzipReader.distanceRanges[distanceSymbol]
    let distance = range.base + (try input.take(range.bitCount))
    guard UInt64(distance) <= writtenByteCount else {
      throw input.damaged("a distance leads before the start")
    }
    copy = (byteCount, distance)
  }

  /// Reads the two codes of a block.
  private mutating func readCodes() throws(GzipError) {
    let literalCount = try input.take(5) + 257
    let distanceCount = try input.take(5) + 1
    let lengthCount = try input.take(4) + 4
    guard literalCount <= 286, distanceCount <= 30 else { throw input.damaged("too many codes") }
    var lengths = [UInt8](repeating: 0, count: GzipReader.lengthOrder.count)
    for index in GzipReader.lengthOrder.prefix(lengthCount) {
      lengths[index] = UInt8(try input.take(3))
    }
    guard let code = HuffmanCode(lengths) else { throw input.damaged("invalid code") }
    lengths = []
    while lengths.count < literalCount + distanceCount {
      let symbol = try input.symbol(code)
      let (value, repeatCount): (UInt8, Int)
      switch symbol {
      case 16:
        guard let last = lengths.last else { throw input.damaged("invalid code") }
        (value, repeatCount) = (last, try input.take(2) + 3)
      case 17: (value, repeatCount) = (0, try input.take(3) + 3)
      case 18: (value, repeatCount) = (0, try input.take(7) + 11)
      default: (value, repeatCount) = (UInt8(symbol), 1)
      }
      for _ in 0..<repeatCount { lengths.append(value) }
    }
    guard lengths.count == literalCount + distanceCount, lengths[GzipReader.endOfBlock] > 0,
      let literals = HuffmanCode(lengths.prefix(literalCount)),
      let distances = HuffmanCode(lengths.dropFirst(literalCount))
    else { throw input.damaged("invalid code") }
    (self.literals, self.distances) = (literals, distances)
  }

  // MARK: Constants of RFC 1951

  private static let endOfBlock = 256
  /// The order in which a block lists the lengths of the code that encodes lengths.
  private static let lengthOrder = [
    16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
  ]

  /// A range of numbers: the first one, and the number of bits that select one of them.
  private typealias NumberRange = (base: Int, bitCount: Int)

  /// The copy lengths that the symbols from 257 on represent.
  private static let lengths: [NumberRange] =
    (0..<28).map { index in
      let bitCount = max(0, index / 4 - 1)
      return (index < 8 ? index + 3 : (4 + index % 4) << bitCount + 3, bitCount)
    } + [(258, 0)]

  private static let distanceRanges: [NumberRange] = (0..<30).map { index in
    let bitCount = max(0, index / 2 - 1)
    return (index < 4 ? index + 1 : (2 + index % 2) << bitCount + 1, bitCount)
  }

  private static let fixedLiterals = fixed(
    [(8, 144), (9, 112), (7, 24), (8, 8)])
  private static let fixedDistances = fixed([(5, 32)])

  private static func fixed(_ runs: [(length: UInt8, count: Int)]) -> HuffmanCode {
    let lengths = runs.flatMap { [UInt8](repeating: $0.length, count: $0.count) }
    guard let code = HuffmanCode(lengths) else { preconditionFailure("the fixed code is invalid") }
    return code
  }
}

/// The checksum of gzip: CRC-32 with the polynomial 0xEDB88320.
struct CRC32 {
  private var state = UInt32.max

  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { value, _ in
      value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1
    }
  }

  var value: UInt32 { ~state }

  mutating func add(_ byte: UInt8) {
    state = state >> 8 ^ CRC32.table[Int((state ^ UInt32(byte)) & 0xFF)]
  }
}
