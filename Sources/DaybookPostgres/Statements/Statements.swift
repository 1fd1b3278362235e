#if Postgres
  /// The tables of a database with shared logs.
  ///
  /// ```
  ///  daybook.schema_version     daybook.logs        daybook.groups
  /// ┌─────────┐                ┌──────┬────┐       ┌─────┬───────┬──────┬───────────┬────────┐
  /// │ version │                │ name │ id │ ────▶ │ log │ first │ next │ end_check │ frames │ …
  /// └─────────┘                └──────┴────┘       └─────┴───────┴──────┴───────────┴────────┘
  /// ```
  ///
  /// - `logs` contains the name of each log. A journal that was rewritten, and that has the same
  ///   identity, can be a second log: so the number of a log and not the identity is in the key.
  /// - `groups` contains one row for each group of frames. Its primary key decides which of several
  ///   writers appends a group: at most one row can have a given log and first number.
  /// - Numbers are `bigint`; checks are 64 bits, stored as a signed `bigint`.
  enum Tables {
    /// The version of the tables that this build creates, and the only one that it uses.
    static let version: Int64 = 1

    /// Creates the tables, if they do not exist. The advisory lock makes two calls at once wait for
    /// each other: `create … if not exists` alone fails then.
    ///
    /// `groups` has no foreign key: each append would lock the row of its log, and so write it.
    ///
    /// Frames are stored without compression: the time of an append then depends only on its size.
    static let create = """
      select pg_advisory_xact_lock(\(LockKeys.classID), 0);
      create schema if not exists daybook;
      create table if not exists daybook.schema_version (version bigint not null);
      insert into daybook.schema_version
        select \(version) where not exists (select from daybook.schema_version);
      create table if not exists daybook.logs (
        id bigint generated always as identity primary key,
        name text not null unique,
        created timestamptz not null default now());
      create table if not exists daybook.groups (
        log bigint not null,
        first bigint not null,
        next bigint not null check (next > first),
        previous_check bigint not null,
        end_check bigint not null,
        nonce bigint not null,
        frames bytea not null,
        primary key (log, first));
      create unique index if not exists groups_log_next on daybook.groups (log, next);
      alter table daybook.groups alter column frames set storage external;
      """

    static let readVersion = "select version from daybook.schema_version"
  }

  /// The keys of advisory locks: a class for this module, and a hash of the log's name.
  enum LockKeys {
    /// The bytes of "DAYB".
    static let classID = 0x4441_5942
    static let ofLog = "\(classID), hashtext($1::text)"
  }

  extension PostgresStatement {
    /// Appends a group, if the log ends directly before it, and returns one row if it did.
    ///
    /// The primary key decides. `exists` finds a log that is shorter, or that contains other frames
    /// with equal numbers. The shared lock waits for a machine that has lost several times; see
    /// ``PostgresLink``.
    private static let append = """
      insert into daybook.groups (log, first, next, previous_check, end_check, frames, nonce)
      select logs.id, $2::bigint, $3::bigint, $4::bigint, $5::bigint, $6::bytea, $7::bigint
      from daybook.logs, pg_advisory_xact_lock_shared(\(LockKeys.ofLog))
      where logs.name = $1::text and exists (
        select from daybook.groups previous
        where previous.log = logs.id and previous.next = $2::bigint
          and previous.end_check = $4::bigint)
      returning \(durability)
      """

    /// What an acknowledgement rests on, at the time of the commit.
    private static let durability = """
      current_setting('synchronous_standby_names'), current_setting('synchronous_commit'), \
      current_setting('fsync')
      """

    static let appendQuietly = PostgresStatement(name: "append", text: append)

    static let appendWithNotification = PostgresStatement(
      name: "append_notify", text: "\(append), pg_notify($8::text, ($3::bigint)::text)")

    /// Creates a log and appends its first group, if no log has the name.
    static let create = PostgresStatement(
      name: "create",
      text: """
        with created as (
          insert into daybook.logs (name) values ($1::text)
          on conflict (name) do nothing returning id)
        insert into daybook.groups (log, first, next, previous_check, end_check, frames, nonce)
        select id, $2::bigint, $3::bigint, $4::bigint, $5::bigint, $6::bytea, $7::bigint
        from created
        returning \(durability)
        """)

    /// Returns one row if the log has a group with a first number. The row contains the frames if
    /// the end and the nonce equal those of a group that could not be appended.
    static let compare = PostgresStatement(
      name: "compare",
      text: """
        select case when next = $3::bigint and end_check = $4::bigint and nonce = $5::bigint
          then frames end
        from daybook.logs join daybook.groups on log = id
        where name = $1::text and first = $2::bigint
        """)

    /// Waits until everything that is committed is as durable as a new commit. A row can be visible
    /// after the wait of its commit was cancelled.
    ///
    /// A transaction that changes nothing does not wait for standbys. A transactional message is
    /// the smallest change.
    static let barrier = PostgresStatement(
      name: "barrier",
      text: "select \(durability), pg_logical_emit_message(true, 'daybook', '')")

    /// Returns one row: a number above zero if the server is a standby, which may be late, and then
    /// the head, or nulls.
    static let head = PostgresStatement(
      name: "head",
      text: """
        select pg_is_in_recovery()::int::bigint, next, end_check
        from (select) as server left join (
          select next, end_check from daybook.logs join daybook.groups on log = id
          where name = $1::text order by next desc limit 1) as head on true
        """)

    /// Returns consecutive groups from the group that contains a number, up to the group that
    /// reaches a number of bytes. The inner limit bounds the rows whose sizes are added.
    static let read = PostgresStatement(
      name: "read",
      text: """
        select first, next, previous_check, end_check, nonce, frames from (
          select *, sum(octet_length(frames)) over (order by next) - octet_length(frames) as before
          from (
            select first, next, previous_check, end_check, nonce, frames from daybook.groups
            where log = (select id from daybook.logs where name = $1::text)
              and next > $2::bigint
            order by next limit 2000) as limited) as summed
        where before < $3::bigint order by next
        """)

    static let notify = PostgresStatement(
      name: "notify", text: "select pg_notify($1::text, '')")

    /// Waits for the log's lock. While the session has it, no other session appends. The server
    /// ends a session that then stays silent, so a machine that stops cannot block the log.
    static let lock = PostgresStatement(
      name: "lock",
      text: """
        select pg_advisory_lock(\(LockKeys.ofLog)),
          set_config('idle_session_timeout', $2::text, false)
        """)

    static let unlock = PostgresStatement(
      name: "unlock",
      text: """
        select pg_advisory_unlock(\(LockKeys.ofLog)),
          set_config('idle_session_timeout', '0', false)
        """)
  }
#endif
