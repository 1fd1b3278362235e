/// A prefix code of DEFLATE (RFC 1951, section 3.2.2). The code lengths of the symbols define it.
///
/// The next bits of the input select an entry of a table, which decodes most codes. A longer code
/// is decoded bit by bit.
struct HuffmanCode {
  /// The number of bits of the longest code.
  static let lengthMax = 15
  private static let tableBitCount = 10

  /// The entry for each value of the next bits of the input: the symbol times 16, plus the length
  /// of its code. An entry is 0 if the code has more bits than an index of the table, or does not
  /// exist.
  private var table = [UInt16](repeating: 0, count: 1 << HuffmanCode.tableBitCount)
  /// The number of symbols with each length of code.
  private var counts = [Int](repeating: 0, count: HuffmanCode.lengthMax + 1)
  /// The symbols with a code, in the order of their codes.
  private var symbols: [UInt16] = []

  /// Creates the code in which symbol *i* has a code of `lengths[i]` bits, or none if that is 0.
  /// Returns nil if no code has these lengths.
  ///
  /// A code without symbols, or with one symbol, may be incomplete, because an encoder cannot avoid
  /// that. Every other code must be complete: each sequence of bits starts with a code.
  init?(_ lengths: some Collection<UInt8>) {
    for length in lengths {
      guard length <= HuffmanCode.lengthMax else { return nil }
      counts[Int(length)] += 1
    }
    let symbolCount = lengths.count - counts[0]
    counts[0] = 0
    var left = 1
    var starts = [0, 0]
    for length in 1...HuffmanCode.lengthMax {
      left = left * 2 - counts[length]
      guard left >= 0 else { return nil }
      starts.append(starts[length] + counts[length])
    }
    guard left == 0 || symbolCount == 0 || symbolCount == 1 && counts[1] == 1 else { return nil }
    symbols = [UInt16](repeating: 0, count: symbolCount)
    for (symbol, length) in lengths.enumerated() where length > 0 {
      symbols[starts[Int(length)]] = UInt16(symbol)
      starts[Int(length)] += 1
    }
    fillTable()
  }

  private mutating func fillTable() {
    var code = 0
    var symbolIndex = 0
    for length in 1...HuffmanCode.tableBitCount {
      for _ in 0..<counts[length] {
        // The input has the first bit of a code in its lowest bit.
        var reversed = 0
        for bit in 0..<length where code & 1 << bit != 0 { reversed |= 1 << (length - 1 - bit) }
        let entry = symbols[symbolIndex] << 4 | UInt16(length)
        for index in stride(from: reversed, to: table.count, by: 1 << length) {
          table[index] = entry
        }
        code += 1
        symbolIndex += 1
      }
      code <<= 1
    }
  }

  /// Returns the symbol whose code is at the start of the next bits, and the length of the code;
  /// nil if no symbol has such a code.
  ///
  /// - Parameter bits: The next bits; those after the end of the input are 0.
  func symbol(_ bits: UInt64) -> (symbol: Int, length: Int)? {
    let entry = table[Int(truncatingIfNeeded: bits) & (table.count - 1)]
    if entry != 0 { return (Int(entry >> 4), Int(entry & 15)) }
    var (code, first, symbolIndex) = (0, 0, 0)
    for length in 1...HuffmanCode.lengthMax {
      code |= Int(truncatingIfNeeded: bits >> UInt64(length - 1)) & 1
      if code - first < counts[length] { return (Int(symbols[symbolIndex + code - first]), length) }
      symbolIndex += counts[length]
      first = (first + counts[length]) << 1
      code <<= 1
    }
    return nil
  }
}
