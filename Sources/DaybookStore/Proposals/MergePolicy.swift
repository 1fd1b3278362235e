/// What decides when what is to be saved was meanwhile changed by someone else.
///
/// Only what both have changed is ever in question: different attributes of one record are merged.
public enum MergePolicy: Sendable {
  /// The save throws ``StoreError`` with `conflict`, and nothing is saved.
  case refuse
  /// What is in the store stays.
  case storeWins
  /// What was changed here is saved.
  case contextWins
  /// For each attribute in conflict the closure says whether what was changed here is saved; where
  /// one of the two has deleted the record, it is asked about no attribute.
  case byAttribute(
    @Sendable (_ entity: String, _ id: RecordIdentifier, _ attribute: String?) -> Bool)

  /// Whether what was changed here is saved; nil to refuse.
  func contextWins(_ entity: String, _ id: RecordIdentifier, _ attribute: String?) -> Bool? {
    switch self {
    case .refuse: nil
    case .storeWins: false
    case .contextWins: true
    case .byAttribute(let decide): decide(entity, id, attribute)
    }
  }
}
