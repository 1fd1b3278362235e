import DaybookJournal

/// A check of all transactions of a journal for problems that an opening tolerates and
/// `Journal/PAYLOADS.md` forbids.
///
/// An opening rejects transactions with malformed bytes. This check finds other mistakes of the
/// programs that wrote the journal:
///
/// - Two records have the same creation number.
/// - A change does not refer to the previous change of its record.
/// - A value cannot be read.
/// - A row that was replaced later has no value for an attribute that its layout requires.
///
/// A store can open such a journal. However, an import rejects its exported text, or earlier states
/// are computed incorrectly.
@_spi(Tools) public struct TransactionsCheck: ~Copyable {
  /// A violation of a rule by a transaction.
  public struct Finding: Hashable, Sendable, CustomStringConvertible {
    /// The kinds of violations.
    @nonexhaustive
    public enum Kind: Hashable, Sendable {
      /// The row has no value for a required attribute.
      case required(attribute: String)
      /// The bytes of an attribute are not a value of its type.
      case unreadable(attribute: String)
      /// A second record has the same creation number.
      case creation(UInt64)
      /// The change does not refer to the previous change of its record.
      case previous
    }

    /// The number of the transaction. For a record of the base, it is the base sequence.
    public let sequence: SequenceNumber
    /// The name of the record's entity.
    public let entity: String
    /// The identifier of the record.
    public let id: RecordIdentifier
    /// The kind of the violation.
    public let kind: Kind

    /// A description without a capital letter and a period, for use in a sentence.
    public var description: String {
      let record = "in transaction \(sequence), \(entity) \(id)"
      return switch kind {
      case .required(let attribute): "\(record) has no \(attribute), which is required"
      case .unreadable(let attribute): "\(record) has an unreadable value of \(attribute)"
      case .creation(let number): "\(record) has the creation number \(number) of another record"
      case .previous: "\(record) does not refer to the previous change of the record"
      }
    }
  }

  /// The entities of the journal, as their newest layouts define them. A required attribute without
  /// a value in some row is not required in this result.
  public var entities: [EntityDefinition] { survey.entities }

  /// The newest state of the store.
  private let head: FrozenState
  private let report: (Finding) -> Void
  /// The state after the last transaction that was read. It starts empty.
  private var editor: StateEditor
  private var survey = SchemaSurvey()
  /// The creation numbers of the records that exist.
  private var creations: Set<UInt64> = []

  /// Checks the transactions of a store.
  ///
  /// - Parameters:
  ///   - store: A store that has read its whole journal, not from a checkpoint.
  ///   - report: A closure that is called for each finding, in the order of the journal.
  /// - Throws: ``StoreError`` with `payload` or `journal` if a transaction cannot be read
  /// - Complexity: O(*n*) in the number of all changes
  public init(_ store: Store, report: @escaping (Finding) -> Void) throws(StoreError) {
    head = store.snapshot.frozen
    self.report = report
    // The check looks up no references and no unique values, so the editor need not maintain their
    // indexes.
    editor = StateEditor(StateReader(memory: head.memory))
    editor.deferIndexes()
    let base = store.base
    for location in head.memory.locator.bases {
      try read(location, of: base, path: store.path)
    }
    var (sequence, location) = (base, RowLocation.none)
    while sequence < head.sequence {
      sequence = sequence.next
      location = self.location(of: sequence.rawValue, after: location)
      try read(location, of: sequence, path: store.path)
    }
  }

  /// Returns the location of a transaction's payload. The method first tries the location directly
  /// after the previous payload, because this is faster than a search.
  private func location(of sequence: UInt64, after last: RowLocation) -> RowLocation {
    let memory = head.memory
    if last != .none, let payload = memory.payloadHead(at: last) {
      let next = last + payload.byteCountToNext
      if memory.payloadHead(at: next)?.sequence == sequence { return next }
    }
    return memory.locator.location(of: sequence, in: memory)
  }

  private mutating func read(
    _ location: RowLocation, of sequence: SequenceNumber, path: String
  ) throws(StoreError) {
    let defect: PayloadDefect?
    if location != .none, let payload = head.memory.payloadHead(at: location) {
      defect = head.memory.withBytes(at: location) { bytes in
        read(bytes.extracting(0..<payload.byteCount), at: location, of: sequence)
      }
      editor.state.sequence = sequence
    } else {
      defect = PayloadDefect(offset: 0, kind: .end)
    }
    try head.checkWhole(path)
    guard let defect else { return }
    throw StoreError(defect, in: sequence, path: path)
  }

