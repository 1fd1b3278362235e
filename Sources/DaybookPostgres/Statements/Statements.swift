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
  /// - `bases` contains the pieces of the first group, if that group is a base. Then the column
  ///   `frames` of the group is empty, and the nonce of the group identifies the pieces.
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
    ///
    /// The trigger refuses a group below the base. The key of a dropped group is free. An append
    /// that waits for a lock has a snapshot from before the wait. With the isolation level `read
    /// committed`, the query of the trigger has a newer one.
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
      create table if not exists daybook.bases (
        log bigint not null,
        nonce bigint not null,
        number bigint not null,
        byte_count bigint not null,
        piece bytea not null,
        primary key (log, nonce, number));
      create or replace function daybook.refuse_below_base() returns trigger language plpgsql as $$
        begin
          if new.first > 0 and exists (
            select from daybook.groups base
            where base.log = new.log and base.first = 0 and base.next > new.first)
          then return null; end if;
          return new;
        end $$;
      drop trigger if exists groups_base on daybook.groups;
      create trigger groups_base before insert on daybook.groups
        for each row execute function daybook.refuse_below_base();
      """

    static let readVersion = "select max(version) from daybook.schema_version"
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
    ///
    /// `not exists` prevents a deadlock with a keeper: the insert of a number whose row a keeper
    /// has deleted waits for its commit, and the keeper waits for the shared lock.
    private static let append = """
      insert into daybook.groups (log, first, next, previous_check, end_check, frames, nonce)
      select logs.id, $2::bigint, $3::bigint, $4::bigint, $5::bigint, $6::bytea, $7::bigint
      from daybook.logs, pg_advisory_xact_lock_shared(\(LockKeys.ofLog))
      where logs.name = $1::text and exists (
        select from daybook.groups previous
        where previous.log = logs.id and previous.next = $2::bigint
          and previous.end_check = $4::bigint)
      and not exists (
        select from daybook.groups taken
        where taken.log = logs.id and taken.first = $2::bigint)
      returning \(durability)
      """

    /// What an acknowledgement rests on, at the time of the statement.
    static let durability = """
      current_setting('synchronous_standby_names'), current_setting('synchronous_commit'), \
      current_setting('fsync')
      """

    static let appendQuietly = PostgresStatement(name: "append", text: append)

    static let appendWithNotification = PostgresStatement(
      name: "append_notify", text: "\(append), pg_notify($8::text, ($3::bigint)::text)")

    /// Creates a log, if no log has the name, and appends its first group, if it has no group.
    static let create = PostgresStatement(
      name: "create",
      text: """
        with created as (
          insert into daybook.logs (name) values ($1::text)
          on conflict (name) do nothing returning id),
        empty as (
          select id from created union all
          select id from daybook.logs where name = $1::text
            and not exists (select from daybook.groups where log = id))
        insert into daybook.groups (log, first, next, previous_check, end_check, frames, nonce)
        select id, $2::bigint, $3::bigint, $4::bigint, $5::bigint, $6::bytea, $7::bigint
        from empty
        returning \(durability)
        """)

    /// Returns one row if the log has a group with a first number. The row contains the frames if
    /// the end and the nonce equal those of a group that could not be appended. It also contains 1
    /// if the log has the predecessor of that group.
    static let compare = PostgresStatement(
      name: "compare",
      text: """
        select case when next = $3::bigint and end_check = $4::bigint and nonce = $5::bigint
          then frames end,
          (first = 0 or exists (
            select from daybook.groups previous
            where previous.log = id and previous.next = $2::bigint
              and previous.end_check = $6::bigint))::int::bigint
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

    /// Returns one row: what an acknowledgement rests on, then a number above zero if the server is
    /// a standby, which may be late, and then the head, or nulls.
    static let head = PostgresStatement(
      name: "head",
      text: """
        select \(durability), pg_is_in_recovery()::int::bigint, next, end_check
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

    /// Returns a piece of a base, and the size of the base.
    static let readPiece = PostgresStatement(
      name: "read_piece",
      text: """
        select byte_count, piece from daybook.bases
        where log = (select id from daybook.logs where name = $1::text)
          and nonce = $2::bigint and number = $3::bigint
        """)

    // MARK: The replacement of groups by a base, in one transaction

    static let addPiece = PostgresStatement(
      name: "add_piece",
      text: """
        insert into daybook.bases (log, nonce, number, byte_count, piece)
        select id, $2::bigint, $3::bigint, $4::bigint, $5::bytea
        from daybook.logs where name = $1::text
        """)

    /// Waits until no append is under way, and lets no append start before the end of the
    /// transaction. The server then ends a session that is silent for three seconds.
    static let lockTransaction = PostgresStatement(
      name: "lock_transaction",
      text: """
        select set_config('idle_in_transaction_session_timeout', '3s', true),
          pg_advisory_xact_lock(\(LockKeys.ofLog))
        """)

    /// Returns the first number of the group that ends with a frame.
    static let findEnd = PostgresStatement(
      name: "find_end",
      text: """
        select first from daybook.logs join daybook.groups on log = id
        where name = $1::text and next = $2::bigint and end_check = $3::bigint
        """)

    /// Deletes some of the groups that end before a number, and returns how many. The transaction
    /// does this before it locks the log, so appends wait only for the last group.
    static let dropSomeGroups = PostgresStatement(
      name: "drop_some_groups",
      text: """
        with dropped as (
          delete from daybook.groups
          where log = (select id from daybook.logs where name = $1::text)
            and first in (
              select first from daybook.groups
              where log = (select id from daybook.logs where name = $1::text)
                and first > 0 and next < $2::bigint
              order by first limit $3::bigint)
          returning first)
        select count(*) from dropped
        """)

    static let dropGroups = PostgresStatement(
      name: "drop_groups",
      text: """
        delete from daybook.groups
        where log = (select id from daybook.logs where name = $1::text)
          and first > 0 and next <= $2::bigint
        """)

    static let storeBase = PostgresStatement(
      name: "store_base",
      text: """
        update daybook.groups
        set next = $2::bigint, end_check = $3::bigint, nonce = $4::bigint, frames = ''
        where log = (select id from daybook.logs where name = $1::text) and first = 0
        """)

    static let dropPieces = PostgresStatement(
      name: "drop_pieces",
      text: """
        delete from daybook.bases
        where log = (select id from daybook.logs where name = $1::text) and nonce <> $2::bigint
        """)

    // MARK: The removal of a log, in one transaction

    static let removePieces = PostgresStatement(
      name: "remove_pieces",
      text: """
        delete from daybook.bases
        where log = (select id from daybook.logs where name = $1::text)
        """)

    static let removeGroups = PostgresStatement(
      name: "remove_groups",
      text: """
        delete from daybook.groups
        where log = (select id from daybook.logs where name = $1::text)
        """)

    static let removeLog = PostgresStatement(
      name: "remove_log", text: "delete from daybook.logs where name = $1::text")

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
