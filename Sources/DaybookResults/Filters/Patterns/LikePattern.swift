/// The pattern of `LIKE`: `?` matches one scalar, and `*` matches any number of scalars. A
/// backslash before `*`, `?` or a second backslash makes that character literal.
///
/// The `*` characters divide a pattern into pieces. The first piece must match at the start of the
/// string, and the last piece at its end. For each piece between them, the first match after the
/// previous piece is used, because a later match is never better. So the searches for these pieces
/// together read each scalar of the string at most once:
///
/// - A piece without `?` is found by the Knuth-Morris-Pratt algorithm, in amortized constant time
///   for each scalar of the string.
/// - A piece with `?` is found by the shift-and algorithm. For each scalar of the string, it takes
///   one step for each 64 scalars of the piece.
package struct LikePattern: Sendable {
  /// The symbols of the first and of the last piece. A symbol is a scalar, or nil for `?`. A
  /// pattern without `*` has no last piece.
  private var first: [UInt32?] = []
  private var last: [UInt32?]?
  /// The searches for the pieces between the first and the last piece, in order. Empty pieces have
  /// no search.
  private var searches: [Search] = []

  /// The search for one piece: without gaps, or with gaps.
  private enum Search: Sendable {
    case scalars(SequenceSearch<UInt32>)
    case symbols(SymbolSearch)
  }

  package init(_ pattern: String, options: TextOptions) {
    var pieces: [[UInt32?]] = [[]]
    var literal = String.UnicodeScalarView()
    var scalars = Array(pattern.unicodeScalars)[...]
    func endLiteral() {
      let bytes = FoldedText.bytes(of: String(literal), options: options)
      pieces[pieces.count - 1] += String(decoding: bytes, as: UTF8.self).unicodeScalars.map {
        $0.value
      }
      literal = String.UnicodeScalarView()
    }
    while let scalar = scalars.popFirst() {
      switch scalar {
      case "\\":
        if let next = scalars.first, next == "*" || next == "?" || next == "\\" {
          literal.append(next)
          scalars.removeFirst()
        } else {
          literal.append(scalar)
        }
      case "*":
        endLiteral()
        pieces.append([])
      case "?":
        endLiteral()
        pieces[pieces.count - 1].append(nil)
      default: literal.append(scalar)
      }
    }
    endLiteral()
    first = pieces.removeFirst()
    last = pieces.popLast()
    for symbols in pieces where !symbols.isEmpty {
      let scalars = symbols.compactMap { $0 }
      searches.append(
        scalars.count == symbols.count
          ? .scalars(SequenceSearch(scalars)) : .symbols(SymbolSearch(symbols)))
    }
  }

  /// The number of words that the searches store: at most four for each scalar of the pattern.
  package var searchWordCount: Int {
    searches.reduce(0) { count, search in
      switch search {
      case .scalars(let search): count + 2 * search.pattern.count
      case .symbols(let search): count + search.wordCount
      }
    }
  }

  /// Returns whether a string matches. The caller has already folded the string by the options of
  /// the pattern.
  ///
  /// - Complexity: O(*n* + *m*) for a string of *n* and a pattern of *m* scalars; O(*n* · *m* / 64)
  ///   if a piece with `?` between two `*` has more than 64 scalars
  func matches(_ string: RawSpan) -> Bool {
    guard var offset = LikePattern.end(of: first, in: string, from: 0) else { return false }
    guard let last else { return offset == string.byteCount }
    guard let lastStart = LikePattern.start(ofLast: last.count, in: string), lastStart >= offset,
      LikePattern.end(of: last, in: string, from: lastStart) == string.byteCount
    else { return false }
    let middle = string.extracting(0..<lastStart)
    for search in searches {
      guard let end = LikePattern.firstEnd(of: search, in: middle, from: offset) else {
        return false
      }
      offset = end
    }
    return true
  }

  /// Returns the end of the symbols that start at an offset; nil if they do not match there.
  private static func end(of symbols: [UInt32?], in string: RawSpan, from start: Int) -> Int? {
    var offset = start
    for symbol in symbols {
      guard offset < string.byteCount else { return nil }
      let (scalar, next) = string.scalar(at: offset)
      guard symbol == nil || symbol == scalar else { return nil }
      offset = next
    }
    return offset
  }

  /// Returns the start of the last scalars of a string; nil if the string has fewer scalars.
  private static func start(ofLast count: Int, in string: RawSpan) -> Int? {
    var offset = string.byteCount
    for _ in 0..<count {
      guard offset > 0 else { return nil }
      repeat { offset -= 1 } while offset > 0 && string.continuesScalar(at: offset)
    }
    return offset
  }

  /// Returns the end of the first match at or after an offset; nil without a match.
  private static func firstEnd(of search: Search, in string: RawSpan, from start: Int) -> Int? {
    var offset = start
    switch search {
    case .scalars(let search):
      var matched = 0
      while offset < string.byteCount {
        let (scalar, next) = string.scalar(at: offset)
        matched = search.advance(matched, past: scalar)
        if matched == search.pattern.count { return next }
        offset = next
      }
    case .symbols(let search):
      var states = search.initialStates
      while offset < string.byteCount {
        let (scalar, next) = string.scalar(at: offset)
        if search.advance(&states, past: scalar) { return next }
        offset = next
      }
    }
    return nil
  }
}

