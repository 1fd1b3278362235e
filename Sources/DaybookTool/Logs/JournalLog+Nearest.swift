import Daybook
@_spi(Tools) import DaybookResults

extension JournalLog {
  /// Returns at most three identifiers of the log's entity that are similar to an identifier that
  /// does not exist.
  ///
  /// For integers, the result contains the identifiers with the smallest difference. For strings
  /// and UUIDs, it contains identifiers that differ in few characters, or that start with the typed
  /// text.
  ///
  /// - Complexity: O(*n*) in the records of the entity
  func nearestIdentifiers(to word: String) throws -> [RecordIdentifier] {
    guard let entity else { return [] }
    let request = DynamicRequest(entity: entity.name)
    let known = try journal.reading {
      try journal.store.snapshot.fetchIdentifiers(request)
    }
    switch entity.identifierKind {
    case .int, .uint:
      guard let target = Double(word) else { return [] }
      let distances = known.map { (abs((Double("\($0)") ?? .infinity) - target), $0) }
      return distances.sorted { $0.0 < $1.0 }.prefix(JournalLog.nearestCountMax).map(\.1)
    case .string, .uuid:
      let names = known.map { ValueText.text(of: $0) }
      let target = word.lowercased()
      let similar = NearestName.nearest(to: word, among: names)
      let indexes = names.indices.filter {
        names[$0] == similar || names[$0].lowercased().hasPrefix(target)
      }
      return indexes.prefix(JournalLog.nearestCountMax).map { known[$0] }
    }
  }

  private static let nearestCountMax = 3
}
