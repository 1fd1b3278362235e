import DaybookStore

extension ResultRequest {
  /// The columns that some names lead to.
  ///
  /// - Throws: ``RequestError``
  package func columns(
    _ paths: [[String]], in catalog: Catalog
  ) throws(RequestError) -> [ValueColumn] {
    let index = try entityIndex(catalog)
    return try paths.map { names throws(RequestError) in
      do throws(PathProblem) {
        return ValueColumn(try ValuePath(names, from: index, in: catalog), in: catalog)
      } catch { throw RequestError(error, names, catalog) }
    }
  }
}
