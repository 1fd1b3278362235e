import DaybookResults
import DaybookStore

/// Which values of a list's rows are printed behind the identifier.
struct ListColumns {
  let entity: EntityDefinition
  /// What they are called.
  let names: [String]
  /// Where they stand.
  let values: [ValueColumn]

  /// - Parameters:
  ///   - text: What stands behind `--columns`; nil for all attributes.
  ///   - plan: What the request comes to.
  ///   - readsAlong: Whether, without a text, what the order and the sections read through references is
  ///     printed as well.
  init(
    _ text: String?, of request: ResultRequest, _ plan: ResultPlan, in catalog: Catalog,
    readsAlong: Bool = false
  ) throws(RequestError) {
    entity = catalog.newest(plan.entity).entity
    var paths = ListArguments.columns(text, entity)
    if text == nil, readsAlong {
      let read = request.sortKeys.map(\.names) + [request.sectioning?.names].compactMap { $0 }
      for path in read where path.count > 1 && !paths.contains(path) { paths.append(path) }
    }
    names = paths.map { $0.joined(separator: ".") }
    values = try request.columns(paths, in: catalog)
  }

  /// The type of a column, if it is one of the entity's own attributes.
  func type(at index: Int) -> AttributeType? {
    entity.index(of: names[index]).map { entity.attributes[$0].type }
  }
}
