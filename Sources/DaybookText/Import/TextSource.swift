import DaybookJournal
import DaybookPlatform
import DaybookStore

/// The text of an import: a file, an open descriptor, or bytes in memory.
///
/// An import reads its text twice. A text that can be read only once, such as a pipe, is first
/// copied to a temporary file without a name.
public struct TextSource: Sendable {
  enum Kind: Sendable {
    case file
    case descriptor(Int32)
    case bytes([UInt8])
  }

  let kind: Kind
  /// The name of the text in error messages.
  public let path: String
  /// The longest line that is read, in bytes.
  package var lineByteCountMax = LineReader.lengthMax

  /// Returns a source that reads a file or a named pipe.
  public static func file(_ path: String) -> TextSource { TextSource(kind: .file, path: path) }

  /// Returns a source that reads an open descriptor.
  ///
  /// The caller opens and closes the descriptor. A regular file is read from the current position
  /// of the descriptor.
  ///
  /// - Parameters:
  ///   - descriptor: The descriptor.
  ///   - path: The name of the text in error messages.
  public static func descriptor(_ descriptor: Int32, path: String = "-") -> TextSource {
    TextSource(kind: .descriptor(descriptor), path: path)
  }

  /// Returns a source that reads bytes in memory.
  ///
  /// - Parameters:
  ///   - bytes: The text in UTF-8.
  ///   - path: The name of the text in error messages.
  public static func bytes(_ bytes: [UInt8], path: String) -> TextSource {
    TextSource(kind: .bytes(bytes), path: path)
  }

  /// Opens the text, so that an import can read it from its beginning several times.
  func open() throws(DiskError) -> OpenText {
    switch kind {
    case .bytes(let bytes): return OpenText(bytes, path: path, lineByteCountMax: lineByteCountMax)
    case .descriptor(let descriptor):
      return try OpenText(
        FileDescriptor(descriptor, path: path), ownsDescriptor: false,
        lineByteCountMax: lineByteCountMax)
    case .file:
      // The system ends a path at the first zero byte, so it would open a different file.
      guard !path.utf8.contains(0) else {
        throw DiskError(.open, path: path, code: Errno.invalidArgument)
      }
      return try OpenText(
        FileDescriptor.open(path), ownsDescriptor: true, lineByteCountMax: lineByteCountMax)
    }
  }
}

/// A text that an import can read from its beginning several times.
final class OpenText {
  private let bytes: [UInt8]
  /// The file that contains the text; nil for a text in memory.
  private var file: FileDescriptor?
  private var ownsDescriptor = false
  private var start: UInt64 = 0
  private var byteCount: UInt64 = 0
  private let lineByteCountMax: Int
  private let path: String
  /// A Boolean value that indicates whether the bytes start as a gzip file. Each pass over the text
  /// decompresses it again, so that a small file that expands to a large one needs no space.
  private var isCompressed = false

  init(_ bytes: [UInt8], path: String, lineByteCountMax: Int) {
    self.bytes = bytes
    self.path = path
    self.lineByteCountMax = lineByteCountMax
    isCompressed = bytes.starts(with: GzipReader.magic)
  }

  /// Creates a text from an open file.
  ///
  /// - Throws: ``DiskError`` if the text cannot be read, for example because it is a directory.
  init(
    _ file: FileDescriptor, ownsDescriptor: Bool, lineByteCountMax: Int
  ) throws(DiskError) {
    bytes = []
    path = file.path
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
    isCompressed = try beginning(GzipReader.magic.count) == GzipReader.magic
  }

  /// Returns the first bytes of the text, as they are stored.
  private func beginning(_ count: Int) throws(DiskError) -> [UInt8] {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
    defer { memory.deallocate() }
    let source = stored(.reading, progress: nil)
    var found: [UInt8] = []
    while found.count < count {
      let read = try source(
        UnsafeMutableRawBufferPointer(rebasing: memory[..<(count - found.count)]))
      if read == 0 { break }
      found += memory[..<read]
    }
    return found
  }

  deinit { if ownsDescriptor { file?.close() } }

  /// Returns a reader of the lines of the text, starting at the first one.
  func lines(
    _ phase: ReadingProgress.Phase = .reading, progress: ReadingProgress? = nil
  ) -> LineReader {
    let pieces = pieces(phase, progress: progress)
    return LineReader(lengthMax: lineByteCountMax, damage: pieces.damage, source: pieces.source)
  }

  /// Returns the decompressed bytes of the text, starting at the first one.
  func pieces(
    _ phase: ReadingProgress.Phase = .reading, progress: ReadingProgress? = nil
  ) -> TextPieces {
    let source = stored(phase, progress: progress)
    guard isCompressed else { return TextPieces(source: source, damage: { nil }) }
    let gzip = GzipSource(source, path: path)
    return TextPieces(
      source: { (memory) throws(DiskError) in try gzip.read(into: memory) },
      damage: { gzip.damage })
  }

  /// Returns a source of the bytes of the text as they are stored.
  private func stored(
    _ phase: ReadingProgress.Phase, progress: ReadingProgress?
  ) -> LineReader.Source {
    guard let file else {
      let bytes = bytes
      var done = 0
      return { (memory) throws(DiskError) in
        let count = min(memory.count, bytes.count - done)
        memory.copyBytes(from: bytes[done..<done + count])
        done += count
        return count
      }
    }
    // The closure keeps the text alive, so that the descriptor stays open while the reader is used.
    let opened = self
    var offset = start
    var steps = progress?.steps(phase, of: byteCount)
    return { (memory) throws(DiskError) in
      defer { withExtendedLifetime(opened) {} }
      let count = try file.read(into: memory, at: offset)
      offset += UInt64(count)
      steps?.pass(offset)
      return count
    }
  }

  /// Copies the contents of a pipe to a temporary file without a name, and uses that file as the
  /// text.
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
