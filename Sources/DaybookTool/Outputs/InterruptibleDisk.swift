@_spi(Disk) @_spi(Tools) import DaybookJournal
import DaybookPlatform

/// The disk of this machine for journals that the tool writes. If a signal ends the tool, the files
/// that have no final name yet are removed.
struct InterruptibleDisk: Disk {
  private let disk = SystemDisk()
  private let interruption: Interruption

  init(_ interruption: Interruption = .shared) { self.interruption = interruption }

  func open(_ path: String, for access: FileAccess) throws(DiskError) -> any DiskFile {
    try disk.open(path, for: access)
  }

  func create(_ path: String, permissions: UInt16) throws(DiskError) -> any DiskFile {
    try interruption.creating(path) { () throws(DiskError) in
      try disk.create(path, permissions: permissions)
    }
  }

  func rename(_ source: String, to target: String) throws(DiskError) {
    try interruption.finishing(source, as: target) { () throws(DiskError) in
      try disk.rename(source, to: target)
    }
  }

  func link(_ source: String, to target: String) throws(DiskError) {
    try interruption.finishing(source, as: target) { () throws(DiskError) in
      try disk.link(source, to: target)
    }
  }

  func remove(_ path: String) throws(DiskError) {
    try interruption.removing(path) { () throws(DiskError) in try disk.remove(path) }
  }

  func list(_ directory: String) throws(DiskError) -> [String] { try disk.list(directory) }

  func status(of path: String) throws(DiskError) -> FileStatus { try disk.status(of: path) }

  func resolve(_ path: String) throws(DiskError) -> String { try disk.resolve(path) }

  func syncDirectory(_ path: String) throws(DiskError) { try disk.syncDirectory(path) }

  func watch(_ directory: String) throws(DiskError) -> any DiskWatch { try disk.watch(directory) }
}

extension JournalOptions {
  /// Returns the options for a journal that the tool reads or writes: the progress is shown, and
  /// an interruption leaves no unfinished file.
  ///
  /// - Parameter name: The name of the journal or the text that is read.
  static func tool(reading name: String) -> JournalOptions {
    var options = JournalOptions(on: InterruptibleDisk())
    options.progress = Progress.shared.reading(name)
    options.receivesHints = false
    return options
  }
}
