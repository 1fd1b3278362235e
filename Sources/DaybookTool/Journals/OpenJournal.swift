import DaybookJournal
import DaybookStore
import Glibc

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

  init(_ name: String) throws {
    self.name = name == "-" ? "standard input" : name
    if name == "-" || OpenJournal.isText(name) {
      store = try OpenJournal.imported(
        name == "-" ? .descriptor(STDIN_FILENO, path: "standard input") : .file(name))
      (complaint, status) = (nil, .done)
      return
    }
    do throws(StoreError) {
      var options = JournalOptions()
      options.reading = .copied
      store = try Store(reading: name, [], options)
    } catch { throw ToolError(error) }
    let report = store.report.flatMap { $0.isUneventful ? nil : "\($0)" }
    let lines = [report, store.readingProblem.map { "\($0)" }].compactMap { $0 }
    complaint = lines.isEmpty ? nil : lines.joined(separator: "\n")
    var isDamaged = store.readingProblem != nil
    if case .damaged = store.report?.outcome { isDamaged = true }
    status = isDamaged ? .problem : .done
  }

  /// Whether a file begins as a text does. What cannot be read is for the opening to say.
  private static func isText(_ name: String) -> Bool {
    let descriptor = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return false }
    // What is no file, as a pipe that the shell has opened, holds a text: a journal is a file.
    guard status.st_mode & S_IFMT == S_IFREG else { return status.st_mode & S_IFMT != S_IFDIR }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    return bytes.prefix(max(0, count)).first { ![9, 10, 13, 32].contains($0) }
      == UInt8(ascii: "{")
  }

  /// A journal made of a text.
  private static func imported(_ text: TextSource) throws -> Store {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/daybook-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw ToolError(.refused, "\(DiskError(.create, path: parent, code: errno))")
    }
    let directory = String(
      decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    let path = directory + "/text.daybook"
    defer {
      unlink(path)
      unlink(path + "-end")
      rmdir(directory)
    }
    do throws(TextJournalError) { _ = try TextJournal.import(text, to: path) } catch {
      throw ToolError(error)
    }
    do throws(StoreError) { return try Store(reading: path, [], JournalOptions()) } catch {
      throw ToolError(error)
    }
  }
}

extension OpenJournal {
  /// An error of the store, which may have the journal under another name.
  func error(_ error: StoreError) -> ToolError { ToolError(StoreError(error.reason, path: name)) }
}

extension ToolError {
  init(_ error: StoreError) {
    switch error.reason {
    case .journal(let error): self.init(ToolError.status(of: error), "\(error)")
    case .payload: self.init(.problem, "\(error)")
    case .noSuchMoment, .unknownEntity, .unknownAttribute: self.init(.misunderstood, "\(error)")
    default: self.init(.refused, "\(error)")
    }
  }

  init(_ error: TextJournalError) {
    switch error.reason {
    case .journal(let cause): self.init(ToolError.status(of: cause), "\(error)")
    case .disk: self.init(.refused, "\(error)")
    default: self.init(.problem, "\(error)")
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
