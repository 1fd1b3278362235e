import DaybookStore

/// The words that a user searches for, and their comparison with strings.
///
/// The search and the strings are folded as with `[cd]`, and then cut into words by ``WordCutter``.
/// A string *matches* if each word of the search is the start of at least one of its words. A
/// search without words matches every string.
///
/// A word of the search has one *best word* in a string that matches: the first word that equals
/// it, or else the first word that starts with it. The best words decide the rank of the string.
package struct WordQuery: Hashable, Sendable {
  /// The bytes of all words, each word once, without separators.
  private let bytes: [UInt8]
  /// The end of each word in `bytes`.
  private let ends: [Int]

  /// The differences between strings that a search ignores.
  static let options: TextOptions = [.ignoringCase, .ignoringDiacritics]

  /// Creates the search for the words of a string.
  package init(_ string: String) {
    var known: Set<[UInt8]> = []
    var bytes: [UInt8] = []
    var ends: [Int] = []
    FoldedText.bytes(of: string, options: WordQuery.options).withUnsafeBytes { string in
      var cutter = WordCutter()
      while let word = cutter.next(in: string) {
        guard known.insert(Array(string[word])).inserted else { continue }
        bytes += string[word]
        ends.append(bytes.count)
      }
    }
    self.bytes = bytes
    self.ends = ends
  }

  /// The folded words, each once, in the order of the search.
  package var words: [[UInt8]] {
    ends.indices.map { Array(bytes[($0 == 0 ? 0 : ends[$0 - 1])..<ends[$0]]) }
  }

  /// A Boolean value that indicates whether the search has no words.
  var isEmpty: Bool { ends.isEmpty }

  /// The folded words, separated by spaces.
  var text: String { words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ") }

  /// Returns whether a folded string matches.
  ///
  /// - Complexity: O(bytes of the string, and its words times the words of the search)
  func matches(_ string: RawSpan) -> Bool {
    if ends.isEmpty { return true }
    return withUnsafeTemporaryAllocation(of: Bool.self, capacity: ends.count) { isFound in
      isFound.initialize(repeating: false)
      return string.withUnsafeBytes { string in
        var missingCount = ends.count
        var cutter = WordCutter()
        while let word = cutter.next(in: string) {
          forEachStart(of: string[word]) { index, _ in
            if !isFound[index] {
              isFound[index] = true
              missingCount -= 1
            }
          }
          if missingCount == 0 { return true }
        }
        return false
      }
    }
  }

  /// Calls a closure with each word of the search that a word of a string starts with.
  @inline(__always)
  private func forEachStart(
    of word: Slice<UnsafeRawBufferPointer>, _ body: (_ index: Int, _ isExact: Bool) -> Void
  ) {
    var start = 0
    for (index, end) in ends.enumerated() {
      let count = end - start
      if count <= word.count,
        (0..<count).allSatisfy({ bytes[start + $0] == word[word.startIndex + $0] })
      {
        body(index, count == word.count)
      }
      start = end
    }
  }
}

// MARK: Ranks

extension WordQuery {
  /// The rank of strings that do not match, and of missing strings. They are after all others.
  static let noMatch = UInt64.max

  /// Returns the rank of a folded string: a smaller number is a better match.
  ///
  /// ```
  /// 56   8 bits   the number of words of the search whose best word is longer than the word
  /// 32  24 bits   the sum of the indexes of the best words, from 0
  /// 0   32 bits   the number of scalars of the folded string
  /// ```
  ///
  /// Each part is its greatest value if it does not fit, but the first part is at most 254. All
  /// strings have the same rank for a search without words.
  ///
  /// - Parameter string: The folded string; nil for a missing one.
  /// - Complexity: O(bytes of the string, and its words times the words of the search)
  func rank(of string: RawSpan?) -> UInt64 {
    if ends.isEmpty { return 0 }
    guard let string else { return WordQuery.noMatch }
    return withUnsafeTemporaryAllocation(of: BestWord.self, capacity: ends.count) { best in
      best.initialize(repeating: BestWord(index: -1, isExact: false))
      return string.withUnsafeBytes { string in
        var cutter = WordCutter()
        var wordIndex = 0
        while let word = cutter.next(in: string) {
          forEachStart(of: string[word]) { index, isExact in
            if best[index].index < 0 || isExact && !best[index].isExact {
              best[index] = BestWord(index: wordIndex, isExact: isExact)
            }
          }
          wordIndex += 1
        }
        guard best.allSatisfy({ $0.index >= 0 }) else { return WordQuery.noMatch }
        let longerCount = min(254, best.count { !$0.isExact })
        let indexSum = min(0xFF_FFFF, best.reduce(0) { $0 + $1.index })
        let scalarCount = min(0xFFFF_FFFF, string.count { $0 & 0xC0 != 0x80 })
        return UInt64(longerCount) << 56 | UInt64(indexSum) << 32 | UInt64(scalarCount)
      }
    }
  }

  /// The best word of a string for one word of a search.
  private struct BestWord {
    /// The index among the words of the string, or -1.
    var index: Int
    /// A Boolean value that indicates whether the word equals the word of the search.
    var isExact: Bool
  }

  /// Returns an encoder of ranks: it appends the rank of a value in a row to a key, eight bytes in
  /// big-endian order.
  func encoder(isDescending: Bool) -> @Sendable (borrowing RawSpan?, inout RowBuffer) -> Void {
    let mask: UInt64 = isDescending ? .max : 0
    return { value, buffer in
      var number = self.rank(of: nil)
      if let value = copy value {
        number = FoldedText.withBytes(of: value, options: WordQuery.options) { self.rank(of: $0) }
      }
      buffer.append((number ^ mask).bigEndian)
    }
  }
}
