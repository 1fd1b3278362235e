/// What a loss of power may do to a 512-byte sector that was written and not synced.
///
/// | the sector          | `syncedBytesAreSafe`    | `touchedSectorsMayBeLost` |
/// | ------------------- | ----------------------- | ------------------------- |
/// | holds synced bytes  | old, or any it has been | as below                  |
/// | holds none          | zeros, garbage, or any it has been | the same       |
///
/// Under both, a sector that was not written since the last sync is left alone.
public enum SectorModel: Hashable, Sendable, CaseIterable {
  /// A sector is written whole or not at all, as disks promise; only one that holds no synced
  /// bytes, and may just have been given to the file, may come back as anything.
  case syncedBytesAreSafe

  /// A sector that is being written may be lost, with the synced bytes in it.
  case touchedSectorsMayBeLost
}

/// An outcome of a loss of power that every program should be tried with, besides random ones.
public enum PowerLossOutcome: Hashable, Sendable, CaseIterable {
  /// All names, sizes and bytes are as the program last saw them.
  case everythingKept
  /// Nothing that was not synced is left.
  case everythingLost
  /// Names are kept; unsynced sizes and bytes are lost. It finds what is renamed before it is
  /// synced.
  case onlyNamesKept
  /// Sizes and bytes are kept; unsynced names are lost. It finds directories that are not synced.
  case onlyContentsKept
  /// Names and sizes are kept; unsynced sectors are zeros where they may be, and old elsewhere.
  case zeroed
  /// Names and sizes are kept; unsynced sectors are garbage where they may be, and old elsewhere.
  case garbage
}

/// Decides, at one loss of power, what is kept.
struct PowerLossFate {
  enum Sector {
    case old, version(Int), zeros, garbage
  }

  private let outcome: PowerLossOutcome?
  private let model: SectorModel
  private var generator: SplitMix64
  // How often in four the newest version is taken without drawing lots. With lots alone, no image
  // of a large unsynced write would have most of it, and what is wrong with such images would go
  // unseen.
  private let newestInFour: Int
  /// Where every outcome is wanted: which one it is.
  private(set) var walk: ChoiceWalk?

  /// What is decided by lot.
  init(seed: UInt64, model: SectorModel) {
    outcome = nil
    self.model = model
    generator = SplitMix64(seed: seed)
    newestInFour = generator.below(5)
  }

  /// What is decided by going through all there is.
  init(_ walk: ChoiceWalk, model: SectorModel) {
    outcome = nil
    self.model = model
    self.walk = walk
    generator = SplitMix64(seed: 0)
    newestInFour = 0
  }

  /// What is decided by rule.
  init(_ outcome: PowerLossOutcome, model: SectorModel) {
    self.outcome = outcome
    self.model = model
    generator = SplitMix64(seed: 0)
    newestInFour = 0
  }

  private mutating func choose(from count: Int) -> Int {
    walk?.choose(from: count) ?? generator.below(count)
  }

  mutating func keepsChange() -> Bool {
    switch outcome {
    case .everythingKept, .onlyNamesKept, .zeroed, .garbage: true
    case .everythingLost, .onlyContentsKept: false
    case nil: choose(from: 2) == 0
    }
  }

  private mutating func prefersNewest() -> Bool {
    walk == nil && generator.below(4) < newestInFour
  }

  /// One of the sizes a file may have.
  mutating func size(durable: Int, unsynced: [Int]) -> Int {
    guard let newest = unsynced.last else { return durable }
    switch outcome {
    case .everythingKept, .onlyContentsKept, .zeroed, .garbage: return newest
    case .everythingLost, .onlyNamesKept: return durable
    case nil:
      if prefersNewest() { return newest }
      let index = choose(from: unsynced.count + 1)
      return index == unsynced.count ? durable : unsynced[index]
    }
  }

  /// What becomes of a sector that has been written.
  mutating func sector(_ sector: SimulatedInode.DirtySector) -> Sector {
    let versionCount = sector.versions.count
    let mayBeLost = !sector.holdsSyncedBytes || model == .touchedSectorsMayBeLost
    switch outcome {
    case .everythingKept, .onlyContentsKept: return .version(versionCount - 1)
    case .everythingLost, .onlyNamesKept: return .old
    case .zeroed: return mayBeLost ? .zeros : .old
    case .garbage: return mayBeLost ? .garbage : .old
    case nil:
      if prefersNewest() { return .version(versionCount - 1) }
      let index = choose(from: versionCount + (mayBeLost ? 3 : 1))
      if index < versionCount { return .version(index) }
      return [.old, .zeros, .garbage][index - versionCount]
    }
  }

  /// Whether a sector that was never written, in a file that has grown over it, is garbage.
  mutating func fillsHole() -> Bool {
    switch outcome {
    case .garbage: true
    case .some: false
    case nil: !prefersNewest() && choose(from: 2) == 0
    }
  }

  mutating func garbage(in bytes: Slice<UnsafeMutableRawBufferPointer>) {
    var index = bytes.startIndex
    while index + 8 <= bytes.endIndex {
      bytes.base.storeBytes(of: generator.next(), toByteOffset: index, as: UInt64.self)
      index += 8
    }
    while index < bytes.endIndex {
      bytes.base[index] = UInt8(truncatingIfNeeded: generator.next())
      index += 1
    }
  }
}

extension SimulatedInode {
  /// The bytes that a loss of power leaves.
  func bytes(after fate: inout PowerLossFate) -> [UInt8] {
    let count = fate.size(durable: durable.count, unsynced: sizes)
    var bytes = durable
    if count < bytes.count {
      bytes.removeLast(bytes.count - count)
    } else {
      bytes.appendZeros(count - bytes.count)
    }
    // Most files of most images have nothing unsynced, and share their memory.
    let firstHole = (durable.count + Self.sectorByteCount - 1) / Self.sectorByteCount
    guard !dirty.isEmpty || firstHole * Self.sectorByteCount < count else { return bytes }

    bytes.withUnsafeMutableBytes { target in
      // In order, since a dictionary's own order differs from run to run.
      for number in dirty.keys.sorted() {
        let start = number * Self.sectorByteCount
        guard start < count, let sector = dirty[number] else { break }
        let range = start..<min(start + Self.sectorByteCount, count)
        switch fate.sector(sector) {
        case .old: break
        case .zeros: target[range].zero()
        case .garbage: fate.garbage(in: target[range])
        case .version(let index):
          let version = sector.versions[index]
          let end = start + min(version.count, range.count)
          version.withUnsafeBytes { target[start..<end].copyBytes(from: $0[..<(end - start)]) }
          target[end..<range.upperBound].zero()
        }
      }
      for number
        in firstHole..<max(firstHole, (count + Self.sectorByteCount - 1) / Self.sectorByteCount)
      where dirty[number] == nil && fate.fillsHole() {
        let start = number * Self.sectorByteCount
        fate.garbage(in: target[start..<min(start + Self.sectorByteCount, count)])
      }
    }
    return bytes
  }
}
