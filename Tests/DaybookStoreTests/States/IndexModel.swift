import DaybookStore
import Testing

/// The source of a reference: an attribute of a record in a slot.
struct Referrer: Hashable, Comparable {
  var entity: Int
  var slot: UInt32
  var attribute: Int

  static func < (one: Referrer, other: Referrer) -> Bool {
    (one.entity, one.slot, one.attribute) < (other.entity, other.slot, other.attribute)
  }
}

/// The values of a unique list that records of an entity share.
struct UniqueValues: Hashable {
  var entity: Int
  var list: Int
  var values: [AttributeValue]
}

struct Target: Hashable {
  var entity: String
  var id: RecordIdentifier
}

/// The expected contents of the indexes of a state, computed by decoding every row.
struct IndexModel {
  private(set) var referrers: [Target: [Referrer]] = [:]
  private(set) var sameValues: [UniqueValues: [UInt32]] = [:]
  /// The number of pairs in the index of references.
  private(set) var referenceCount = 0
  /// The number of pairs in the index of unique values.
  private(set) var uniqueCount = 0

  init(_ state: FrozenState) {
    for entity in state.catalog.names.indices { add(entity, state) }
    for target in referrers.keys { referrers[target]?.sort() }
  }

  private mutating func add(_ entity: Int, _ state: FrozenState) {
    let history = state.catalog.history[entity]
    let definition = state.catalog.newest(entity).entity
    state.state.tables[entity].forEach(in: state.space) { slot, location, _ in
      state.memory.withCompleteRow(at: location, layouts: state.catalog.layouts) { row in
        guard let record = DynamicRecord(row, history: history),
          let layout = history.first(where: { $0.number == Layout.number(of: row) }),
          let stored = DynamicRecord(row, history: [layout])
        else {
          Issue.record("slot \(slot) of \(definition.name) has no row")
          return
        }
        for (index, attribute) in definition.attributes.enumerated() {
          for target in Set(targets(attribute, record.values[index])) {
            referrers[target, default: []].append(
              Referrer(entity: entity, slot: slot, attribute: index))
          }
        }
        // The layout of the stored row decides its indexed references.
        var all: Set<Target> = []
        for (attribute, value) in zip(layout.entity.attributes, stored.values) {
          all.formUnion(targets(attribute, value))
        }
        referenceCount += all.count
        for (list, names) in definition.unique.enumerated() {
          let values = names.compactMap { definition.index(of: $0).map { record.values[$0] } }
          if values.contains(where: \.isNull) { continue }
          sameValues[UniqueValues(entity: entity, list: list, values: values), default: []]
            .append(slot)
          uniqueCount += 1
        }
      }
    }
  }

  private func targets(_ attribute: AttributeDefinition, _ value: AttributeValue) -> [Target] {
    guard let target = attribute.type.target else { return [] }
    let values: [AttributeValue]
    if case .array(let several) = value { values = several } else { values = [value] }
    return values.compactMap {
      guard case .reference(let id) = $0 else { return nil }
      return Target(entity: target.entity, id: id)
    }
  }
}

/// Checks that the indexes of a state agree with a scan of all rows: for every referenced record,
/// some others, and every record with unique values.
func expectIndexes(
  of state: FrozenState, mayReferTo ids: [Target],
  sourceLocation: SourceLocation = #_sourceLocation
) {
  let model = IndexModel(state)
  for target in Set(ids).union(model.referrers.keys) {
    guard let entity = state.catalog.index(of: target.entity) else { continue }
    #expect(
      referrers(of: target, entity, state) == model.referrers[target] ?? [], "\(target)",
      sourceLocation: sourceLocation)
  }
  #expect(
    state.state.references.count == model.referenceCount, sourceLocation: sourceLocation)
  for (values, slots) in model.sameValues {
    for slot in slots.prefix(2) {
      let location = state.reader.row(inSlot: slot, of: values.entity).location
      let found = state.memory.withCompleteRow(at: location, layouts: state.catalog.layouts) {
        state.reader.slots(withSameValuesAs: $0, of: values.entity, list: values.list)
      }
      #expect(found == slots, "\(values)", sourceLocation: sourceLocation)
    }
  }
  #expect(state.state.unique.count == model.uniqueCount, sourceLocation: sourceLocation)
  state.state.references.tree.checkInvariants(in: state.space)
  state.state.unique.tree.checkInvariants(in: state.space)
}

func referrers(of target: Target, _ entity: Int, _ state: FrozenState) -> [Referrer] {
  var found: [Referrer] = []
  state.reader.forEachReferrer(of: EntityKey(entity, id: target.id)) { entity, attribute, slot in
    found.append(Referrer(entity: entity, slot: slot, attribute: attribute))
  }
  return found.sorted()
}
