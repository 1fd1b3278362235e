import DaybookJournal
import DaybookPlatform

/// One file or directory of a simulated disk: its present bytes, its durable bytes, and the
/// unsynced versions of its sectors. These invariants hold:
///
/// 1. `cached` contains the present bytes, which reads return.
/// 2. `durable` contains the bytes of the file if a power loss loses all unsynced data.
/// 3. If the content of a sector can be different after a power loss, the sector is in `dirty`.
///    There is one exception: a sector that starts at or after the end of `durable` and was never
///    written is not in `dirty`. Its content after a power loss is zeros or garbage.
/// 4. `sizes` contains all sizes that the file had after the last sync; the last one is the present
///    size. It is empty if the size did not change after the last sync.
///
/// A version of a sector contains the bytes of the sector after one write. If the file ends in the
/// sector, the version ends there, and the rest of the sector is zeros.
struct SimulatedInode {
  static let sectorByteCount = 512

  /// A sector that was written after the last sync that made it durable.
  struct DirtySector {
    /// The versions that were written, the oldest first.
    var versions: [[UInt8]] = []
    /// A Boolean value that indicates whether a failed sync dropped the sector. The system has
    /// marked such a sector as clean, so a sync does not write it unless the program writes it
    /// again.
    var isDropped = false
    /// A Boolean value that indicates whether the sector contained durable bytes before the first
    /// of these versions.
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
  // The largest of the durable size and the sizes in `sizes`.
  private var extent: Int
  /// The mappings of the file, which always have the present bytes.
  private var mirrors: [SimulatedMirror] = []

  /// Creates a file whose bytes are durable.
  init(number: UInt64, kind: FileStatus.Kind, permissions: UInt16, bytes: [UInt8] = []) {
    self.number = number
    self.kind = kind
    self.permissions = permissions
    cached = bytes
    durable = bytes
    extent = bytes.count
  }

  /// Returns a copy of the file without mappings.
  func unmapped() -> SimulatedInode {
    var inode = self
    inode.mirrors = []
    return inode
  }

  /// Maps the file, with space for a greater size. Returns nil if there is not enough memory.
  mutating func map(byteCount: Int) -> Mapping? {
    guard let made = SimulatedMirror.make(of: cached, byteCount: byteCount) else { return nil }
    mirrors.removeAll { !$0.exists }
    mirrors.append(made.mirror)
    return made.mapping
  }

  /// Returns the file after a power loss. The given bytes are its durable bytes.
  func restarted(with bytes: [UInt8]) -> SimulatedInode {
    var inode = unmapped()
    inode.replace(with: bytes)
    return inode
  }

  /// Replaces the bytes of the file by durable bytes.
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
    // The system fills the rest of the last sector with zeros, which is a new version of this
    // sector. Later sectors do not change on the medium.
    if !byteCount.isMultiple(of: Self.sectorByteCount) {
      saveVersion(of: byteCount / Self.sectorByteCount)
    }
  }

  private mutating func grow(to byteCount: Int) {
    let oldCount = cached.count
    cached.appendZeros(byteCount - oldCount)
    for mirror in mirrors { mirror.show(cached, from: oldCount) }
    sizes.append(byteCount)
    // If the file had a sector earlier, lost it by a truncation, and has it again, the sector
    // contains zeros. These zeros are a new version. Sectors that the file never had need no
    // version, by invariant 3.
    let first = (oldCount + Self.sectorByteCount - 1) / Self.sectorByteCount
    let end = (min(byteCount, extent) + Self.sectorByteCount - 1) / Self.sectorByteCount
    if first < end {
      for sector in first..<end { saveVersion(of: sector) }
    }
    extent = max(extent, byteCount)
  }

  /// Adds the present bytes of a sector as a new version.
  private mutating func saveVersion(of sector: Int) {
    let start = sector * Self.sectorByteCount
    let version = [UInt8](cached[start..<min(start + Self.sectorByteCount, cached.count)])
    let clean = DirtySector(holdsSyncedBytes: start < durable.count)
    dirty[sector, default: clean].versions.append(version)
    dirty[sector]?.isDropped = false
  }

  /// Makes the bytes and the size durable. Sectors that an earlier sync dropped stay as they are.
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

  /// Marks every sector that is not durable as dropped. Reads still return its bytes, but a later
  /// sync does not write them unless the program writes them again. The size is not dropped,
  /// because the file system writes it to a journal of its own.
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

  /// Inverts bits of one byte in the present bytes, in the durable bytes, and in all versions.
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
  // Appending an array copies a block of memory. In a build without optimization, appending
  // `repeatElement` would append byte by byte.
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
