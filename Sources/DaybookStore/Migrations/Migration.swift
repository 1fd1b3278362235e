/// A step that changes the records of a store once, when a program with a newer schema opens it.
///
/// ```swift
/// let migrations = [
///   Migration("join names", version: 1) { context in
///     for person in try context.objects("Person") {
///       guard case .string(let first)? = person["first"], case .string(let last)? = person["last"]
///       else { continue }
///       try context.setValue(
///         .string("\(first) \(last)"), forKey: "name", of: "Person", id: person.id)
///     }
///   }
/// ]
/// let store = try Store(at: "people.daybook", records: Person.self, migrations: migrations)
/// ```
///
/// Each step has a version above that of the step before it. The version of the last step is the
/// version of the program. The journal records the version of its data, and an opening runs the
/// steps with higher versions, in order and as one transaction. New attributes, renamed attributes
/// and converted types need no step.
///
/// A step is never changed or removed after a program with it was released: journals of any earlier
/// version may still need it. Therefore write steps by name, as in the example: the record types of
/// later programs have other properties.
public struct Migration: Sendable {
  /// The version of the data after the step.
  public let version: Int
  /// The name of the step, for the reason of its transaction and for error messages.
  public let name: String
  /// A Boolean value that indicates whether programs of lower versions may still change the data.
  public let isCompatible: Bool
  let body: @Sendable (EditingContext) throws -> Void

  /// Creates a step.
  ///
  /// - Parameters:
  ///   - name: The name of the step.
  ///   - version: The version of the data after the step, above 0.
  ///   - isCompatible: A Boolean value that indicates whether programs of lower versions may still
  ///     change the data. If the value is false, these programs can only read the journal.
  ///   - body: Changes records in a context that shows the whole store. The context has the
  ///     attributes that the program's types name, under their new names, and all other attributes
  ///     of the journal. Those that a schema drops by ``RecordSchema/removed(_:)`` still exist. An
  ///     attribute that no type names is read with its stored value, also if its type has changed.
  ///     The body can read and change records of any entity by name, with ``DynamicRecord``. It
  ///     must not save.
  public init(
    _ name: String, version: Int, compatible isCompatible: Bool = false,
    body: @escaping @Sendable (EditingContext) throws -> Void
  ) {
    self.name = name
    self.version = version
    self.isCompatible = isCompatible
    self.body = body
  }

  var step: MigrationStep { MigrationStep(version: version, name: name) }
}

/// The steps of a program, in the order of their versions.
struct MigrationPlan {
  let migrations: [Migration]

  /// Creates a plan.
  ///
  /// - Throws: ``StoreError`` with `schema` if a version is not above the one before it.
  init(_ migrations: [Migration], path: String) throws(StoreError) {
    var version = 0
    for migration in migrations {
      guard migration.version > version else {
        throw StoreError(.schema(.migrationOrder(migration.step, after: version)), path: path)
      }
      version = migration.version
    }
    self.migrations = migrations
  }

  /// The version of the program; 0 if it has no steps.
  var version: Int { migrations.last?.version ?? 0 }

  /// Returns the steps that data of a version needs.
  func pending(after version: DataVersion) -> ArraySlice<Migration> {
    migrations.drop { $0.version <= version.number }
  }

  /// Returns the version of the data after the pending steps.
  func version(after version: DataVersion) -> DataVersion {
    let pending = pending(after: version)
    return DataVersion(
      number: max(version.number, self.version),
      compatibleFrom: pending.last { !$0.isCompatible }?.version ?? version.compatibleFrom)
  }
}
