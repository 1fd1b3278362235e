import DaybookJournal
import DaybookPlatform

/// One file of a simulated disk: the bytes that reads see, the durable bytes, and the versions in
/// between.
///
/// 1. `cached` contains the bytes that reads see.
/// 2. `durable` contains the bytes that remain if a power loss takes all unsynced data.
/// 3. A sector that may have a different content after a power loss is in `dirty`. The exception is
///    a sector that starts at or after the end of `durable` and was never written: its content is
///    zeros, or old data of the medium.
/// 4. `sizes` contains the sizes of the file since the last sync, the present size last. It is
///    empty if the size is durable.
///
/// A version of a sector contains its bytes at one moment. It ends at the end of the file; zeros
/// follow.
struct SimulatedInode {
  static let sectorByteCount = 512

  /// A sector that was written since it was last made durable.
  struct DirtySector {
    /// The versions that were written, oldest first.
    var versions: [[UInt8]] = []
    /// A Boolean value that indicates whether a sync failed to write the sector. The system marks
    /// such a sector as clean, so no later sync writes it until it is written again.
    var isDropped = false
    /// A Boolean value that indicates whether some bytes of the sector were durable when it was
    /// first written.
    let holdsSyncedBytes: Bool
  }

  let number: UInt64
  let kind: FileStatus.Kind
  var permissions: UInt16
  var owner: UInt32 = 0
  var group: UInt32 = 0

  private(set) var cached: [UInt8]
  private(set) var durable: [UInt8]
  private(set) var dirty: [Int: DirtySector] = [:]
  private(set) var sizes: [Int] = []
  // The largest of `sizes` and of the durable size.
  private var extent: Int
  /// The mappings of the file. They show the same bytes as reads.
  private var mirrors: [SimulatedMirror] = []

  /// Creates a file with bytes that are all durable.
  init(number: UInt64, kind: FileStatus.Kind, permissions: UInt16, bytes: [UInt8] = []) {
    self.number = number
    self.kind = kind
    self.permissions = permissions
    cached = bytes
    durable = bytes
    extent = bytes.count
  }

  /// Returns the file without its mappings.
  func unmapped() -> SimulatedInode {
    var inode = self
    inode.mirrors = []
    return inode
  }

  /// Maps the file, with room to grow; returns nil if there is not enough memory.
  mutating func map(byteCount: Int) -> Mapping? {
    guard let made = SimulatedMirror.make(of: cached, byteCount: byteCount) else { return nil }
    mirrors.removeAll { !$0.exists }
    mirrors.append(made.mirror)
    return made.mapping
  }

  /// Returns the file after a power loss, with the given bytes, all durable.
  func restarted(with bytes: [UInt8]) -> SimulatedInode {
    var inode = unmapped()
    inode.replace(with: bytes)
    return inode
  }

  /// Replaces the bytes of the file; the new bytes are durable.
  mutating func replace(with bytes: [UInt8]) {
    cached = bytes
    for mirror in mirrors { mirror.show(cached, from: 0) }
    durable = bytes
    dirty = [:]
    sizes = []
    extent = bytes.count
  }

