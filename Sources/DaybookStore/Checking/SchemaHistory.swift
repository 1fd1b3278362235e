import DaybookJournal

/// A transaction that is the first to contain layouts of entities, or that records a migration.
@_spi(Tools) public struct SchemaChange: Sendable {
  /// The definition of an entity before and after the transaction.
  public struct Entity: Sendable {
    /// The definition before; nil if the entity is new.
    public let old: EntityDefinition?
    /// The definition after.
    public let new: EntityDefinition
    /// The names in the old definition of the attributes that were renamed, by their new names.
    public let earlierNames: [String: String]
  }

  /// The number of the transaction. For a base, it is the base sequence.
  public let sequence: SequenceNumber
  /// The time of the transaction.
  public let time: JournalTime
  /// A Boolean value that indicates whether it is the base.
  public let isBase: Bool
  /// The reason of the transaction.
  public let reason: String?
  /// The version of the data that the transaction records; nil if it records none.
  public let version: Int?
  /// The migration steps that the transaction records.
  public let steps: [MigrationStep]
  /// The entities that the transaction defines, in the order of its layouts.
  public let entities: [Entity]
}

extension Store {
  /// Returns the transactions that changed the schema or the version of the data, the oldest first.
  ///
  /// - Throws: ``StoreError`` with `payload` or `journal` if a transaction cannot be read
  /// - Complexity: O(*n*) in the number of transactions
  @_spi(Tools) public func schemaChanges() throws(StoreError) -> [SchemaChange] {
    let frozen = snapshot.frozen
    var history = SchemaHistory(frozen.memory)
    var changes: [SchemaChange] = []
    let base = base
    let bases = frozen.memory.locator.bases
    if let change = try history.change(at: bases, of: base, isBase: true, path: path) {
      changes.append(change)
    }
    var sequence = base
    while sequence < frozen.sequence {
      sequence = sequence.next
      let location = frozen.memory.locator.location(of: sequence.rawValue, in: frozen.memory)
      if let change = try history.change(at: [location], of: sequence, isBase: false, path: path) {
        changes.append(change)
      }
    }
    try frozen.checkWhole(path)
    return changes
  }

  /// The versions of the program that may change the data: this one and all higher ones.
  @_spi(Tools) public var compatibleFrom: Int { dataVersions.newest.compatibleFrom }
}

/// The layouts of a journal up to a transaction.
private struct SchemaHistory {
  private let memory: RowMemory
  private var layouts = LayoutTable()

  init(_ memory: RowMemory) { self.memory = memory }

  /// Reads the layouts of the payloads of a transaction or of a base.
  ///
  /// - Returns: The change; nil if the payloads change neither the schema nor the version.
  mutating func change(
    at locations: [RowLocation], of sequence: SequenceNumber, isBase: Bool, path: String
  ) throws(StoreError) -> SchemaChange? {
    var new: [Layout] = []
    var metadata: TransactionMetadata?
    var time = JournalTime.distantPast
    var known = layouts
    for location in locations {
      guard location != .none, let head = memory.payloadHead(at: location) else {
        throw StoreError(PayloadDefect(offset: 0, kind: .end), in: sequence, path: path)
      }
      time = head.time
      let read = memory.withBytes(at: location) { bytes in
        let payload = bytes.extracting(0..<head.byteCount)
        var reader = PayloadReader(payload, layouts: known)
        let new = reader.takeNewLayouts()
        let isMigration = PayloadReader.mayHaveDataVersion(payload)
        let metadata =
          new.isEmpty && !isMigration
          ? nil : PayloadReader.metadata(in: payload, layouts: known)
        return (new: new, metadata: metadata)
      }
      for layout in read.new { _ = known.add(layout) }
      new += read.new
      // Each payload of a shared log's base can record a version of the data.
      if metadata == nil || read.metadata?.dataVersion != nil { metadata = read.metadata }
    }
    if new.isEmpty, metadata?.dataVersion == nil { return nil }
    return SchemaChange(
      sequence: sequence, time: time, isBase: isBase, reason: metadata?.reason,
      version: metadata?.dataVersion?.number, steps: metadata?.migrationSteps ?? [],
      entities: add(new))
  }

  /// Adds layouts, and returns the differences of their entities. An import writes several layouts
  /// of an entity at once; these are one difference.
  private mutating func add(_ new: [Layout]) -> [SchemaChange.Entity] {
    var olds: [Layout?] = []
    var oldNames: [String] = []
    var names: [String] = []
    for layout in new {
      let membership = EntityMembership(layout.entity, currentName: layouts.currentName)
      var old: Layout?
      var index: Int?
      if case .of(let name) = membership {
        old = layouts.newest(of: name)
        index = names.firstIndex(of: name)
      }
      _ = layouts.add(layout)
      if let index {
        names[index] = layout.entity.name
      } else {
        names.append(layout.entity.name)
        olds.append(old)
        oldNames.append(old?.entity.name ?? "")
      }
    }
    return names.indices.compactMap { index in
      guard let new = layouts.newest(of: names[index])?.entity else { return nil }
      // The old layout is read again, so that a renamed target of a reference is no difference.
      var old = olds[index].flatMap { layouts[$0.number] }?.entity
      old?.name = oldNames[index]
      let renames = old.map { old in
        AttributeRenames(from: old, to: new).earlierNames(among: Set(old.attributes.map(\.name)))
      }
      return SchemaChange.Entity(old: old, new: new, earlierNames: renames ?? [:])
    }
  }
}
