import DaybookJournal

/// What a checkpoint would be made of.
struct CheckpointSource {
  /// The state that readers are shown.
  var frozen: FrozenState
  /// The same without entities that no transaction has told of.
  var state: StoreState
  var base: SequenceNumber
  var layouts: [Layout]
  var byteCountSinceLayouts: Int
  var keys: IdempotencyKeys
}
