import DaybookJournal
import DaybookPlatform
import DaybookStore

/// The text of an import: a file, an open descriptor, or bytes in memory.
///
/// An import reads its text twice. A text that can be read only once, such as that of a pipe, is first copied
/// to a temporary file that has no name.
public struct TextSource: Sendable {
  enum Kind: Sendable {
    case file
    case descriptor(Int32)
    case bytes([UInt8])
  }

  let kind: Kind
  /// The name of the text in errors.
  public let path: String
  /// The longest line that is read, in bytes.
  package var lineByteCountMax = LineReader.lengthMax

  /// Returns the text in a file or a named pipe.
  public static func file(_ path: String) -> TextSource { TextSource(kind: .file, path: path) }

  /// Returns the text that is read from a descriptor. The caller opens and closes the descriptor. A file is
  /// read from the descriptor's position on.
  ///
  /// - Parameters:
  ///   - descriptor: The descriptor.
  ///   - path: The name of the text in errors.
  public static func descriptor(_ descriptor: Int32, path: String = "-") -> TextSource {
    TextSource(kind: .descriptor(descriptor), path: path)
  }

  /// Returns a text in memory.
  ///
  /// - Parameters:
  ///   - bytes: The text in UTF-8.
  ///   - path: The name of the text in errors.
  public static func bytes(_ bytes: [UInt8], path: String) -> TextSource {
    TextSource(kind: .bytes(bytes), path: path)
  }

  /// A text that can be read from its beginning as often as wanted.
  func open() throws(DiskError) -> OpenText {
    switch kind {
    case .bytes(let bytes): return OpenText(bytes, lineByteCountMax: lineByteCountMax)
    case .descriptor(let descriptor):
      return try OpenText(
        FileDescriptor(descriptor, path: path), ownsDescriptor: false,
        lineByteCountMax: lineByteCountMax)
    case .file:
      // A path with a zero in it would end there for the system.
      guard !path.utf8.contains(0) else {
        throw DiskError(.open, path: path, code: Errno.invalidArgument)
      }
      return try OpenText(
        FileDescriptor.open(path), ownsDescriptor: true, lineByteCountMax: lineByteCountMax)
    }
  }
}

/// A text that can be read from its beginning as often as wanted.
final class OpenText {
  private let bytes: [UInt8]
  /// The file with the text; nil for a text in memory.
  private var file: FileDescriptor?
  private var ownsDescriptor = false
  private var start: UInt64 = 0
  private var byteCount: UInt64 = 0
  private let lineByteCountMax: Int

  init(_ bytes: [UInt8], lineByteCountMax: Int) {
    self.bytes = bytes
    self.lineByteCountMax = lineByteCountMax
  }

  /// - Throws: Also for a directory, which opens and cannot be read.
  init(
    _ file: FileDescriptor, ownsDescriptor: Bool, lineByteCountMax: Int
  ) throws(DiskError) {
    bytes = []
    self.lineByteCountMax = lineByteCountMax
    self.file = file
    self.ownsDescriptor = ownsDescriptor
    let status = try file.status()
    switch status.kind {
    case .directory: throw DiskError(.read, path: file.path, code: Errno.isDirectory)
    case .file:
      start = try file.position()
      byteCount = status.byteCount
    default: try copy(file)
    }
  }

  deinit { if ownsDescriptor { file?.close() } }

  /// The lines of the text, from the first one on.
  func lines(
    _ phase: ReadingProgress.Phase = .reading, progress: ReadingProgress? = nil
  ) -> LineReader {
    guard let file else {
      let bytes = bytes
      var done = 0
      return LineReader(lengthMax: lineByteCountMax) { (memory) throws(DiskError) in
        let count = min(memory.count, bytes.count - done)
        memory.copyBytes(from: bytes[done..<done + count])
        done += count
        return count
      }
    }
    // The descriptor stays open for as long as somebody reads.
    let text = self
    var offset = start
    var steps = progress?.steps(phase, of: byteCount)
    return LineReader(lengthMax: lineByteCountMax) { (memory) throws(DiskError) in
      defer { withExtendedLifetime(text) {} }
      let count = try file.read(into: memory, at: offset)
      offset += UInt64(count)
      steps?.pass(offset)
      return count
    }
  }

  /// Copies what comes through a pipe to a temporary file without a name, and reads that instead.
  private func copy(_ source: FileDescriptor) throws(DiskError) {
    let copy = try FileDescriptor.createUnnamedFile(in: CurrentProcess.temporaryDirectory)
    var isDone = false
    defer { if !isDone { copy.close() } }
    let piece = UnsafeMutableRawBufferPointer.allocate(
      byteCount: LineReader.pieceByteCount, alignment: 16)
    defer { piece.deallocate() }
    var copied: UInt64 = 0
    while true {
      let count = try source.read(into: piece)
      if count == 0 { break }
      try copy.writeAll(piece.bytes.extracting(0..<count))
      copied += UInt64(count)
    }
    if ownsDescriptor { source.close() }
    file = FileDescriptor(copy.number, path: source.path)
    ownsDescriptor = true
    byteCount = copied
    isDone = true
  }
}
