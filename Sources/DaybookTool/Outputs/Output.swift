import DaybookJournal
import DaybookPlatform

/// A buffered writer for the results of commands: to standard output, or to a part in memory.
///
/// Texts of a journal never move the cursor or change the terminal. In lines, control characters
/// are escaped everywhere. In data such as JSON and CSV, they are escaped on a terminal. Only the
/// styles of ``StyledLine`` and the constants of ``control(_:)`` are written as they are.
final class Output {
  /// The error of a write after the reader has closed the output, for example `head` in a pipe. The
  /// tool then exits without a message.
  struct Closed: Error {}

  /// The descriptor; nil if the results stay in memory.
  private let descriptor: FileDescriptor?
  private let isTerminal: Bool
  /// The pager that shows the results; nil without a pager.
  private var pager: Pager?
  private var bytes: [UInt8] = []
  /// The part of the results to keep in memory, as a range of their bytes.
  private let part: Range<Int>
  /// The bytes of the part.
  private(set) var retainedBytes: [UInt8] = []
  /// The number of bytes that were flushed.
  private var flushedCount = 0
  /// A Boolean value that indicates whether there are results after the part.
  var isCut: Bool { descriptor == nil && flushedCount > part.upperBound }
  private static let pieceByteCount = 64 << 10

  init(_ descriptor: Int32) {
    let descriptor = FileDescriptor(descriptor, path: "standard output")
    self.descriptor = descriptor
    isTerminal = descriptor.isTerminal
    part = 0..<0
  }

  /// Creates a writer that keeps a part of the results in memory. When the part is complete, the
  /// writer ends the command by throwing ``Closed``.
  init(keeping part: Range<Int>) {
    descriptor = nil
    isTerminal = false
    self.part = part
  }

  /// Sends the results to a pager. Messages on standard error are held until the pager has ended.
  func show(with pager: Pager) {
    self.pager = pager
    StandardError.hold()
  }

  /// Appends a line.
  func line(_ contents: String) throws {
    bytes.append(contentsOf: DisplayWidth.shown(contents).utf8)
    try append("\n".utf8)
  }

  /// Appends a line with styles.
  func line(_ line: StyledLine) throws {
    try start(line)
    try append("\n".utf8)
  }

  /// Appends the lines of a text.
  func lines(_ contents: String) throws {
    for line in contents.split(separator: "\n", omittingEmptySubsequences: false) {
      try self.line(String(line))
    }
  }

  /// Appends the start of a line, to which no line break follows.
  func start(_ line: StyledLine) throws { try append(line.escaped(usesColor: true).utf8) }

  /// Appends a sequence that moves the cursor or changes the terminal. It is a constant, so it
  /// cannot contain a text of a journal.
  func control(_ sequence: StaticString) throws { try append(sequence.description.utf8) }

  /// Appends data, such as JSON and CSV. On a terminal, all control characters but line breaks are
  /// escaped.
  ///
  /// - Parameter data: The data, which ends with a complete character.
  func write(_ data: [UInt8]) throws {
    guard isTerminal else { return try append(data) }
    let lines = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { DisplayWidth.shown(String(decoding: $0, as: UTF8.self)) }
    try append(lines.joined(separator: "\n").utf8)
  }

  private func append(_ more: some Sequence<UInt8>) throws {
    bytes.append(contentsOf: more)
    if bytes.count >= Output.pieceByteCount { try write() }
  }

  /// A Boolean value that indicates whether the system reports that the reader has closed the
  /// output.
  var hasLostReader: Bool { descriptor?.hasLostReader ?? false }

  /// Discards the results that were not flushed.
  ///
  /// - Returns: False if results were flushed before.
  func discard() -> Bool {
    guard flushedCount == 0 else { return false }
    bytes.removeAll(keepingCapacity: true)
    return true
  }

  /// Writes the buffer to the descriptor, or to the part. With a pager, the method does nothing:
  /// the buffer must grow until it is known whether the output fits the terminal.
  func flush() throws {
    if pager == nil { try write() }
  }

  /// Writes the rest of the results, and waits until the user quits the pager.
  func finish() throws {
    guard let pager else { return try write() }
    defer {
      self.pager = nil
      StandardError.release()
    }
    if !pager.isShowing, pager.fits(bytes) {
      self.pager = nil
      return try write()
    }
    try write()
    do { try pager.finish() } catch let error as DiskError { throw Output.converted(error) }
  }

  private func write() throws {
    defer { bytes.removeAll(keepingCapacity: true) }
    guard let descriptor else { return try keep() }
    if !bytes.isEmpty { Progress.shared.clear() }
    flushedCount += bytes.count
    if let pager {
      do { try pager.write(bytes) } catch let error as DiskError { throw Output.converted(error) }
      return
    }
    do throws(DiskError) { try descriptor.writeAll(bytes.span.bytes) } catch {
      throw Output.converted(error)
    }
  }

  private static func converted(_ error: DiskError) -> any Error {
    error.code == Errno.pipeClosed
      ? Closed() : ToolError(.refused, sentence: "\(error)")
  }

  /// Keeps the bytes of the buffer that belong to the part.
  private func keep() throws {
    let start = min(max(0, part.lowerBound - flushedCount), bytes.count)
    let end = min(max(start, part.upperBound - flushedCount), bytes.count)
    retainedBytes += bytes[start..<end]
    flushedCount += bytes.count
    if isCut { throw Closed() }
  }
}
