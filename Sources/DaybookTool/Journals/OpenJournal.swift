import Daybook
import DaybookJournal
import DaybookPlatform
@_spi(Tools) import DaybookStore
import DaybookText

/// The journal whose name the user typed, opened for reading.
///
/// The name is that of a binary journal or a text journal (JSON Lines), or `-` for a text journal
/// on standard input. A text journal is first imported into a temporary journal. Its file is
/// unlinked before the command reads it, so that no file remains if the process is killed.
struct OpenJournal {
  /// The store of the journal. If the journal is damaged, the store contains its intact part.
  let store: Store
  /// The name of the journal in messages.
  let name: String
  /// The problems to report after the results; nil without problems. `status` is the exit status
  /// for these problems.
  let problem: String?
  let status: ExitStatus
  /// The report of the import; nil if the journal is binary.
  let imported: TextImportReport?
  /// The temporary directory that contains the file of the store; nil for the file of the name.
  private var folder: TemporaryFolder?
  /// The last transaction of a copied replica when it was opened; nil for other journals.
  private var copied: SequenceNumber?

  /// Opens a journal for reading.
  ///
  /// - Parameter usesCheckpoint: A Boolean value that indicates whether the newest checkpoint is
  ///   used. The part of the journal before the checkpoint is then verified only as far as the
  ///   command reads it.
  init(_ name: String, usesCheckpoint: Bool = false) throws {
    if let source = OpenJournal.importSource(name) {
      try self.init(name, source: source)
    } else {
      try self.init(binary: name, usesCheckpoint: usesCheckpoint)
    }
  }

  /// Imports and opens a text journal.
  init(_ name: String, source: TextSource) throws {
    self.name = name == "-" ? "standard input" : name
    let report: TextImportReport
    (store, report) = try OpenJournal.imported(source)
    // An import stores entities only together with a transaction. For a text without transactions,
    // the store gets its entities here.
    if report.transactionCount == 0 {
      do throws(StoreError) { try store.define(report.entities) } catch { throw ToolError(error) }
    }
    (imported, problem, status) = (report, nil, .done)
  }

  /// Opens a binary journal.
  private init(binary name: String, usesCheckpoint: Bool) throws {
    self.name = name
    imported = nil
    let options = JournalOptions.tool(reading: name)
    // If the journal is damaged shortly before the checkpoint, the opening from the checkpoint
    // fails. An opening without it shows the intact part.
    let fast = usesCheckpoint ? try? Store(readingFromCheckpoint: name, options: options) : nil
    do throws(StoreError) {
      if let fast { store = fast } else { store = try Store(reading: name, options: options) }
    } catch { throw OpenJournal.tableError(name, causing: error) ?? ToolError(error) }
    let report = store.report.flatMap { $0.isUneventful ? nil : "\($0)" }
    let lines = [report, store.readingProblem.map { "\($0)" }].compactMap { $0 }
    problem = lines.isEmpty ? nil : lines.joined(separator: "\n")
    var isDamaged = store.readingProblem != nil
    if case .damaged = store.report?.outcome { isDamaged = true }
    status = isDamaged ? .problem : .done
  }

  /// Creates a journal from a store that follows it.
  init(_ name: String, following store: Store) {
    (self.name, self.store) = (name, store)
    (imported, problem, status) = (nil, nil, .done)
  }

  /// Creates a journal from a store that shares a log.
  init(_ name: String, replica store: Store, in folder: TemporaryFolder? = nil) {
    (self.name, self.store, self.folder) = (name, store, folder)
    imported = nil
    if folder != nil { copied = store.snapshot.sequence }
    problem = store.report.flatMap { $0.isUneventful ? nil : "\($0)" }
    status = .done
  }

  /// Opens a binary journal for writing. Unlike an opening for reading, it recovers the journal
  /// first, and fails if a second process writes the journal.
  init(writing name: String, clock: any JournalClock = MachineClock()) throws {
    self.name = name
    imported = nil
    var options = JournalOptions.tool(reading: name)
    options.clock = clock
    do throws(StoreError) {
      // An opening for writing would create a missing journal, so a missing journal is opened for
      // reading, which fails.
      store =
        SystemDisk().exists(name)
        ? try Store(at: name, options: options) : try Store(reading: name, options: options)
    } catch { throw ToolError(error) }
    problem = store.report.flatMap { $0.isUneventful ? nil : "\($0)" }
    status = .done
  }

