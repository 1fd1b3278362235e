import DaybookJournal
import DaybookPlatform

/// The program that shows long output of a command on a terminal, such as `less`.
///
/// The program starts when the output is too long for the terminal. If it cannot be started, the
/// output is written to the terminal. If the user quits the program early, the rest of the output
/// is not needed.
final class Pager {
  private let command: String
  private let terminal: Terminal
  private var process: ChildProcess?
  /// The output so far; nil if it is so long that the program must have read a part of it.
  private var retained: [UInt8]? = []
  /// A Boolean value that indicates whether the output is written to the terminal instead.
  private var isMissing = false

  /// A number of bytes that is greater than the capacity of a pipe. A program to which more bytes
  /// were written has read some.
  private static let retainedByteCountMax = 1 << 20
  /// The exit statuses of a shell that cannot run a program.
  private static let missing: [ChildProcess.End] = [.exited(126), .exited(127)]

  init(_ command: String, on terminal: Terminal) {
    self.command = command
    self.terminal = terminal
  }

  /// The command in the environment, otherwise `less`; nil if the user wants no pager.
  static var command: String? {
    let value =
      CurrentProcess.environment("DAYBOOK_PAGER") ?? CurrentProcess.environment("PAGER") ?? "less"
    let words = value.split(separator: " ")
    return words.isEmpty || words == ["cat"] ? nil : value
  }

  /// Returns whether an output fits the terminal, so that it needs no pager.
  func fits(_ bytes: [UInt8]) -> Bool {
    guard let rowCount = terminal.rowCount, let columnCount = terminal.columnCount else {
      return true
    }
    var count = 1
    for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      let width = DisplayWidth.columns(Pager.withoutStyles(line))
      count += max(1, (width + columnCount - 1) / columnCount)
      if count > rowCount + 1 { return false }
    }
    return true
  }

  /// Returns a line without the escape sequences of colors and bold text.
  private static func withoutStyles(_ line: ArraySlice<UInt8>) -> String {
    var plain: [UInt8] = []
    var rest = line
    while let byte = rest.popFirst() {
      guard byte == 0x1B else {
        plain.append(byte)
        continue
      }
      while let next = rest.popFirst(), next != UInt8(ascii: "m") {}
    }
    return String(decoding: plain, as: UTF8.self)
  }

  /// A Boolean value that indicates whether output was sent to the program, or to the terminal
  /// instead.
  var isShowing: Bool { process != nil || isMissing }

  /// Writes bytes to the program, and starts it first if necessary.
  ///
  /// - Throws: ``DiskError``; ``Output/Closed`` if the user has quit the program.
  func write(_ bytes: [UInt8]) throws {
    guard !isMissing else { return try FileDescriptor.standardOutput.writeAll(bytes.span.bytes) }
    retained? += bytes
    guard let process = process ?? started() else { return try bypass() }
    do throws(DiskError) { try process.input.writeAll(bytes.span.bytes) } catch {
      guard error.code == Errno.pipeClosed else { throw error }
      if try end() { return }
      throw Output.Closed()
    }
    if let count = retained?.count, count > Pager.retainedByteCountMax { retained = nil }
  }

  /// Ends the output, and waits until the user quits the program.
  func finish() throws { _ = try end() }

  private func started() -> ChildProcess? {
    let options = CurrentProcess.environment("LESS") == nil ? ["LESS": "FRX"] : [:]
    process = try? ChildProcess(shell: command, environment: options)
    guard let process else { return nil }
    Progress.shared.suspend()
    Interruption.shared.pager = process
    return process
  }

  /// Waits until the program has ended.
  ///
  /// - Returns: A Boolean value that indicates whether the program could not be run, so that the
  ///   output was written to the terminal.
  private func end() throws -> Bool {
    guard let process else { return false }
    let input = TerminalInput()
    process.closeInput()
    let end = process.wait()
    (self.process, Interruption.shared.pager) = (nil, nil)
    // A program that was killed has not restored the terminal.
    if case .signaled = end, let settings { input?.restore(settings) }
    guard Pager.missing.contains(end), retained != nil else { return false }
    try bypass()
    return true
  }

  /// Writes the output to the terminal, from its start on.
  private func bypass() throws {
    isMissing = true
    guard let bytes = retained.take() else { return }
    try FileDescriptor.standardOutput.writeAll(bytes.span.bytes)
  }

  /// The settings of the terminal before the program started.
  private let settings = TerminalInput()?.settings
}