  mutating func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    guard let source = bytes.baseAddress, !bytes.isEmpty else { return }
    let end = offset + bytes.count
    if end > cached.count { grow(to: end) }
    cached.withUnsafeMutableBytes {
      $0.baseAddress?.advanced(by: offset).copyMemory(from: source, byteCount: bytes.count)
    }
    for mirror in mirrors { mirror.show(cached, from: offset, count: bytes.count) }
    for sector in offset / Self.sectorByteCount...(end - 1) / Self.sectorByteCount {
      saveVersion(of: sector)
    }
  }

  mutating func truncate(to byteCount: Int) {
    guard byteCount != cached.count else { return }
    guard byteCount < cached.count else { return grow(to: byteCount) }
    cached.removeLast(cached.count - byteCount)
    sizes.append(byteCount)
    // The system fills the rest of the last sector with zeros. Later sectors do not change.
    if !byteCount.isMultiple(of: Self.sectorByteCount) {
      saveVersion(of: byteCount / Self.sectorByteCount)
    }
  }

  private mutating func grow(to byteCount: Int) {
    let oldCount = cached.count
    cached.appendZeros(byteCount - oldCount)
    for mirror in mirrors { mirror.show(cached, from: oldCount) }
    sizes.append(byteCount)
    // Sectors that the file had, lost, and has again contain zeros. Sectors that the file never had
    // need no version.
    let first = (oldCount + Self.sectorByteCount - 1) / Self.sectorByteCount
    let end = (min(byteCount, extent) + Self.sectorByteCount - 1) / Self.sectorByteCount
    if first < end {
      for sector in first..<end { saveVersion(of: sector) }
    }
    extent = max(extent, byteCount)
  }

  private mutating func saveVersion(of sector: Int) {
    let start = sector * Self.sectorByteCount
    let version = [UInt8](cached[start..<min(start + Self.sectorByteCount, cached.count)])
    let clean = DirtySector(holdsSyncedBytes: start < durable.count)
    dirty[sector, default: clean].versions.append(version)
    dirty[sector]?.isDropped = false
  }

  /// Makes the bytes and the size durable, except for sectors that an earlier sync dropped.
  mutating func sync() {
    guard !dirty.isEmpty || !sizes.isEmpty else { return }
    let oldCount = durable.count
    if cached.count < oldCount {
      durable.removeLast(oldCount - cached.count)
    } else {
      durable.append(contentsOf: cached[oldCount...])
    }
    let count = cached.count
    let (cached, dirty) = (cached, dirty)
    durable.withUnsafeMutableBytes { target in
      cached.withUnsafeBytes { source in
        for (sector, state) in dirty {
          let start = sector * Self.sectorByteCount
          let end = min(start + Self.sectorByteCount, count)
          guard start < end else { continue }
          if !state.isDropped {
            target[start..<end].copyBytes(from: source[start..<end])
          } else if end > oldCount {
            target[max(start, oldCount)..<end].zero()
          }
        }
      }
    }
    self.dirty = dirty.filter { $0.value.isDropped && $0.key * Self.sectorByteCount < count }
    sizes = []
    extent = count
  }

  /// Drops every sector that is not durable. Reads still see it, but no later sync makes it durable
  /// unless it is written again. The size is not dropped, because the file system's own journal
  /// records it.
  mutating func failSync() {
    let first = (durable.count + Self.sectorByteCount - 1) / Self.sectorByteCount
    let end = (cached.count + Self.sectorByteCount - 1) / Self.sectorByteCount
    if first < end {
      for sector in first..<end where dirty[sector] == nil {
        dirty[sector] = DirtySector(versions: [[]], holdsSyncedBytes: false)
      }
    }
    for sector in dirty.keys { dirty[sector]?.isDropped = true }
  }

  /// Inverts bits of one byte in every stored copy.
  mutating func corrupt(at offset: Int, xor bits: UInt8) {
    cached[offset] ^= bits
    for mirror in mirrors { mirror.show(cached, from: offset, count: 1) }
    if offset < durable.count { durable[offset] ^= bits }
    let (sector, index) = offset.quotientAndRemainder(dividingBy: Self.sectorByteCount)
    guard var state = dirty[sector] else { return }
    for version in state.versions.indices where index < state.versions[version].count {
      state.versions[version][index] ^= bits
    }
    dirty[sector] = state
  }
}

extension [UInt8] {
  // Appending an array copies a block of memory. `repeatElement` would copy byte by byte in a build
  // without optimization.
  private static let zeros = [UInt8](repeating: 0, count: 1 << 16)

  mutating func appendZeros(_ byteCount: Int) {
    var rest = byteCount
    while rest > 0 {
      let step = Swift.min(rest, Self.zeros.count)
      append(contentsOf: Self.zeros[..<step])
      rest -= step
    }
  }
}

extension Slice<UnsafeMutableRawBufferPointer> {
  func zero() {
    UnsafeMutableRawBufferPointer(rebasing: self).initializeMemory(as: UInt8.self, repeating: 0)
  }

  func copyBytes(from source: Slice<UnsafeRawBufferPointer>) {
    UnsafeMutableRawBufferPointer(rebasing: self)
      .copyMemory(from: UnsafeRawBufferPointer(rebasing: source))
  }
}