  /// Returns the error for a table in place of a journal; nil if the name is not that of a table.
  private static func tableError(
    _ name: String, causing error: StoreError
  ) -> ToolError? {
    guard case .journal(let cause) = error.reason, case .notAJournal = cause.reason,
      let ending = [".csv", ".json", ".csv.gz", ".json.gz", ".jsonl.gz"]
        .first(where: name.hasSuffix)
    else { return nil }
    return ToolError(
      .problem, sentence: "\(name): this is no journal. Import it first.",
      advice: ShellText.command(["import", name, name.dropLast(ending.utf8.count) + ".daybook"]))
  }

  /// Returns the source of a text journal; nil if the name is not that of a text journal.
  static func importSource(_ name: String) -> TextSource? {
    if name == "-" {
      return .descriptor(FileDescriptor.standardInput.number, path: "standard input")
    }
    return isJSONLines(name) ? .file(name) : nil
  }

  /// The kind of file that has a name. A file that cannot be read counts as `nothing` here, and the
  /// command reports it when it opens the journal.
  private enum Named {
    case file(beginning: [UInt8])
    case directory
    /// Any other kind of file, for example a pipe that the shell has opened.
    case stream
    case nothing

    init(_ name: String) {
      self = .nothing
      // A pipe must be opened only once, because its writer ends when a reader closes it.
      guard let status = try? SystemDisk().status(of: name) else { return }
      switch status.kind {
      case .file:
        guard let file = try? SystemDisk().open(name, for: .reading) else { return }
        self = .file(beginning: (try? file.bytes(at: 0, count: 64)) ?? [])
      case .directory: self = .directory
      default: self = .stream
      }
    }
  }

  /// Returns whether a file starts like a binary journal.
  static func isJournal(_ name: String) -> Bool {
    guard case .file(let beginning) = Named(name) else { return false }
    return beginning.starts(with: JournalReader.magic)
  }

  /// Returns whether a file starts like a text journal. A stream counts as a text journal, because
  /// a binary journal must be a regular file.
  private static func isJSONLines(_ name: String) -> Bool {
    switch Named(name) {
    case .file(let beginning):
      beginning.first { ![9, 10, 13, 32].contains($0) } == UInt8(ascii: "{")
    case .stream: true
    case .directory, .nothing: false
    }
  }

  /// Imports a text journal into a temporary journal.
  private static func imported(
    _ source: TextSource
  ) throws -> (store: Store, report: TextImportReport) {
    // The temporary folder and its journal are removed when this function returns. The store
    // continues to read the open file.
    let folder = try TemporaryFolder()
    let path = folder.path + "/text.daybook"
    defer { withExtendedLifetime(folder) {} }
    let report: TextImportReport
    var options = JournalOptions.tool(reading: source.path)
    // The file is removed immediately, so it needs no sync.
    options.durability = .none
    do throws(TextJournalError) {
      report = try TextJournal.import(source, to: path, options: options)
    } catch {
      throw ToolError(error)
    }
    do throws(StoreError) {
      return (try Store(reading: path), report)
    } catch { throw ToolError(error) }
  }
}

