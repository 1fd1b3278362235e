import DaybookJournal
import DaybookStore

/// A condition that only records with one value of one attribute fulfil.
enum FilterNarrowing {
  case text(AttributePath, [UInt8])
  case key(AttributePath, ScalarType, UInt64)

  /// What has to change for such records to come or go.
  func interest(in entity: Int) -> NarrowInterest {
    switch self {
    case .text(let path, let text):
      return NarrowInterest(
        path.subject(of: entity, kind: 0), word: XXH64.check(text.span.bytes, seed: 0)
      ) { row in
        if path.isElsewhere(in: row) { return .unknown }
        return path.withBytes(in: row) { bytes in
          guard let bytes else { return .none }
          let word =
            FoldedText.isASCII(bytes)
            ? XXH64.check(bytes, seed: 0)
            : XXH64.check(NormalizedText.bytes(of: RowText.text(bytes)).span.bytes, seed: 0)
          return .word(word)
        }
      }
    case .key(let path, let type, let key):
      return NarrowInterest(path.subject(of: entity, kind: 1), word: key) { row in
        OrderedKey.key(of: path, type, in: row).map { .word($0) } ?? .none
      }
    }
  }
}

extension FilterCheck {
  /// A condition of one value that everything that matches fulfils; nil if there is none that is known.
  var narrowing: FilterNarrowing? {
    switch self {
    case .equalText(let check): check.narrowing
    case .key(let check): check.narrowing
    case .all(let checks): checks.lazy.compactMap(\.narrowing).first
    case .constant, .any, .not, .own, .value, .members, .count, .pair, .predicate: nil
    }
  }
}

extension KeyCheck {
  fileprivate var narrowing: FilterNarrowing? {
    low == high && isInside && !nilAnswer ? .key(path, type, low) : nil
  }
}
