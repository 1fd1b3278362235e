import DaybookJournal
@_spi(Tools) import DaybookStore

/// The schema of a journal, and the transactions that changed it.
struct JournalSchema {
  let sequence: SequenceNumber
  /// The version of the data, and the lowest version of a program that may change it.
  let version: Int
  let compatibleFrom: Int
  /// The entities with the numbers of their records.
  let entities: [(definition: EntityDefinition, recordCount: Int)]
  /// The transactions that changed the schema or the version; nil if they are not requested.
  let changes: [SchemaChange]?

  init(_ store: Store, withHistory: Bool) throws(StoreError) {
    let snapshot = store.snapshot
    sequence = snapshot.sequence
    version = store.schemaVersion
    compatibleFrom = store.compatibleFrom
    entities = snapshot.entities.map { ($0, snapshot.count(of: $0.name)) }
    changes = withHistory ? try store.schemaChanges() : nil
  }
}

extension AttributeDefinition {
  /// The type as in a text journal, with `!` if the attribute is required.
  var typeNotation: String { type.name + (isRequired ? "!" : "") }

  /// The default as JSON; nil without a default.
  var defaultNotation: String? {
    defaultValue.isNull ? nil : DisplayWidth.shown(ValueText.json(of: defaultValue))
  }

  /// The options of the attribute other than its type and its default, as in a text journal.
  var options: [(key: String, value: OptionValue)] {
    var options: [(key: String, value: OptionValue)] = []
    if type.target != nil {
      if let inverse { options.append(("inverse", .text(inverse))) }
      if ownDeleteRule != .nullify { options.append(("onDelete", .text(ownDeleteRule.name))) }
      if let whenTargetDeleted { options.append(("whenDeleted", .text(whenTargetDeleted.name))) }
      if isChecked { options.append(("checked", .yes)) }
    }
    if let earlierName { options.append(("renamedFrom", .text(earlierName))) }
    return options
  }

  /// The value of an option.
  enum OptionValue {
    case text(String)
    case yes
  }

  /// The options in one line.
  var optionsNotation: String {
    options.map { option in
      switch option.value {
      case .text(let string): "\(option.key) \(DisplayWidth.shown(string))"
      case .yes: option.key
      }
    }.joined(separator: ", ")
  }
}
