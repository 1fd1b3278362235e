import DaybookStore

/// A filter of groups: a condition on their keys and totals, as `HAVING` in SQL.
///
/// The condition is compiled like one on records, for an entity that has an attribute for the key
/// and for each total. A row of that entity is made of each group.
struct GroupFilter {
  /// The measures that the condition reads.
  let measures: [MeasureDefinition]
  private let filter: Filter

  private static let entity = "group"

  init(_ filter: Filter) {
    var measures: [MeasureDefinition] = []
    self.filter = filter.mappingOperands { operand in
      guard case .path(let names) = operand.content, let first = names.first,
        first.hasPrefix("@"), let function = TotalFunction(rawValue: String(first.dropFirst())),
        (function == .count) == (names.count == 1)
      else { return operand }
      let measure = MeasureDefinition(function, of: Array(names.dropFirst()))
      if !measures.contains(measure) { measures.append(measure) }
      var attribute = operand
      attribute.content = .path([GroupFilter.name(measure)])
      return attribute
    }
    self.measures = measures
  }

  private static func name(_ measure: MeasureDefinition) -> String {
    "@" + ([measure.function.rawValue] + measure.names).joined(separator: ".")
  }

  /// Returns the groups that satisfy the condition.
  ///
  /// - Parameters:
  ///   - keyType: The type of the keys; nil without keys.
  ///   - plan: The plan of the groups' measures. It contains those of the condition.
  func matches(
    in groups: [GroupResult], keyType: ScalarType?, plan: TotalPlan, state: FrozenState
  ) throws(FilterError) -> [GroupResult] {
    var attributes = keyType.map { [AttributeDefinition("key", type: .scalar($0))] } ?? []
    var indexes: [Int] = []
    for (index, measure) in plan.measures.enumerated() where measures.contains(measure) {
      let type = plan.type(ofMeasureAt: index)
      let name = GroupFilter.name(measure)
      if attributes.contains(where: { $0.name == name }) { continue }
      attributes.append(AttributeDefinition(name, type: .scalar(type)))
      indexes.append(index)
    }
    let layout = Layout(
      number: 0,
      of: EntityDefinition(GroupFilter.entity, identifiedBy: .int, attributes: attributes))
    var catalog = Catalog()
    _ = catalog.add(layout)
    let compiled = try filter.compiled(for: 0, in: catalog)
    var buffer = RowBuffer()
    return groups.filter { group in
      var values = keyType == nil ? [] : [group.key.plain]
      for (index, attribute) in zip(indexes, attributes.suffix(indexes.count)) {
        values.append(group.values[index].value(as: attribute.type))
      }
      buffer.removeAll()
      DynamicRecord(GroupFilter.entity, id: .int(0), values: values).append(layout, to: &buffer)
      return compiled.matches(
        buffer.room.span.bytes.extracting(0..<buffer.count), at: .none, in: state)
    }
  }
}

extension Filter {
  /// Returns the filter with other operands.
  fileprivate func mappingOperands(_ change: (FilterOperand) -> FilterOperand) -> Filter {
    switch tree {
    case .constant, .evaluated: return self
    case .not(let filter): return !filter.mappingOperands(change)
    case .all(let parts): return .all(of: parts.map { $0.mappingOperands(change) })
    case .any(let parts): return .any(of: parts.map { $0.mappingOperands(change) })
    case .comparison(var comparison):
      comparison.left = change(comparison.left)
      comparison.right = change(comparison.right)
      return Filter(comparison)
    }
  }
}

extension AttributeValue {
  /// The value, or the identifier in a reference.
  fileprivate var plain: AttributeValue {
    guard case .reference(let id) = self else { return self }
    return switch id {
    case .int(let number): .int(number)
    case .uint(let number): .uint(number)
    case .string(let string): .string(string)
    case .uuid(let uuid): .uuid(uuid)
    }
  }
}

extension TotalValue {
  /// Returns the total as a value of a type; null if it has no value, or if it overflows.
  fileprivate func value(as type: AttributeType) -> AttributeValue {
    guard case .integer(let number) = self, type == .scalar(.decimal) else {
      return attributeValue.plain
    }
    let magnitude = number.magnitude
    return .decimal(
      PackedDecimal(
        low: UInt64(truncatingIfNeeded: magnitude),
        high: UInt64(truncatingIfNeeded: magnitude >> 64),
        tail: number < 0 ? 384 : 128
      ).decimal)
  }
}

extension TotalPlan {
  /// Returns the type of the values of a measure. Sums of integers can have more than 64 bits, so
  /// they are compared as decimals.
  fileprivate func type(ofMeasureAt index: Int) -> ScalarType {
    guard let column = columnIndexes[index].map({ columns[$0] }) else { return .int64 }
    switch (measures[index].function, column.arithmetic) {
    case (.count, _), (.distinct, _): return .int64
    case (.minimum, _), (.maximum, _): return column.scalar
    case (_, .decimal), (.sum, .integer): return .decimal
    default: return .double
    }
  }
}
