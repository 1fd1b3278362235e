import Synchronization

/// An open journal file and its bytes as an image that grows with it.
package final class JournalFile: JournalImage {
  package let file: any DiskFile
  package let identity: FileIdentity
  private let reading: JournalReading
  private let state: Mutex<State>

  // Guarded by `state`: how much of the file there is to read, and the mapping of it. A mapping is
  // only ever replaced by a longer one, and views of the old one keep it.
  private struct State {
    var byteCount: UInt64
    var mapping: Mapping?
    var mapsNot = false
  }

  package init(_ file: any DiskFile, reading: JournalReading) throws(DiskError) {
    self.file = file
    self.reading = reading
    let status = try file.status()
    identity = status.identity
    state = Mutex(State(byteCount: status.byteCount, mapsNot: reading == .copied))
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
      return state.mapping?.view(0..<Int(end))
    }
  }

  /// Maps the file with room to grow, so that appending seldom leads to a new mapping.
  ///
  /// Where mapping is not to be had (a file system without it, a process short of addresses), the
  /// bytes are copied instead: slower, and as right.
  private func remap(_ state: inout State) {
    let wanted = max(state.byteCount * 2, 1 << 20)
    guard let byteCount = Int(exactly: wanted),
      let mapping = try? file.map(byteCount: byteCount)
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
