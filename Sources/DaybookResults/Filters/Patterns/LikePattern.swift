/// The pattern of `LIKE`: `?` is any one scalar, `*` any run of them, `\*`, `\?` and `\\` are what
/// follows the backslash.
///
/// The `*` characters divide a pattern into pieces. The first piece must match at the beginning of the text and the
/// last at its end. Each other piece takes its first match, as a later match is never better. The search
/// for a piece without `?` is the Knuth-Morris-Pratt algorithm, and for a piece with `?` the shift-and
/// algorithm. Both read each scalar of the text once.
package struct LikePattern: Sendable {
  /// The pieces, at least one; there is a run between two of them.
  private var pieces: [Piece] = []

  package init(_ pattern: String, _ options: TextOptions) {
    var symbols: [UInt32?] = []
    var literal = String.UnicodeScalarView()
    var scalars = Array(pattern.unicodeScalars)[...]
    func endLiteral() {
      let bytes = FoldedText.comparable(String(literal), options)
      symbols += String(decoding: bytes, as: UTF8.self).unicodeScalars.map { $0.value }
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
        pieces.append(Piece(symbols))
        symbols = []
      case "?":
        endLiteral()
        symbols.append(nil)
      default: literal.append(scalar)
      }
    }
    endLiteral()
    pieces.append(Piece(symbols))
  }

  /// Returns whether a text in the form of the pattern's options matches.
  ///
  /// - Complexity: O(*n* + *m*) for a text of *n* and a pattern of *m* scalars; O(*n* · *m* / 64) where
  ///   a piece with `?` between two runs has more than 64 scalars
  func matches(_ text: RawSpan) -> Bool {
    let (first, last) = (pieces[0], pieces[pieces.count - 1])
    guard var place = first.end(in: text, from: 0) else { return false }
    if pieces.count == 1 { return place == text.byteCount }
    guard let lastStart = LikePattern.start(ofLast: last.symbols.count, in: text),
      lastStart >= place, last.end(in: text, from: lastStart) == text.byteCount
    else { return false }
    let middle = text.extracting(0..<lastStart)
    for piece in pieces[1..<pieces.count - 1] {
      guard let end = piece.firstEnd(in: middle, from: place) else { return false }
      place = end
    }
    return true
  }

  /// Returns where the last scalars of a text begin; nil if it has fewer.
  private static func start(ofLast count: Int, in text: RawSpan) -> Int? {
    var (place, scalarCount) = (0, 0)
    while place < text.byteCount {
      place = text.scalar(at: place).end
      scalarCount += 1
    }
    guard scalarCount >= count else { return nil }
    place = 0
    for _ in 0..<scalarCount - count { place = text.scalar(at: place).end }
    return place
  }
}

extension LikePattern {
  /// What a pattern has between two runs.
  private struct Piece: Sendable {
    /// The scalars; nil is any.
    let symbols: [UInt32?]
    private let search: Search

    private enum Search: Sendable {
      case none
      case scalars(SequenceSearch<UInt32>)
      case bits(BitSearch)
    }

    init(_ symbols: [UInt32?]) {
      self.symbols = symbols
      let scalars = symbols.compactMap { $0 }
      search =
        if symbols.isEmpty {
          .none
        } else if scalars.count == symbols.count {
          .scalars(SequenceSearch(scalars))
        } else {
          .bits(BitSearch(symbols))
        }
    }

    /// Returns where the piece ends that begins at a place; nil if it does not match there.
    func end(in text: RawSpan, from start: Int) -> Int? {
      var place = start
      for symbol in symbols {
        guard place < text.byteCount else { return nil }
        let (scalar, next) = text.scalar(at: place)
        guard symbol == nil || symbol == scalar else { return nil }
        place = next
      }
      return place
    }

    /// Returns where the piece ends that begins first from a place on; nil if it is nowhere.
    func firstEnd(in text: RawSpan, from start: Int) -> Int? {
      var place = start
      switch search {
      case .none: return start
      case .scalars(let search):
        var matched = 0
        while place < text.byteCount {
          let (scalar, next) = text.scalar(at: place)
          matched = search.advance(matched, past: scalar)
          if matched == symbols.count { return next }
          place = next
        }
      case .bits(let search):
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

  /// Searches for a sequence with gaps of one scalar: the shift-and algorithm. Bit *i* of the states is
  /// set while the first *i* + 1 symbols match the scalars that were read last.
  private struct BitSearch: Sendable {
    /// For each scalar of the sequence the positions at which it matches.
    private let positions: [UInt32: [UInt64]]
    /// The positions at which any scalar matches.
    private let anyPositions: [UInt64]
    private let count: Int

    init(_ symbols: [UInt32?]) {
      count = symbols.count
      var anyPositions = [UInt64](repeating: 0, count: (symbols.count + 63) / 64)
      for (index, symbol) in symbols.enumerated() where symbol == nil {
        anyPositions[index / 64] |= 1 << UInt64(index % 64)
      }
      var positions: [UInt32: [UInt64]] = [:]
      for (index, symbol) in symbols.enumerated() {
        guard let symbol else { continue }
        positions[symbol, default: anyPositions][index / 64] |= 1 << UInt64(index % 64)
      }
      self.positions = positions
      self.anyPositions = anyPositions
    }

    var initialStates: [UInt64] { Array(repeating: 0, count: anyPositions.count) }

    /// Goes past a scalar, and returns whether the whole sequence matches with it as the last.
    func advance(_ states: inout [UInt64], past scalar: UInt32) -> Bool {
      let allowed = positions[scalar] ?? anyPositions
      var carry: UInt64 = 1
      for word in states.indices {
        let next = states[word] >> 63
        states[word] = (states[word] << 1 | carry) & allowed[word]
        carry = next
      }
      return states[(count - 1) / 64] & 1 << UInt64((count - 1) % 64) != 0
    }
  }
}

extension RawSpan {
  /// The scalar at a place of UTF-8, and where the next one begins. What is no UTF-8 is read
  /// somehow, byte by byte.
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