/// A search for a sequence of scalars and gaps by the shift-and algorithm. A gap, which is a `?` of
/// the pattern, matches any one scalar.
///
/// Bit *i* of the states is set if the first *i* + 1 symbols of the sequence match the last *i* + 1
/// scalars that were read. The step for the next scalar shifts the states by one bit, and keeps
/// only the bits of the symbols that allow the scalar.
private struct SymbolSearch: Sendable {
  /// The indexes of the symbols that are equal to a scalar.
  ///
  /// A sequence of *m* symbols has *m* / 64 words of bits. A scalar that occurs in more symbols
  /// than that is stored as bits. At most 64 scalars can occur so frequently, so the memory for all
  /// bits is linear in *m*. A scalar that occurs in fewer symbols is stored as a list. A step with
  /// such a list takes no longer than a step with bits.
  private enum Indexes: Sendable {
    /// The bits of the indexes and of the gaps.
    case bits([UInt64])
    /// The indexes, in ascending order, without those of the gaps.
    case list([Int])
  }

  private let indexes: [UInt32: Indexes]
  /// The bits of the gaps.
  private let gaps: [UInt64]
  private let symbolCount: Int

  init(_ symbols: [UInt32?]) {
    symbolCount = symbols.count
    var gaps = [UInt64](repeating: 0, count: (symbols.count + 63) / 64)
    var lists: [UInt32: [Int]] = [:]
    for (index, symbol) in symbols.enumerated() {
      if let symbol {
        lists[symbol, default: []].append(index)
      } else {
        gaps[index / 64] |= 1 << UInt64(index % 64)
      }
    }
    indexes = lists.mapValues { list in
      guard list.count > gaps.count else { return .list(list) }
      var bits = gaps
      for index in list { bits[index / 64] |= 1 << UInt64(index % 64) }
      return .bits(bits)
    }
    self.gaps = gaps
  }

  /// The number of words that the search stores.
  var wordCount: Int {
    indexes.values.reduce(gaps.count) { count, indexes in
      switch indexes {
      case .bits(let bits): count + 1 + bits.count
      case .list(let list): count + 1 + list.count
      }
    }
  }

  var initialStates: [UInt64] { Array(repeating: 0, count: gaps.count) }

  /// Performs the step for a scalar, and returns whether the whole sequence matches and ends with
  /// this scalar.
  ///
  /// - Complexity: O(*m* / 64)
  func advance(_ states: inout [UInt64], past scalar: UInt32) -> Bool {
    var carry: UInt64 = 1
    func shift(_ word: Int, allowed: UInt64) {
      let next = states[word] >> 63
      states[word] = (states[word] << 1 | carry) & allowed
      carry = next
    }
    switch indexes[scalar] {
    case .bits(let bits):
      for word in states.indices { shift(word, allowed: bits[word]) }
    case .list(let list):
      var index = 0
      for word in states.indices {
        var allowed = gaps[word]
        while index < list.count, list[index] / 64 == word {
          allowed |= 1 << UInt64(list[index] % 64)
          index += 1
        }
        shift(word, allowed: allowed)
      }
    case nil:
      for word in states.indices { shift(word, allowed: gaps[word]) }
    }
    return states[(symbolCount - 1) / 64] & 1 << UInt64((symbolCount - 1) % 64) != 0
  }
}

extension RawSpan {
  /// Returns whether the byte at an offset of UTF-8 is not the first of its scalar.
  @inline(__always)
  fileprivate func continuesScalar(at offset: Int) -> Bool {
    (number(at: offset, as: UInt8.self) ?? 0) & 0xC0 == 0x80
  }

  /// Returns the scalar at an offset of UTF-8, and the offset of the next scalar. Invalid bytes are
  /// read one by one as U+FFFD.
  @inline(__always)
  func scalar(at offset: Int) -> (value: UInt32, end: Int) {
    func byte(_ index: Int) -> UInt32 {
      UInt32(number(at: offset &+ index, as: UInt8.self) ?? 0)
    }
    let first = byte(0)
    if first < 0x80 { return (first, offset + 1) }
    let length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    guard first >= 0xC0, offset + length <= byteCount else { return (0xFFFD, offset + 1) }
    switch length {
    case 2: return ((first & 0x1F) << 6 | byte(1) & 0x3F, offset + 2)
    case 3:
      return ((first & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | byte(2) & 0x3F, offset + 3)
    default:
      let upper = (first & 0x07) << 18 | (byte(1) & 0x3F) << 12
      return (upper | (byte(2) & 0x3F) << 6 | byte(3) & 0x3F, offset + 4)
    }
  }
}
