extension Layout {
  /// The required attributes that a row has no value for.
  func missing(in row: RawSpan, _ id: RecordIdentifier) -> [ValidationProblem] {
    guard hasNil(in: row) else { return [] }
    var problems: [ValidationProblem] = []
    for (index, attribute) in entity.attributes.enumerated()
    where attribute.isRequired && range(of: index, in: row) == nil {
      problems.append(
        ValidationProblem(entity: entity.name, id: id, kind: .required(attribute: attribute.name)))
    }
    return problems
  }

  /// Whether an attribute has no value in a row.
  private func hasNil(in row: RawSpan) -> Bool {
    for offset in nilBitsOffset..<fixedOffset where row.number(at: offset, as: UInt8.self) != 0 {
      return true
    }
    return false
  }
}
