import DaybookJournal
import DaybookPlatform

/// One file of a simulated disk: what reads see, what is durable, and what lies between.
///
/// 1. `cached` is what reads see.
/// 2. `durable` is what is left if a power loss takes all that is unsynced.
/// 3. A sector that may come back as anything else is in `dirty`, or begins at or beyond the end of
///    `durable` and was never written: such a sector is zeros, or what the platter held before.
/// 4. `sizes` are the sizes the file has had since the last sync, the present one last; none if the
///    size is durable.
///
/// A sector's version is its bytes at one moment. It ends where the file ended; zeros follow.
struct SimulatedInode {
  static let sectorByteCount = 512

  /// A sector written since it was last made durable.
  struct DirtySector {
    /// What was written, oldest first.
    var versions: [[UInt8]] = []
    /// Whether a sync failed on it. The system calls such a sector clean, so that no later sync
    /// writes it, until it is written again.
    var isDropped = false
    /// Whether some of its bytes were durable when it was first written.
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
  /// Who has it mapped: what reads see, mappings show.
  private var mirrors: [SimulatedMirror] = []

  /// A file whose bytes are all durable.
  init(number: UInt64, kind: FileStatus.Kind, permissions: UInt16, bytes: [UInt8] = []) {
    self.number = number
    self.kind = kind
    self.permissions = permissions
    cached = bytes
    durable = bytes
    extent = bytes.count
  }

  /// The same file, which nobody has mapped.
  func unmapped() -> SimulatedInode {
    var inode = self
    inode.mirrors = []
    return inode
  }

  /// Maps the file, with room to grow; nil if there is no memory for it.
  mutating func map(byteCount: Int) -> Mapping? {
    guard let made = SimulatedMirror.make(of: cached, byteCount: byteCount) else { return nil }
    mirrors.removeAll { !$0.isThere }
    mirrors.append(made.mirror)
    return made.mapping
  }

  /// The same file after a loss of power: its bytes, all durable.
  func restarted(with bytes: [UInt8]) -> SimulatedInode {
    var inode = unmapped()
    inode.replace(with: bytes)
    return inode
  }

  /// Puts other bytes in the file, all durable.
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
      keepVersion(of: sector)
    }
  }

  mutating func truncate(to byteCount: Int) {
    guard byteCount != cached.count else { return }
    guard byteCount < cached.count else { return grow(to: byteCount) }
    cached.removeLast(cached.count - byteCount)
    sizes.append(byteCount)
    // The system zeroes what is left of the last sector; the sectors behind it stay as they were.
    if !byteCount.isMultiple(of: Self.sectorByteCount) {
      keepVersion(of: byteCount / Self.sectorByteCount)
    }
  }

  private mutating func grow(to byteCount: Int) {
    let oldCount = cached.count
    cached.appendZeros(byteCount - oldCount)
    for mirror in mirrors { mirror.show(cached, from: oldCount) }
    sizes.append(byteCount)
    // Sectors the file had, lost, and has again, are now zeros. Those it never had need no version.
    let first = (oldCount + Self.sectorByteCount - 1) / Self.sectorByteCount
    let end = (min(byteCount, extent) + Self.sectorByteCount - 1) / Self.sectorByteCount
    if first < end {
      for sector in first..<end { keepVersion(of: sector) }
    }
    extent = max(extent, byteCount)
  }

  private mutating func keepVersion(of sector: Int) {
    let start = sector * Self.sectorByteCount
    let version = [UInt8](cached[start..<min(start + Self.sectorByteCount, cached.count)])
    let clean = DirtySector(holdsSyncedBytes: start < durable.count)
    dirty[sector, default: clean].versions.append(version)
    dirty[sector]?.isDropped = false
  }

  /// Makes the bytes and the size durable, but for the sectors an earlier sync has dropped.
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

  /// Drops every sector that is not durable: reads see it still, and no later sync saves it, unless
  /// it is written again. The size is not dropped, for it is in the file system's own journal.
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

  /// Flips bits of one byte, wherever it is kept.
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
  // Appending an array copies its memory at once, where `repeatElement` would go byte by byte in a
  // build without optimization.
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