  private mutating func read(
    _ bytes: RawSpan, at location: RowLocation, of sequence: SequenceNumber
  ) -> PayloadDefect? {
    var reader = PayloadReader(bytes, layouts: editor.reader.catalog.layouts)
    survey.add(reader.takeNewLayouts())
    var folded: [RowChange]? = []
    let defect = editor.fold(bytes, at: location, changes: &folded)
    guard defect == nil, let folded else { return defect }
    reader.use(editor.reader.catalog.layouts)
    // An insert of the same transaction may use the creation number of a deleted record.
    for change in folded where change.kind == .delete { creations.remove(change.creation) }
    var index = 0
    while let change = reader.next(in: bytes) {
      let rowChange = folded[index]
      index += 1
      inspect(change, folded: rowChange, in: bytes, of: sequence)
    }
    return nil
  }

  private mutating func inspect(
    _ change: PayloadChange, folded rowChange: RowChange, in bytes: RawSpan,
    of sequence: SequenceNumber
  ) {
    let layout = change.layout
    if change.kind == .insert, !creations.insert(rowChange.creation).inserted {
      report(.creation(rowChange.creation), about: rowChange, of: sequence)
    }
    if change.kind != .insert, head.memory.position(of: rowChange.old) != change.previous {
      report(.previous, about: rowChange, of: sequence)
    }
    guard change.kind != .delete else { return }
    let row = bytes.extracting(change.row)
    survey.record(row, of: layout)
    for (index, attribute) in layout.entity.attributes.enumerated() {
      guard let range = layout.range(of: index, in: row) else {
        if attribute.isRequired, !isReportedOfHead(rowChange, lacking: attribute) {
          report(.required(attribute: attribute.name), about: rowChange, of: sequence)
        }
        continue
      }
      // Only lists can be unreadable. Every other type can read a value from any bytes.
      guard attribute.type.isList else { continue }
      let value = row.extracting(range)
      let isReadable =
        layout.isStored(layout.fields[index].offset, in: row)
        ? isReadable(StoredValue(value), of: rowChange.new, as: attribute.type)
        : attribute.type.isList(value)
      if !isReadable {
        report(.unreadable(attribute: attribute.name), about: rowChange, of: sequence)
      }
    }
  }

  private func isReadable(
    _ value: StoredValue?, of row: RowLocation, as type: AttributeType
  ) -> Bool {
    guard let value else { return false }
    return head.memory.withStoredValue(value, of: row) { bytes in
      guard let bytes else { return false }
      return type.isList(bytes)
    }
  }

  /// Returns whether ``StateCheck`` reports the missing value: the row belongs to the newest state,
  /// and the newest layout requires the attribute.
  private func isReportedOfHead(_ change: RowChange, lacking attribute: AttributeDefinition) -> Bool
  {
    // The entity may have been renamed later, but has the same index.
    let entity = change.entity
    let newest = head.catalog.newest(entity).entity
    guard let index = newest.index(of: attribute.name), newest.attributes[index].isRequired else {
      return false
    }
    return head.reader.location(of: editor.reader.key(at: change.new), in: entity) == change.new
  }

  private func report(
    _ kind: Finding.Kind, about change: RowChange, of sequence: SequenceNumber
  ) {
    let location = change.new == .none ? change.old : change.new
    let id = head.memory.withBytes(at: location) { row -> RecordIdentifier? in
      guard let number = Layout.number(of: row), let layout = editor.reader.catalog.layouts[number],
        let range = layout.identifierRange(in: row)
      else { return nil }
      return RecordIdentifier(layout.identifierKind, bytes: row.extracting(range))
    }
    guard let id else { preconditionFailure("no row at \(location)") }
    report(
      Finding(
        sequence: sequence, entity: editor.reader.catalog.names[change.entity], id: id, kind: kind))
  }
}

extension AttributeType {
  /// A Boolean value that indicates whether values of the type are lists of elements.
  fileprivate var isList: Bool {
    switch self {
    case .array, .references: true
    case .scalar, .reference: false
    }
  }

  /// Returns whether bytes are a valid list of elements of the type.
  fileprivate func isList(_ bytes: RawSpan) -> Bool {
    switch self {
    case .array(let scalar): ElementList(bytes, byteCount: scalar.byteCount) != nil
    case .references(let target):
      ElementList(bytes, byteCount: target.identifierKind.byteCount) != nil
    case .scalar, .reference: false
    }
  }
}
