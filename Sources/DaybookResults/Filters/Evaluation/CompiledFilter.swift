import DaybookJournal
import DaybookStore

/// A filter that is compiled for the rows of one entity, with the paths that it reads. A plan
/// contains it.
package struct CompiledFilter: Sendable {
  /// The entity of the rows that the filter matches.
  package let entity: Int
  /// The paths that the filter reads, in the order of the filter. Each path occurs once. A Swift
  /// predicate that is evaluated may also read every attribute of the row itself, but no other row.
  package let reads: [PathRead]
  /// Counts the evaluations of predicates; nil for a filter without predicates.
  let evaluations: EvaluationCounter?
  private let program: FilterProgram

  init(
    _ program: FilterProgram, entity: Int, reads: [PathRead],
    evaluations: EvaluationCounter? = nil
  ) {
    self.program = program
    self.entity = entity
    self.reads = reads
    self.evaluations = evaluations
  }

  /// The value of one attribute that every matching row has; nil if the filter requires no such
  /// value. A change of a record affects the result only if the record has this value before or
  /// after the change.
  var interest: NarrowInterest? { program.interest(in: entity) }

  /// The counted evaluations of predicates.
  package var statistics: ResultStatistics { evaluations?.statistics ?? ResultStatistics() }

  /// Returns whether a row matches.
  package func matches(_ row: RowLocation, in frozen: FrozenState) -> Bool {
    frozen.withRow(at: row) { matches($0, at: row, in: frozen) }
  }

  /// Returns whether a row matches, from its bytes.
  package func matches(_ bytes: RawSpan, at row: RowLocation, in frozen: FrozenState) -> Bool {
    guard let evaluations else {
      return program.matches(bytes, at: row, in: frozen, noting: nil)
    }
    let rowEvaluations = RowEvaluations()
    defer { evaluations.add(rowEvaluations) }
    return program.matches(bytes, at: row, in: frozen, noting: rowEvaluations)
  }
}

extension FilterProgram {
  /// Returns the value of one attribute that every matching row has; nil if none is known.
  fileprivate func interest(in entity: Int) -> NarrowInterest? {
    switch self {
    case .all(let parts):
      return parts.lazy.compactMap { $0.interest(in: entity) }.first
    case .key(let path, let type, let range, let isInside, let nilResult):
      guard range.lowerBound == range.upperBound, isInside, !nilResult else { return nil }
      return NarrowInterest(path.subject(of: entity, kind: 1), word: range.lowerBound) { row in
        OrderedKey.key(of: path, type: type, in: row).map { .word($0) } ?? .none
      }
    case .own(let attribute):
      guard let (equalBytes, isEqual) = attribute.test.stringEquality, isEqual,
        !attribute.test.nilResult
      else { return nil }
      let path = attribute.path
      return NarrowInterest(
        path.subject(of: entity, kind: 0), word: XXH64.checksum(equalBytes.span.bytes, seed: 0)
      ) { row in
        if path.isElsewhere(in: row) { return .unknown }
        return path.withBytes(in: row) { bytes in
          guard let bytes else { return .none }
          let word =
            FoldedText.isASCII(bytes)
            ? XXH64.checksum(bytes, seed: 0)
            : XXH64.checksum(NormalizedText.bytes(of: RowText.text(bytes)).span.bytes, seed: 0)
          return .word(word)
        }
      }
    case .constant, .any, .not, .test, .compare, .predicate: return nil
    }
  }
}
