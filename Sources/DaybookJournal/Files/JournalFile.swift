import DaybookPlatform
import Synchronization

/// A journal file, with its bytes as an image that grows with the file.
///
/// The code that opened the file closes it. Readers may keep a reference to this object.
package final class JournalFile: JournalImage {
  package let identity: FileIdentity
  private let reading: JournalReading
  private let state: Mutex<State>

  // Guarded by the mutex `state`: the file, the number of its bytes, and the mapping. A longer
  // mapping replaces the mapping when the file has grown. Views of the previous mapping keep that
  // mapping alive. `mapsNot` is true if the file is read by copying, or if mapping has failed.
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

  /// The file. After ``close()``, every call that can throw throws `EBADF`.
  package var file: any DiskFile { state.withLock { $0.file } }

  /// A Boolean value that indicates whether the file was closed.
  package var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Closes the descriptor if the file is mapped, because readers of a mapping do not need the
  /// descriptor. If the file is read by copying, the descriptor stays open until the last reader is
  /// released.
  package func closeUnlessCopied() {
    if state.withLock({ $0.mapping != nil }) { close() }
  }

  /// Closes the descriptor when the calls in flight have returned. Mapped bytes stay readable.
  package func close() {
    // The variable keeps the file alive, so that the file is released after the lock and not inside
    // it.
    let file = state.withLock { state in
      let file = state.file
      if state.isClosed { return file }
      // Existing readers may still read up to the end of the file, so the mapping must include all
      // of it.
      if UInt64(state.mapping?.byteCount ?? 0) < state.byteCount, state.mapping != nil {
        remap(&state)
      }
      state.file = ClosedFile(path: file.path)
      state.isClosed = true
      return file
    }
    withExtendedLifetime(file) {}
  }

  /// The number of bytes in the file at the last time that this process has determined it.
  package var byteCount: UInt64 { state.withLock { $0.byteCount } }

  /// Records that the file has grown.
  package func grow(to byteCount: UInt64) {
    state.withLock { $0.byteCount = max($0.byteCount, byteCount) }
  }

  /// Updates the number of bytes from the file's status.
  package func refresh() throws(DiskError) -> FileStatus {
    let status = try file.status()
    state.withLock { $0.byteCount = status.byteCount }
    return status
  }

  package func view(at offset: UInt64, atLeast minimum: Int) throws(DiskError) -> ByteView {
    let (mapping, byteCount) = state.withLock { state in
      let end = min(offset + UInt64(minimum), state.byteCount)
      if !state.mapsNot, UInt64(state.mapping?.byteCount ?? 0) < end { remap(&state) }
      return (state.mapping, state.byteCount)
    }
    guard offset < byteCount else { return ByteView() }
    guard let mapping, UInt64(mapping.byteCount) >= min(offset + UInt64(minimum), byteCount) else {
      return try CopiedImage(file, byteCount: byteCount).view(at: offset, atLeast: minimum)
    }
    let end = min(byteCount, UInt64(mapping.byteCount))
    return mapping.view(Int(offset)..<Int(end))
  }

  /// Returns the bytes of the file from its start to an offset; nil if the file is shorter, or if
  /// it is read by copying.
  package func mapped(through end: UInt64) -> ByteView? {
    state.withLock { state in
      guard end <= state.byteCount else { return nil }
      if !state.mapsNot, UInt64(state.mapping?.byteCount ?? 0) < end { remap(&state) }
      guard let mapping = state.mapping, UInt64(mapping.byteCount) >= end else { return nil }
      return mapping.view(0..<Int(end))
    }
  }

  /// Maps the file with room to grow, so that appends seldom need a new mapping.
  ///
  /// If mapping fails, the file is read by copying from then on, which is slower. Some file systems
  /// do not support mapping, and the address space of a process is limited.
  private func remap(_ state: inout State) {
    if state.isClosed { return }
    let mappedByteCount = max(state.byteCount * 2, 1 << 20)
    guard let byteCount = Int(exactly: mappedByteCount),
      let mapping = try? state.file.map(byteCount: byteCount)
    else {
      state.mapsNot = true
      state.mapping = nil
      return
    }
    state.mapping = mapping
  }
}

/// The ways to load the bytes of a journal into memory.
public enum JournalReading: Hashable, Sendable {
  /// The file is mapped, which is fastest. If a different program truncates the file under the
  /// mapping, the system ends the process.
  case mapped
  /// The bytes are copied. If a different program truncates the file, the file only ends early. Use
  /// this for files that are not trusted.
  case copied
}

/// The replacement for a file that was closed. Every call that can throw throws `EBADF`.
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
