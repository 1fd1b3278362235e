import DaybookStore

extension ListRequest {
  /// Returns the plan of some measures of the request's records.
  ///
  /// - Parameter isLive: A Boolean value that indicates whether a list will keep the totals up to
  ///   date.
  package func totalPlan(
    _ measures: [Measure<R>], isLive: Bool, in catalog: Catalog
  ) throws(RequestError) -> TotalPlan {
    let entity = try entityIndex(in: catalog)
    var columns: [TotalColumn] = []
    var columnIndexes: [Int?] = []
    for measure in measures.map(\.definition) {
      if measure.function == .count {
        columnIndexes.append(nil)
        continue
      }
      if isLive, measure.function == .distinct {
        throw RequestError(
          .total(
            measure: measure.name,
            problem: "a list cannot keep the number of different values; use aggregate."))
      }
      let known = columns.firstIndex { $0.path.names == measure.names }
      if known == nil { columns.append(try column(of: measure, from: entity, in: catalog)) }
      let columnIndex = known ?? columns.count - 1
      do throws(TotalProblem) { try columns[columnIndex].serve(measure.function) } catch {
        throw RequestError(.total(measure: measure.name, problem: error.description))
      }
      columnIndexes.append(columnIndex)
    }
    return TotalPlan(
      measures: measures.map(\.definition), columns: columns, columnIndexes: columnIndexes)
  }

  private func column(
    of measure: MeasureDefinition, from entity: Int, in catalog: Catalog
  ) throws(RequestError) -> TotalColumn {
    let path: ValuePath
    do throws(PathProblem) {
      path = try ValuePath(measure.names, from: entity, in: catalog)
    } catch { throw RequestError(error, of: measure.names, in: catalog) }
    do throws(TotalProblem) { return try TotalColumn(path, in: catalog) } catch {
      throw RequestError(.total(measure: measure.name, problem: error.description))
    }
  }
}
