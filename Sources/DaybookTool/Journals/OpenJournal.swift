import Daybook
import DaybookJournal
import DaybookPlatform
@_spi(Tools) import DaybookStore
import DaybookText

/// A journal that somebody has named on the command line, opened for reading.
///
/// A journal is a file in the binary form, a text in the form of JSON Lines, or `-` for such a text on
/// standard input. A text is first made a journal of, in a temporary file that has no name any more when it
/// is read.
struct OpenJournal {
  /// What there is in it; of a damaged one, what is intact.
  let store: Store
  /// What it was called on the command line.
  let name: String
  /// What is to be said of it beside the results, and how the process then ends.
  let complaint: String?
  let status: ExitStatus
  /// What making a journal of a text found; nil if it is none.
  let imported: TextImportReport?

  init(_ name: String) throws {
    if let text = OpenJournal.text(name) {
      try self.init(name, text: text)
    } else {
      try self.init(binary: name)
    }
  }

  /// A text.
  init(_ name: String, text: TextSource) throws {
    self.name = name == "-" ? "standard input" : name
    let report: TextImportReport
    (store, report) = try OpenJournal.imported(text)
    // A text without transactions has its entities all the same.
    if report.transactionCount == 0 {
      do throws(StoreError) { try store.define(report.entities) } catch { throw ToolError(error) }
    }
    (imported, complaint, status) = (report, nil, .done)
  }

  /// A journal in the binary form.
  private init(binary name: String) throws {
    self.name = name
    imported = nil
    var options = JournalOptions()
    options.progress = Progress.shared.reading(name)
    do throws(StoreError) { store = try Store(reading: name, options: options) } catch {
      throw ToolError(error)
    }
    let report = store.report.flatMap { $0.isUneventful ? nil : "\($0)" }
    let lines = [report, store.readingProblem.map { "\($0)" }].compactMap { $0 }
    complaint = lines.isEmpty ? nil : lines.joined(separator: "\n")
    var isDamaged = store.readingProblem != nil
    if case .damaged = store.report?.outcome { isDamaged = true }
    status = isDamaged ? .problem : .done
  }

  /// The text of a name; nil if it is that of a journal.
  static func text(_ name: String) -> TextSource? {
    if name == "-" {
      return .descriptor(FileDescriptor.standardInput.number, path: "standard input")
    }
    return isText(name) ? .file(name) : nil
  }

  /// What a name leads to. What cannot be read is for the opening to say.
  private enum Named {
    case file(beginning: [UInt8])
    case directory
    /// What is no file, as a pipe that the shell has opened.
    case stream
    case nothing

    init(_ name: String) {
      self = .nothing
      guard let file = try? SystemDisk().open(name, for: .reading),
        let status = try? file.status()
      else { return }
      switch status.kind {
      case .file: self = .file(beginning: (try? file.bytes(at: 0, count: 64)) ?? [])
      case .directory: self = .directory
      default: self = .stream
      }
    }
  }

  /// Whether a file begins as a journal does.
  static func isJournal(_ name: String) -> Bool {
    guard case .file(let beginning) = Named(name) else { return false }
    return beginning.starts(with: JournalReader.magic)
  }

  /// Whether a file begins as a text does. A stream holds a text, as a journal is a file.
  private static func isText(_ name: String) -> Bool {
    switch Named(name) {
    case .file(let beginning):
      beginning.first { ![9, 10, 13, 32].contains($0) } == UInt8(ascii: "{")
    case .stream: true
    case .directory, .nothing: false
    }
  }

  /// A journal made of a text.
  private static func imported(
    _ text: TextSource
  ) throws -> (store: Store, report: TextImportReport) {
    // The journal has no name any more when this returns, and the store reads it on.
    let folder = try TemporaryFolder()
    let path = folder.path + "/text.daybook"
    defer { withExtendedLifetime(folder) {} }
    let report: TextImportReport
    var options = JournalOptions()
    options.progress = Progress.shared.reading(text.path)
    // Its name is taken away at once.
    options.durability = .none
    do throws(TextJournalError) {
      report = try TextJournal.import(text, to: path, options: options)
    } catch {
      throw ToolError(error)
    }
    do throws(StoreError) {
      return (try Store(reading: path), report)
    } catch { throw ToolError(error) }
  }
}

extension OpenJournal {
  /// Reads something of the journal, and throws the errors of the store and of requests as those of the tool.
  func reading<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as StoreError {
      throw self.error(error)
    } catch let error as RequestError {
      throw ToolError(error)
    }
  }

  /// An error of the store, which may have the journal under another name.
  func error(_ error: StoreError) -> ToolError {
    var result = ToolError(StoreError(error.reason, path: name))
    if case .noSuchMoment(let sequence, let first, let last) = error.reason {
      result.correction = Correction(
        place: .moment, written: "\(sequence)", meant: "\(sequence < first ? first : last)")
    }
    return result
  }
}

extension ToolError {
  init(_ error: StoreError) {
    switch error.reason {
    case .journal(let error): self.init(ToolError.status(of: error), sentence: "\(error)")
    case .payload, .limit: self.init(.problem, sentence: "\(error)")
    case .noSuchMoment, .unknownEntity, .unknownAttribute, .notThere:
      self.init(.misunderstood, sentence: "\(error)")
    default: self.init(.refused, sentence: "\(error)")
    }
  }

  init(_ error: TextJournalError) {
    switch error.reason {
    case .journal(let cause): self.init(ToolError.status(of: cause), sentence: "\(error)")
    case .disk(let disk) where disk.operation == .open && disk.code == Errno.noSuchFile:
      self.init(.refused, sentence: "\(error.path): there is no file of this name. Check the path.")
    case .disk: self.init(.refused, sentence: "\(error)")
    default: self.init(.problem, sentence: "\(error)")
    }
  }

  private static func status(of error: JournalError) -> ExitStatus {
    switch error.reason {
    case .notAJournal, .newerFormat, .newerWriter, .newerFrame, .damaged, .damagedFrame,
      .historyChanged:
      .problem
    default: .refused
    }
  }
}