extension OpenJournal {
  /// Calls a closure that reads the journal. Converts errors of the store and of requests to
  /// ``ToolError``.
  func reading<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as StoreError {
      throw self.error(error)
    } catch let error as RequestError {
      throw ToolError(error)
    }
  }

  /// Calls a closure that writes the journal, and then closes the journal. If the closure throws,
  /// an error of the closing is ignored, because it must not hide the error of the closure.
  func closing<Result>(_ body: () throws -> Result) throws -> Result {
    let result: Result
    do { result = try body() } catch {
      try? store.closeAndWait()
      throw error
    }
    let last = store.snapshot.sequence
    do throws(StoreError) { try store.closeAndWait() } catch { throw self.error(error) }
    if let copied, copied < last { waitForReplica(through: last) }
    return result
  }

  /// Converts an error of the store to an error with the journal's name. The store of a text
  /// journal or of a copied replica has the name of a temporary file.
  func error(_ error: StoreError) -> ToolError {
    var result = ToolError(StoreError(error.reason, path: name))
    if let folder { result.replace(OpenJournal.copyPath(in: folder), with: name) }
    switch error.reason {
    case .noSuchMoment(let sequence, let first, let last):
      result.correction = Correction(
        subject: .moment, written: "\(sequence)", meant: "\(sequence < first ? first : last)")
    case .unknown(let append):
      guard let status = store.sharingStatus else { break }
      let reason =
        if case .diverged = status {
          "The log has lost transactions, and a repair can append it again. Repair the replica, and "
            + "then read the records"
        } else {
          "The log has dropped the history that would show it. Read the records"
        }
      result.sentence =
        "\(name): transaction \(append.sequence) was sent, and may or may not be in the log. \(reason) "
        + "before you repeat the command."
    default: break
    }
    return result
  }
}

extension ToolError {
  /// The sentence about a command that does not change a replica.
  private static func refusal(of path: String, as log: String) -> String {
    "\(path): the file is a replica of the log \(log), and this command does not "
      + "change a shared log. Nothing was changed. A backup of the replica is a journal of its "
      + "own, which can be changed and published under a new name."
  }

  init(_ error: StoreError) {
    switch error.reason {
    case .journal(let error):
      self.init(ToolError.status(of: error), sentence: "\(error)")
      // The advice of the library is for programs.
      switch error.reason {
      case .replica(let log): sentence = ToolError.refusal(of: error.path, as: log)
      case .locked(let holder):
        sentence =
          "\(error.path): \(holder.map { "\($0)" } ?? "another process") is writing to this journal, "
          + "and the command writes it too. Nothing was changed. Wait until the process has ended."
      case .notReplica(let log):
        sentence =
          "\(error.path): the journal is not a replica of the log \(log), but the file "
          + "\(error.path)-shared of an earlier replica is beside it. Nothing was changed. Move "
          + "that file away."
        let stale = ShellText.quoted("\(error.path)-shared")
        advice = "mv \(stale) \(stale).old"
      case .rewritten(let log):
        sentence =
          "\(error.path): the log \(log) contains a rewritten journal, which this replica cannot "
          + "continue. The replica can be read. Clone the log under a new name."
        if let address = try? OpenJournal.sharedLogAddress(of: error.path) {
          advice = ShellText.command(["clone", address, "NEW"])
        }
      case .diverged: advice = ShellText.command(["repair", error.path, "--dry-run"])
      default: break
      }
    case .compactsReplica(let log), .erasesInReplica(let log):
      self.init(.refused, sentence: ToolError.refusal(of: error.path, as: log))
    case .payload, .limit: self.init(.problem, sentence: "\(error)")
    case .validation, .conflict, .alreadyExists: self.init(.declined, sentence: "\(error)")
    case .noSuchMoment, .unknownEntity, .unknownAttribute, .notFound:
      self.init(.usage, sentence: "\(error)")
    default: self.init(.refused, sentence: "\(error)")
    }
  }

  init(_ error: TextJournalError) {
    switch error.reason {
    case .journal(let cause): self.init(ToolError.status(of: cause), sentence: "\(error)")
    case .disk(let disk) where disk.operation == .open && disk.code == Errno.noSuchFile:
      self.init(.refused, sentence: "\(error.path): the file does not exist. Check the path.")
    case .disk: self.init(.refused, sentence: "\(error)")
    case .refused(let cause):
      self.init(ToolError(cause).status, sentence: "\(error)")
    default: self.init(.problem, sentence: "\(error)")
    }
  }

  private static func status(of error: JournalError) -> ExitStatus {
    switch error.reason {
    case .notAJournal, .newerFormat, .newerWriter, .newerFrame, .damaged, .damagedFrame,
      .historyChanged, .diverged, .rewritten:
      .problem
    default: .refused
    }
  }
}
