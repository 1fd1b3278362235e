/// The pattern of `LIKE`: `?` is any one scalar, `*` any run of them, and a backslash before `*`, `?` or
/// a backslash takes the following character literally.
///
/// The `*` characters divide a pattern into pieces. The first piece must match at the beginning of the
/// text and the last at its end. Each piece between them takes its first match, as a later match is never
/// better. So the searches for these pieces together read each scalar of the text at most once:
///
/// - A piece without `?` is found by the Knuth-Morris-Pratt algorithm, in amortized constant time for each
///   scalar of the text.
/// - A piece with `?` is found by the shift-and algorithm, whose time for each scalar of the text is one
///   step for each 64 scalars of the piece.
package struct LikePattern: Sendable {
  /// The symbols of the first and of the last piece; nil is any scalar. There is no last piece in a
  /// pattern without a run.
  private var first: [UInt32?] = []
  private var last: [UInt32?]?
  /// The searches for the pieces between, in order, without those for empty pieces.
  private var searches: [Search] = []

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

  /// Returns whether a text in the form of the pattern's options matches.
  ///
  /// - Complexity: O(*n* + *m*) for a text of *n* and a pattern of *m* scalars; O(*n* · *m* / 64) where
  ///   a piece with `?` between two runs has more than 64 scalars
  func matches(_ text: RawSpan) -> Bool {
    guard var place = LikePattern.end(of: first, in: text, from: 0) else { return false }
    guard let last else { return place == text.byteCount }
    guard let lastStart = LikePattern.start(ofLast: last.count, in: text), lastStart >= place,
      LikePattern.end(of: last, in: text, from: lastStart) == text.byteCount
    else { return false }
    let middle = text.extracting(0..<lastStart)
    for search in searches {
      guard let end = LikePattern.firstEnd(of: search, in: middle, from: place) else {
        return false
      }
      place = end
    }
    return true
  }

  /// Returns the end of the symbols that begin at a place; nil if they do not match there.
  private static func end(of symbols: [UInt32?], in text: RawSpan, from start: Int) -> Int? {
    var place = start
    for symbol in symbols {
      guard place < text.byteCount else { return nil }
      let (scalar, next) = text.scalar(at: place)
      guard symbol == nil || symbol == scalar else { return nil }
      place = next
    }
    return place
  }

  /// Returns the beginning of the last scalars of a text; nil if it has fewer.
  private static func start(ofLast count: Int, in text: RawSpan) -> Int? {
    var place = text.byteCount
    for _ in 0..<count {
      guard place > 0 else { return nil }
      repeat { place -= 1 } while place > 0 && text.continuesScalar(at: place)
    }
    return place
  }

  /// Returns the end of the first match at or after a place; nil if there is none.
  private static func firstEnd(of search: Search, in text: RawSpan, from start: Int) -> Int? {
    var place = start
    switch search {
    case .scalars(let search):
      var matched = 0
      while place < text.byteCount {
        let (scalar, next) = text.scalar(at: place)
        matched = search.advance(matched, past: scalar)
        if matched == search.pattern.count { return next }
        place = next
      }
    case .symbols(let search):
      var states = search.initialStates
      while place < text.byteCount {
        let (scalar, next) = text.scalar(at: place)
        if search.advance(&states, past: scalar) { return next }
        place = next
      }
    }
    return nil
  }
}

/// Searches for a sequence with gaps of one scalar by the shift-and algorithm.
///
/// Bit *i* of the states is set while the first *i* + 1 symbols match the scalars that were read last. A
/// step for one scalar shifts the states by one and keeps the bits of the places at which the scalar may
/// be.
private struct SymbolSearch: Sendable {
  /// The places at which a scalar may be, besides those of the gaps.
  ///
  /// A word for each 64 symbols is stored only for scalars at more places than there are such words, which
  /// are at most 64. So the memory of all scalars together is linear in the number of symbols, and so many
  /// places take no longer than the words.
  private enum Places: Sendable {
    case bits([UInt64])
    /// In ascending order.
    case list([Int])
  }

  private let places: [UInt32: Places]
  /// The bits of the gaps.
  private let gaps: [UInt64]
  private let symbolCount: Int

  init(_ symbols: [UInt32?]) {
    symbolCount = symbols.count
    var gaps = [UInt64](repeating: 0, count: (symbols.count + 63) / 64)
    var lists: [UInt32: [Int]] = [:]
    for (place, symbol) in symbols.enumerated() {
      if let symbol {
        lists[symbol, default: []].append(place)
      } else {
        gaps[place / 64] |= 1 << UInt64(place % 64)
      }
    }
    places = lists.mapValues { list in
      guard list.count > gaps.count else { return .list(list) }
      var bits = gaps
      for place in list { bits[place / 64] |= 1 << UInt64(place % 64) }
      return .bits(bits)
    }
    self.gaps = gaps
  }

  /// The number of words that the search stores.
  var wordCount: Int {
    places.values.reduce(gaps.count) { count, places in
      switch places {
      case .bits(let bits): count + 1 + bits.count
      case .list(let list): count + 1 + list.count
      }
    }
  }

  var initialStates: [UInt64] { Array(repeating: 0, count: gaps.count) }

  /// Moves past a scalar, and returns whether the whole sequence matches with it as the last.
  ///
  /// - Complexity: O(*m* / 64)
  func advance(_ states: inout [UInt64], past scalar: UInt32) -> Bool {
    var carry: UInt64 = 1
    func shift(_ word: Int, allowed: UInt64) {
      let next = states[word] >> 63
      states[word] = (states[word] << 1 | carry) & allowed
      carry = next
    }
    switch places[scalar] {
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
  /// Returns whether the byte at a place of UTF-8 is not the first of its scalar.
  @inline(__always)
  fileprivate func continuesScalar(at place: Int) -> Bool {
    (number(at: place, as: UInt8.self) ?? 0) & 0xC0 == 0x80
  }

  /// The scalar at a place of UTF-8, and the place of the next. Other bytes are read one by one as
  /// U+FFFD.
  @inline(__always)
  func scalar(at place: Int) -> (value: UInt32, end: Int) {
    func byte(_ offset: Int) -> UInt32 {
      UInt32(number(at: place &+ offset, as: UInt8.self) ?? 0)
    }
    let first = byte(0)
    if first < 0x80 { return (first, place + 1) }
    let length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    guard first >= 0xC0, place + length <= byteCount else { return (0xFFFD, place + 1) }
    switch length {
    case 2: return ((first & 0x1F) << 6 | byte(1) & 0x3F, place + 2)
    case 3:
      return ((first & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | byte(2) & 0x3F, place + 3)
    default:
      let upper = (first & 0x07) << 18 | (byte(1) & 0x3F) << 12
      return (upper | (byte(2) & 0x3F) << 6 | byte(3) & 0x3F, place + 4)
    }
  }
}
