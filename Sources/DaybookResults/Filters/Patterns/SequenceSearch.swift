import DaybookPlatform

/// A search for a pattern, which is a sequence of symbols, in a longer sequence, with the
/// Knuth-Morris-Pratt algorithm.
///
/// The search reads each symbol once and in order, so its time is linear for all sequences.
///
/// ```swift
/// var matched = 0
/// for symbol in text {
///   matched = search.advance(matched, past: symbol)
///   if matched == search.pattern.count { return true }
/// }
/// ```
struct SequenceSearch<Symbol: Equatable & Sendable>: Sendable {
  let pattern: [Symbol]
  /// For each prefix of the pattern, the length of its longest border: a shorter prefix that is
  /// also a suffix of it. For `abab` the border is `ab`, so its length is 2.
  private let borders: [Int]

  /// Prepares a search.
  ///
  /// - Precondition: The pattern is not empty.
  /// - Complexity: O(*m*)
  init(_ pattern: [Symbol]) {
    precondition(!pattern.isEmpty, "the pattern of a search is empty")
    var borders = [0]
    borders.reserveCapacity(pattern.count)
    var border = 0
    for symbol in pattern.dropFirst() {
      while border > 0, pattern[border] != symbol { border = borders[border - 1] }
      if pattern[border] == symbol { border += 1 }
      borders.append(border)
    }
    self.pattern = pattern
    self.borders = borders
  }

  /// Returns the number of matched symbols of the pattern after one more symbol.
  ///
  /// - Parameter matched: The number of matched symbols before this symbol. The number is less than
  ///   the length of the pattern.
  /// - Complexity: O(1) amortized over the symbols of a text
  @inline(__always)
  func advance(_ matched: Int, past symbol: Symbol) -> Int {
    var matched = matched
    while pattern[matched] != symbol {
      guard matched > 0 else { return 0 }
      matched = borders[matched - 1]
    }
    return matched + 1
  }
}

extension SequenceSearch<UInt8> {
  /// Returns whether a string contains the pattern.
  ///
  /// - Complexity: O(*n*)
  func isFound(in bytes: RawSpan) -> Bool {
    bytes.withUnsafeBytes { bytes in
      var offset = 0
      var matched = 0
      while bytes.count - offset >= pattern.count - matched {
        if matched == 0 {
          // Many strings do not contain the first byte of the pattern. The system searches for that
          // byte several bytes at a time, which is faster than this loop.
          guard let start = bytes.baseAddress,
            let found = Memory.firstAddress(
              of: pattern[0], in: start + offset, byteCount: bytes.count - offset)
          else { return false }
          offset = start.distance(to: found)
        }
        guard offset < bytes.count else { return false }
        matched = advance(matched, past: bytes[offset])
        if matched == pattern.count { return true }
        offset += 1
      }
      return false
    }
  }
}
