import DaybookJournal

/// The version of a store's data, which a migration recorded in the journal.
package struct DataVersion: Hashable, Sendable {
  /// The number of the version; 0 before the first migration.
  package var number: Int
  /// The lowest version of a program that may change the data.
  package var compatibleFrom: Int

  /// The version of a journal without migrations.
  package static let unversioned = DataVersion(number: 0, compatibleFrom: 0)

  package init(number: Int, compatibleFrom: Int) {
    self.number = number
    self.compatibleFrom = compatibleFrom
  }

  /// Returns whether a program that declares a version may change the data.
  func isWritable(byVersion program: Int) -> Bool {
    program >= number || program >= compatibleFrom
  }
}

/// A step of a migration that a store has run.
public struct MigrationStep: Hashable, Sendable {
  /// The version of the data after the step.
  public let version: Int
  /// The name of the step.
  public let name: String

  package init(version: Int, name: String) {
    self.version = version
    self.name = name
  }
}

extension MigrationStep: CustomStringConvertible {
  /// The version and the name, such as `2 "split names"`.
  public var description: String { "\(version) \"\(name)\"" }
}

/// The part of a transaction's metadata that records a migration:
///
/// ```
/// "schema":{"version":3,"compatibleFrom":2,"steps":[{"version":2,"name":"split names"}]}
/// ```
///
/// Metadata is exported and imported unchanged, so an exported text contains the version. The base
/// of a compacted journal has it without steps.
extension TransactionMetadata {
  private static let schemaName = "schema"
  private static let versionName = "version"
  private static let compatibleFromName = "compatibleFrom"
  private static let stepsName = "steps"
  private static let stepName = "name"

  /// The version of the data after the transaction; nil if the transaction is not a migration.
  package var dataVersion: DataVersion? {
    guard let schema = value(forKey: TransactionMetadata.schemaName),
      let number = schema[TransactionMetadata.versionName]?.integerValue, number > 0,
      let lowest = schema[TransactionMetadata.compatibleFromName]?.integerValue,
      lowest >= 0, lowest <= number
    else { return nil }
    return DataVersion(number: number, compatibleFrom: lowest)
  }

  /// The steps of the migration that the transaction records; empty if it records none.
  package var migrationSteps: [MigrationStep] {
    guard dataVersion != nil,
      case .array(let steps)? =
        value(forKey: TransactionMetadata.schemaName)?[TransactionMetadata.stepsName]
    else { return [] }
    return steps.compactMap { step in
      guard let version = step[TransactionMetadata.versionName]?.integerValue,
        case .string(let name)? = step[TransactionMetadata.stepName]
      else { return nil }
      return MigrationStep(version: version, name: name)
    }
  }

  /// Records a version of the data, and the steps that lead to it.
  mutating func record(_ version: DataVersion, steps: [MigrationStep] = []) {
    var members = [
      JSONValue.Member(TransactionMetadata.versionName, value: .integer(version.number)),
      JSONValue.Member(
        TransactionMetadata.compatibleFromName, value: .integer(version.compatibleFrom)),
    ]
    if !steps.isEmpty {
      let steps = steps.map { step in
        JSONValue.object([
          JSONValue.Member(TransactionMetadata.versionName, value: .integer(step.version)),
          JSONValue.Member(TransactionMetadata.stepName, value: .string(step.name)),
        ])
      }
      members.append(JSONValue.Member(TransactionMetadata.stepsName, value: .array(steps)))
    }
    setValue(.object(members), forKey: TransactionMetadata.schemaName)
  }
}

extension JSONValue {
  /// The value as an integer; nil if it is not one.
  fileprivate var integerValue: Int? {
    guard case .number(let number) = self, case .integer(let integer) = number.value else {
      return nil
    }
    return Int(exactly: integer)
  }

  fileprivate static func integer(_ number: Int) -> JSONValue { .number(JSONNumber(Int64(number))) }
}

/// The versions that the data of a journal has had, the oldest first.
package struct DataVersions: Hashable, Sendable {
  /// A version, and the transaction that recorded it. For a version in the base of a compacted
  /// journal, that is the last transaction that compaction dropped.
  package struct Entry: Hashable, Sendable {
    package var sequence: SequenceNumber
    package var version: DataVersion
  }

  package private(set) var entries: [Entry] = []

  /// The newest version.
  package var newest: DataVersion { entries.last?.version ?? .unversioned }

  /// Returns the versions that were recorded by a transaction or by earlier transactions.
  package func through(_ sequence: SequenceNumber) -> DataVersions {
    var versions = self
    versions.entries.removeAll { $0.sequence > sequence }
    return versions
  }

  /// Adds the version that a transaction records, if it records one.
  mutating func record(_ sequence: SequenceNumber, payload: RawSpan, layouts: LayoutTable) {
    guard PayloadReader.mayHaveDataVersion(payload),
      let version = PayloadReader.metadata(in: payload, layouts: layouts)?.dataVersion
    else { return }
    entries.append(Entry(sequence: sequence, version: version))
  }
}

/// The bytes of versions in a checkpoint. The count is a variable-length integer. Each version has
/// three u64: the transaction, the number and the lowest compatible version.
extension DataVersions {
  func append(to buffer: inout RowBuffer) {
    buffer.appendVariable(UInt64(entries.count))
    for entry in entries {
      buffer.append(entry.sequence.rawValue)
      buffer.append(UInt64(entry.version.number))
      buffer.append(UInt64(entry.version.compatibleFrom))
    }
  }

  /// Reads the versions at a cursor; nil if the bytes are not versions.
  init?(at cursor: inout ByteCursor, in bytes: RawSpan) {
    guard let count = cursor.count(bytes, of: 24) else { return nil }
    for _ in 0..<count {
      guard let sequence = cursor.number(bytes, as: UInt64.self),
        let number = cursor.number(bytes, as: UInt64.self).flatMap(Int.init(exactly:)),
        let lowest = cursor.number(bytes, as: UInt64.self).flatMap(Int.init(exactly:))
      else { return nil }
      entries.append(
        Entry(
          sequence: SequenceNumber(sequence),
          version: DataVersion(number: number, compatibleFrom: lowest)))
    }
  }
}
