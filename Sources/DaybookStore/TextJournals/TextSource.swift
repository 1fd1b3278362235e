import DaybookJournal
import Glibc

/// Where a text journal is read from: a file, an open descriptor, or memory.
///
/// An import reads its text twice. What can be read only once, as a pipe, is first copied to a
/// temporary file that has no name.
package struct TextSource: Sendable {
  enum Kind: Sendable {
    case file
    case descriptor(Int32)
    case bytes([UInt8])
  }

  let kind: Kind
  /// What errors call it.
  package let path: String
  /// How long a line may be.
  package var lineByteCountMax = LineReader.lengthMax

  /// The text in a file, a named pipe included.
  package static func file(_ path: String) -> TextSource { TextSource(kind: .file, path: path) }

  /// The text that is read from a descriptor, which the caller has opened and closes. A file is
  /// read from where the descriptor stands.
  package static func descriptor(_ descriptor: Int32, path: String = "-") -> TextSource {
    TextSource(kind: .descriptor(descriptor), path: path)
  }

  /// A text in memory.
  package static func bytes(_ bytes: [UInt8], path: String) -> TextSource {
    TextSource(kind: .bytes(bytes), path: path)
  }

  /// A text that can be read from its beginning as often as wanted.
  func open() throws(DiskError) -> OpenText {
    switch kind {
    case .bytes(let bytes): return OpenText(bytes, lineByteCountMax)
    case .descriptor(let descriptor):
      return try OpenText(descriptor, ownsDescriptor: false, path: path, lineByteCountMax)
    case .file:
      // A path with a zero in it would end there for the system.
      guard !path.utf8.contains(0) else { throw DiskError(.open, path: path, code: EINVAL) }
      let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw DiskError(.open, path: path, code: errno) }
      return try OpenText(descriptor, ownsDescriptor: true, path: path, lineByteCountMax)
    }
  }
}

/// A text that can be read from its beginning as often as wanted.
final class OpenText {
  private let bytes: [UInt8]
  private var descriptor: Int32 = -1
  private var ownsDescriptor = false
  private var start: UInt64 = 0
  private var byteCount: UInt64 = 0
  private let path: String
  private let lineByteCountMax: Int

  init(_ bytes: [UInt8], _ lineByteCountMax: Int) {
    self.bytes = bytes
    self.lineByteCountMax = lineByteCountMax
    path = ""
  }

  /// - Throws: Also for a directory, which opens and cannot be read.
  init(
    _ descriptor: Int32, ownsDescriptor: Bool, path: String, _ lineByteCountMax: Int
  ) throws(DiskError) {
    bytes = []
    self.lineByteCountMax = lineByteCountMax
    self.descriptor = descriptor
    self.ownsDescriptor = ownsDescriptor
    self.path = path
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw DiskError(.status, path: path, code: errno)
    }
    let kind = status.st_mode & S_IFMT
    guard kind != S_IFDIR else { throw DiskError(.read, path: path, code: EISDIR) }
    if kind == S_IFREG {
      let place = lseek(descriptor, 0, SEEK_CUR)
      guard place >= 0 else { throw DiskError(.read, path: path, code: errno) }
      start = UInt64(place)
      byteCount = UInt64(max(0, status.st_size))
    } else {
      try spool()
    }
  }

  deinit { if ownsDescriptor { close(descriptor) } }

  /// The lines of the text, from the first one on.
  func lines(
    _ phase: ReadingProgress.Phase = .reading, _ progress: ReadingProgress? = nil
  ) -> LineReader {
    guard descriptor >= 0 else {
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
      let count = try text.read(into: memory, at: offset)
      offset += UInt64(count)
      steps?.pass(offset)
      return count
    }
  }

  private func read(
    into memory: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws(DiskError) -> Int {
    while true {
      let count = pread(descriptor, memory.baseAddress, memory.count, off_t(offset))
      if count >= 0 { return count }
      guard errno == EINTR else { throw DiskError(.read, path: path, code: errno) }
    }
  }

  /// Copies what comes through a pipe to a temporary file without a name, and reads that instead.
  private func spool() throws(DiskError) {
    let source = descriptor
    let given = getenv("TMPDIR").map { String(cString: $0) } ?? ""
    let directory = given.isEmpty ? "/tmp" : given
    let target = try OpenText.openUnnamedFile(in: directory)
    var isDone = false
    defer { if !isDone { close(target) } }
    var piece = [UInt8](repeating: 0, count: LineReader.pieceByteCount)
    var copied: UInt64 = 0
    while true {
      let count = Glibc.read(source, &piece, piece.count)
      if count < 0 {
        guard errno == EINTR else { throw DiskError(.read, path: path, code: errno) }
        continue
      }
      if count == 0 { break }
      try OpenText.writeAll(piece.span.bytes.extracting(0..<count), to: target, directory)
      copied += UInt64(count)
    }
    if ownsDescriptor { close(source) }
    descriptor = target
    ownsDescriptor = true
    start = 0
    byteCount = copied
    isDone = true
  }

  /// Creates a temporary file without a name, so that nothing is left of it however the process ends.
  private static func openUnnamedFile(in directory: String) throws(DiskError) -> Int32 {
    // The flag O_TMPFILE, which the module of the C library does not have.
    let isUnnamed = 0o2000_0000 | O_DIRECTORY
    let unnamed = open(directory, isUnnamed | O_RDWR | O_CLOEXEC, 0o600)
    if unnamed >= 0 { return unnamed }
    // Some file systems have named files only.
    var name = Array("\(directory)/daybook-XXXXXX".utf8CString)
    let named = mkstemp(&name)
    guard named >= 0 else { throw DiskError(.create, path: directory, code: errno) }
    _ = fcntl(named, F_SETFD, FD_CLOEXEC)
    unlink(name)
    return named
  }

  /// Writes every byte to a descriptor.
  static func writeAll(
    _ bytes: RawSpan, to descriptor: Int32, _ path: String
  ) throws(DiskError) {
    var done = 0
    while done < bytes.byteCount {
      let count = bytes.extracting(done..<bytes.byteCount).withUnsafeBytes {
        write(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0 {
        guard errno == EINTR else { throw DiskError(.write, path: path, code: errno) }
        continue
      }
      done += count
    }
  }
}
