import DaybookPlatform
import Synchronization

/// A journal file and its bytes as an image that grows with it.
///
/// Whoever opened it closes it: others may keep the image for as long as they read.
package final class JournalFile: JournalImage {
  package let identity: FileIdentity
  private let reading: JournalReading
  private let state: Mutex<State>

  // Guarded by `state`: the file itself, until it is closed; how much of it there is to read, and the mapping
  // of it. A mapping is only ever replaced by a longer one, and views of the old one keep it.
  private struct State {
    var file: any DiskFile
    var isClosed = false
    var byteCount: UInt64
    var mapping: Mapping?
    var mapsNot = false
  }

  package init(_ file: any DiskFile, reading: JournalReading) throws(DiskError) {
    self.reading = reading
    let status = try file.status()
    identity = status.identity
    state = Mutex(State(file: file, byteCount: status.byteCount, mapsNot: reading == .copied))
  }

  /// The file. Once it is closed, every call of it throws `EBADF`.
  package var file: any DiskFile { state.withLock { $0.file } }

  /// Whether the file was closed.
  package var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Gives back the descriptor if what was read can be read without it. Where the file is read by copying, its readers
  /// keep it.
  package func closeUnlessCopied() {
    if state.withLock({ $0.mapping != nil }) { close() }
  }

  /// Gives back the descriptor, as soon as calls in flight have returned. What is mapped can still be read.
  package func close() {
    // Released behind the lock.
    let file = state.withLock { state in
      let file = state.file
      if state.isClosed { return file }
      // Readers that were made before may not have come to the end yet.
      if UInt64(state.mapping?.byteCount ?? 0) < state.byteCount, state.mapping != nil {
        remap(&state)
      }
      state.file = ClosedFile(path: file.path)
      state.isClosed = true
      return file
    }
    withExtendedLifetime(file) {}
  }

  /// How many bytes there are, as far as this process has looked.
  package var byteCount: UInt64 { state.withLock { $0.byteCount } }

  /// Takes note that the file has grown.
  package func grow(to byteCount: UInt64) {
    state.withLock { $0.byteCount = max($0.byteCount, byteCount) }
  }

  /// Looks how big the file is.
  package func refresh() throws(DiskError) -> FileStatus {
    let status = try file.status()
    state.withLock { $0.byteCount = status.byteCount }
    return status
  }

  package func view(at offset: UInt64, atLeast wanted: Int) throws(DiskError) -> ByteView {
    let (mapping, byteCount) = state.withLock { state in
      let end = min(offset + UInt64(wanted), state.byteCount)
      if !state.mapsNot, UInt64(state.mapping?.byteCount ?? 0) < end { remap(&state) }
      return (state.mapping, state.byteCount)
    }
    guard offset < byteCount else { return ByteView() }
    guard let mapping, UInt64(mapping.byteCount) >= min(offset + UInt64(wanted), byteCount) else {
      return try CopiedImage(file, byteCount: byteCount).view(at: offset, atLeast: wanted)
    }
    let end = min(byteCount, UInt64(mapping.byteCount))
    return mapping.view(Int(offset)..<Int(end))
  }

  /// The file from its beginning through an offset, if it can be mapped: nil if it is read by
  /// copying.
  package func mapped(through end: UInt64) -> ByteView? {
    state.withLock { state in
      guard end <= state.byteCount else { return nil }
      if !state.mapsNot, UInt64(state.mapping?.byteCount ?? 0) < end { remap(&state) }
      guard let mapping = state.mapping, UInt64(mapping.byteCount) >= end else { return nil }
      return mapping.view(0..<Int(end))
    }
  }

  /// Maps the file with room to grow, so that appending seldom leads to a new mapping.
  ///
  /// Where mapping is not to be had (a file system without it, a process short of addresses), the
  /// bytes are copied instead: slower, and as right.
  private func remap(_ state: inout State) {
    if state.isClosed { return }
    let wanted = max(state.byteCount * 2, 1 << 20)
    guard let byteCount = Int(exactly: wanted),
      let mapping = try? state.file.map(byteCount: byteCount)
    else {
      state.mapsNot = true
      state.mapping = nil
      return
    }
    state.mapping = mapping
  }
}

/// How a journal's bytes are brought into memory.
public enum JournalReading: Hashable, Sendable {
  /// By mapping the file: fastest. A file that someone else cuts short under a mapping ends the
  /// process.
  case mapped
  /// By copying: for files that are not to be trusted.
  case copied
}

/// A file that was closed.
private final class ClosedFile: DiskFile {
  let path: String

  init(path: String) { self.path = path }

  private func error(_ operation: DiskError.Operation) -> DiskError {
    DiskError(operation, path: path, code: Errno.badFileDescriptor)
  }

  func moved(to path: String) {}

  func read(at offset: UInt64, into buffer: inout MutableRawSpan) throws(DiskError) -> Int {
    throw error(.read)
  }

  func write(_ bytes: RawSpan, at offset: UInt64) throws(DiskError) -> Int { throw error(.write) }

  func sync() throws(DiskError) { throw error(.sync) }

  func truncate(to byteCount: UInt64) throws(DiskError) { throw error(.truncate) }

  func status() throws(DiskError) -> FileStatus { throw error(.status) }

  func map(byteCount: Int) throws(DiskError) -> Mapping { throw error(.map) }

  func lock() throws(DiskError) -> Bool { throw error(.lock) }

  func lockWaiting() throws(DiskError) { throw error(.lock) }

  func unlock() {}

  func lockHolder() -> LockHolder? { nil }

  func setPermissions(_ permissions: UInt16, owner: UInt32, group: UInt32) throws(DiskError) {
    throw error(.setPermissions)
  }
}
