extension Projection {
  /// What was dear in asking by the projection's plan, for all who asked by it.
  package var statistics: ResultStatistics { plan.statistics }
}
