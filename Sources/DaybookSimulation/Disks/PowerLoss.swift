/// A model of the possible contents, after a power loss, of a 512-byte sector that was written and
/// not synced.
///
/// | the sector            | `syncedBytesAreSafe`           | `touchedSectorsMayBeLost`           |
/// | --------------------- | ------------------------------ | ----------------------------------- |
/// | contains synced bytes | old, or any later version      | old, any version, zeros, or garbage |
/// | has no synced bytes   | any version, zeros, or garbage | any version, zeros, or garbage      |
///
/// In both models, a synced sector that was not written again does not change.
public enum SectorModel: Hashable, Sendable, CaseIterable {
  /// A disk writes each sector completely or not at all, as disks promise. Only a sector without
  /// synced bytes may have arbitrary content, because the file system may have allocated the sector
  /// to the file just before.
  case syncedBytesAreSafe

  /// A disk may lose a sector while it writes it, including the synced bytes in the sector.
  case touchedSectorsMayBeLost
}

/// An outcome of a power loss that every program should be tested with, in addition to random
/// outcomes.
public enum PowerLossOutcome: Hashable, Sendable, CaseIterable {
  /// All names, sizes and bytes are kept, also the unsynced ones.
  case everythingSurvives
  /// All unsynced data is lost.
  case everythingLost
  /// Names are kept; unsynced sizes and bytes are lost. This outcome detects files that are renamed
  /// before they are synced.
  case onlyNamesSurvive
  /// Sizes and bytes are kept; unsynced names are lost. This outcome detects directories that are
  /// not synced.
  case onlyContentsSurvive
  /// Names and sizes are kept; unsynced sectors are zeros where the model permits it, and old
  /// elsewhere.
  case zeroed
  /// Names and sizes are kept; unsynced sectors are garbage where the model permits it, and old
  /// elsewhere.
  case garbage
}

/// The decisions of one power loss. For each unsynced name, size and sector, a decision determines
/// the state after the power loss. The decisions are random, fixed, or a path of a ``ChoiceWalk``.
struct PowerLossFate {
  /// The content of a written sector after the power loss.
  enum Sector {
    case old, version(Int), zeros, garbage
  }

  /// The fixed outcome; nil if the decisions are random or a path of a walk.
  private let outcome: PowerLossOutcome?
  private let model: SectorModel
  private var generator: SplitMix64
  // The probability, in quarters, that the newest version is kept without a further choice. With
  // independent choices alone, an image would almost never contain most of a large unsynced write,
  // and tests would not find errors in such images.
  private let newestInFour: Int
  /// The present path, if the test enumerates all outcomes; otherwise nil.
  private(set) var walk: ChoiceWalk?

  /// Creates random decisions, which follow from a seed.
  init(seed: UInt64, model: SectorModel) {
    outcome = nil
    self.model = model
    generator = SplitMix64(seed: seed)
    newestInFour = generator.below(5)
  }

  /// Creates the decisions of one path of an enumeration.
  init(_ walk: ChoiceWalk, model: SectorModel) {
    outcome = nil
    self.model = model
    self.walk = walk
    generator = SplitMix64(seed: 0)
    newestInFour = 0
  }

  /// Creates the decisions of a fixed outcome.
  init(_ outcome: PowerLossOutcome, model: SectorModel) {
    self.outcome = outcome
    self.model = model
    generator = SplitMix64(seed: 0)
    newestInFour = 0
  }

  /// Returns the next choice, from the walk if there is one, otherwise from the random generator.
  private mutating func choose(from count: Int) -> Int {
    walk?.choose(from: count) ?? generator.below(count)
  }

  /// Returns whether an unsynced change of names is kept.
  mutating func keepsChange() -> Bool {
    switch outcome {
    case .everythingSurvives, .onlyNamesSurvive, .zeroed, .garbage: true
    case .everythingLost, .onlyContentsSurvive: false
    case nil: choose(from: 2) == 0
    }
  }

  /// Returns whether to keep the newest version without a further choice.
  private mutating func prefersNewest() -> Bool {
    walk == nil && generator.below(4) < newestInFour
  }

  /// Returns the size of a file after the power loss: its durable size, or one of its unsynced
  /// sizes.
  mutating func size(durable: Int, unsynced: [Int]) -> Int {
    guard let newest = unsynced.last else { return durable }
    switch outcome {
    case .everythingSurvives, .onlyContentsSurvive, .zeroed, .garbage: return newest
    case .everythingLost, .onlyNamesSurvive: return durable
    case nil:
      if prefersNewest() { return newest }
      let index = choose(from: unsynced.count + 1)
      return index == unsynced.count ? durable : unsynced[index]
    }
  }

  /// Returns the state of a written sector after the power loss.
  mutating func sector(_ sector: SimulatedInode.DirtySector) -> Sector {
    let versionCount = sector.versions.count
    let mayBeLost = !sector.holdsSyncedBytes || model == .touchedSectorsMayBeLost
    switch outcome {
    case .everythingSurvives, .onlyContentsSurvive: return .version(versionCount - 1)
    case .everythingLost, .onlyNamesSurvive: return .old
    case .zeroed: return mayBeLost ? .zeros : .old
    case .garbage: return mayBeLost ? .garbage : .old
    case nil:
      if prefersNewest() { return .version(versionCount - 1) }
      let index = choose(from: versionCount + (mayBeLost ? 3 : 1))
      if index < versionCount { return .version(index) }
      return [.old, .zeros, .garbage][index - versionCount]
    }
  }

  /// Returns whether a sector that the program has never written contains garbage. The file gained
  /// this sector by growing.
  mutating func fillsHole() -> Bool {
    switch outcome {
    case .garbage: true
    case .some: false
    case nil: !prefersNewest() && choose(from: 2) == 0
    }
  }

  /// Fills bytes with random numbers.
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
  /// Returns the bytes of the file after a power loss.
  func bytes(after fate: inout PowerLossFate) -> [UInt8] {
    let count = fate.size(durable: durable.count, unsynced: sizes)
    var bytes = durable
    if count < bytes.count {
      bytes.removeLast(bytes.count - count)
    } else {
      bytes.appendZeros(count - bytes.count)
    }
    // A file without unsynced data is returned here, so that it shares its memory with the original
    // file.
    let firstHole = (durable.count + Self.sectorByteCount - 1) / Self.sectorByteCount
    guard !dirty.isEmpty || firstHole * Self.sectorByteCount < count else { return bytes }

    bytes.withUnsafeMutableBytes { target in
      // The sectors are sorted, because the order of a dictionary differs in each run, and equal
      // seeds must give equal decisions.
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
