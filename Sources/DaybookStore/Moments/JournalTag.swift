import DaybookJournal

/// A name that a user gave to a moment of a journal.
///
/// A tag is a transaction without changes, whose metadata has the member
/// `"tag":{"name":"release","tx":7}`. If several tags have the same name, the last one is valid.
@_spi(Tools) public struct JournalTag: Hashable, Sendable {
  /// The name.
  public let name: String
  /// The transaction whose state has the name.
  public let sequence: SequenceNumber

  /// Creates a tag of the state after a transaction.
  public init(_ name: String, of sequence: SequenceNumber) {
    (self.name, self.sequence) = (name, sequence)
  }
}

extension TransactionMetadata {
  private static let tagKey = "tag"

  /// The tag of a transaction that stores one; nil for other transactions.
  @_spi(Tools) public internal(set) var tag: JournalTag? {
    get {
      guard case .object(let members)? = value(forKey: TransactionMetadata.tagKey),
        case .string(let name)? = members.first(where: { $0.key == "name" })?.value,
        case .number(let number)? = members.first(where: { $0.key == "tx" })?.value,
        let sequence = UInt64(number.text)
      else { return nil }
      return JournalTag(name, of: SequenceNumber(sequence))
    }
    set {
      guard let newValue else { return self[TransactionMetadata.tagKey] = nil }
      guard let number = JSONNumber("\(newValue.sequence)") else {
        preconditionFailure("\(newValue.sequence) is not a number")
      }
      setValue(
        .object([
          JSONValue.Member("name", value: .string(newValue.name)),
          JSONValue.Member("tx", value: .number(number)),
        ]), forKey: TransactionMetadata.tagKey)
    }
  }
}

extension Store {
  /// Returns the valid tags of the journal, the newest first.
  ///
  /// - Complexity: O(*n*) in the size of the history
  @_spi(Tools) public func tags() throws(StoreError) -> [JournalTag] {
    var found: [JournalTag] = []
    var names: Set<String> = []
    try forEachTag { tag in
      if names.insert(tag.name).inserted { found.append(tag) }
      return true
    }
    return found
  }

  /// Returns the valid tag with a name; nil if the journal has none.
  ///
  /// - Complexity: O(*n*) in the size of the history after the tag
  @_spi(Tools) public func tag(named name: String) throws(StoreError) -> JournalTag? {
    var found: JournalTag?
    try forEachTag { tag in
      if tag.name == name { found = tag }
      return found == nil
    }
    return found
  }

  /// Saves a tag as a transaction, and returns its receipt.
  @available(*, noasync)
  @_spi(Tools) public func saveAndWait(
    _ tag: JournalTag, with metadata: TransactionMetadata
  ) throws(StoreError) -> Receipt {
    var metadata = metadata
    metadata.tag = tag
    guard let receipt = try saveAndWait(Proposal(metadata)) else {
      preconditionFailure("a transaction without changes was not saved")
    }
    return receipt
  }

  /// Calls a closure with each tag of a moment that the journal still contains, the newest first,
  /// until it returns false.
  private func forEachTag(_ body: (JournalTag) -> Bool) throws(StoreError) {
    let frozen = snapshot.frozen
    var sequence = frozen.sequence
    while sequence > base {
      let heading = frozen.heading(of: sequence.rawValue)
      try frozen.checkWhole(path)
      if let tag = heading?.metadata.tag, tag.sequence >= base, !body(tag) { return }
      sequence = sequence - 1
    }
  }
}
