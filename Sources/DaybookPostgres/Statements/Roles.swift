#if Postgres
  /// The rights of roles that use logs.
  ///
  /// | right | reader | writer | keeper |
  /// | --- | --- | --- | --- |
  /// | to read the tables of Daybook | yes | yes | yes |
  /// | to insert logs and groups, without choosing the number of a log | no | yes | yes |
  /// | to delete logs and groups, and to update the first group | no | no | yes |
  /// | to insert and delete bases | no | no | yes |
  /// | everything else, such as to truncate | no | no | no |
  ///
  /// By SQL, a keeper can delete and change any group. Only trusted roles should have its rights.
  enum Roles {
    static let reader = ["grant select on all tables in schema daybook"]

    static let writer =
      reader + [
        "grant insert (name) on daybook.logs",
        """
        grant insert (log, first, next, previous_check, end_check, nonce, frames) \
        on daybook.groups
        """,
      ]

    static let keeper =
      writer + [
        "grant insert, delete on daybook.bases",
        "grant delete on daybook.groups, daybook.logs",
        "grant update (next, end_check, nonce, frames) on daybook.groups",
      ]

    /// Gives a role exactly these rights in the schema. Creates the role, if it does not exist.
    static func grant(
      _ rights: [String], to role: String, through session: PostgresSession
    ) throws(PostgresFailure) {
      let name = "\"\(role.replacing("\"", with: "\"\""))\""
      if try session.execute(find, with: [.text(role)]).count == 0 {
        do { try session.executeAll("create role \(name) nologin") } catch {
          // A different call has created it.
          guard case .refused(let state, _) = error,
            [SQLState.duplicateObject, SQLState.uniqueViolation].contains(state)
          else { throw error }
        }
      }
      let statements =
        [
          // Two calls must not change the rights at the same time.
          "select pg_advisory_xact_lock(\(LockKeys.classID), 0)",
          "revoke all on all tables in schema daybook from \(name)",
          "revoke all on schema daybook from \(name)",
          "grant usage on schema daybook to \(name)",
        ] + rights.map { "\($0) to \(name)" }
      try session.executeAll(statements.joined(separator: "; "))
    }

    private static let find = PostgresStatement(
      name: "find_role", text: "select 1 from pg_roles where rolname = $1::text")
  }
#endif
