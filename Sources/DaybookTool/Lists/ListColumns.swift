import DaybookResults
import DaybookStore

/// Which values of a list's rows are printed behind the identifier.
struct ListColumns {
  private let layout: Layout
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
    layout = catalog.newest(plan.entity)
    var paths = ListArguments.columns(text, layout.entity)
    if text == nil, readsAlong {
      let read = request.sortKeys.map(\.names) + [request.sectioning?.names].compactMap { $0 }
      for path in read where path.count > 1 && !paths.contains(path) { paths.append(path) }
    }
    names = paths.map { $0.joined(separator: ".") }
    values = try request.columns(paths, in: catalog)
  }

  var entity: EntityDefinition { layout.entity }

  /// The type of a column, if it is one of the entity's own attributes.
  func type(at index: Int) -> AttributeType? {
    layout.index(of: names[index]).map { layout.entity.attributes[$0].type }
  }
}
