import DaybookJournal
import DaybookSimulation
import TestSupport
import Testing

/// Rows 1 to 3: recovery never accepts a damaged journal with missing transactions as complete.
///
/// The reference journal was closed, so that all its transactions are proven. Every image of it
/// must be either refused, or opened with all of them.
@Suite struct `Damage to a journal at rest` {
  let reference: ReferenceJournal
  let bytes: [UInt8]
  let original: ByteView
  /// The end of the last frame.
  let endOffset: Int

  init() throws {
    reference = try ReferenceJournal()
    let whole = reference.bytes
    endOffset = Int(try #require(lastFrameEnd(whole)))
    // One page of preallocated space is as good as all of it, and faster to test.
    bytes = Array(whole.prefix((endOffset + 4096 + 511) / 512 * 512))
    original = ByteView(bytes)
    #expect(endOffset - 16384 <= 48 << 10)
  }

  @Test func `truncation at every byte, also with zeros appended, loses nothing silently`() {
    FaultRow.run(1, "truncation at every byte") { count in
      let mapping = MappedImage(bytes)
      for length in lengths() {
        count += 2
        judge(CutImage(mapping, byteCount: length), "cut at \(length)")
        judge(CutImage(mapping, byteCount: length, zerosTo: bytes.count), "zeros from \(length)")
      }
    }
  }

  @Test func `a flipped bit loses nothing silently`() {
    FaultRow.run(2, "single bits") { count in
      var image = bytes
      func flip(_ bit: Int) {
        count += 1
        image[bit / 8] ^= 1 << UInt8(bit % 8)
        judge(MappedImage(image), "bit \(bit) flipped")
        image[bit / 8] ^= 1 << UInt8(bit % 8)
      }
      let places = [0..<8192] + ([8192, 12288] + frameOffsets(bytes)).map { $0..<$0 + 48 }
      // One stride over all bits: a stride in each frame would select the same bits of every frame.
      let bits = places.flatMap { $0.lowerBound * 8..<$0.upperBound * 8 }
      for index in stride(from: 0, to: bits.count, by: FaultRow.step(197)) { flip(bits[index]) }
      var generator = SplitMix64(seed: 2)
      for _ in 0..<FaultRow.count(50_000, full: 1_000_000) {
        flip(Int.random(in: 16384 * 8..<bytes.count * 8, using: &generator))
      }
    }
  }

  @Test(arguments: SectorFault.allCases)
  func `a sector with other contents loses nothing silently`(_ fault: SectorFault)
    throws
  {
    let other = try ReferenceJournal(seed: 99).bytes
    let earlier = try earlierLives()
    FaultRow.run(3, "sectors \(fault)") { count in
      var generator = SplitMix64(seed: UInt64(fault.hashValueForSeed))
      let sectors = bytes.count / 512
      for _ in 0..<FaultRow.count(2000, full: 500_000) {
        count += 1
        let sector = Int.random(in: 0..<sectors, using: &generator)
        let second = Int.random(in: 0..<sectors, using: &generator)
        let life = Int.random(in: 0..<earlier.count, using: &generator)
        var image = bytes
        let range = sector * 512..<sector * 512 + 512
        switch fault {
        case .zeroed:
          image.replaceSubrange(range, with: repeatElement(0, count: 512))
        case .duplicated:
          image.replaceSubrange(range, with: bytes[second * 512..<second * 512 + 512])
        case .swapped:
          image.replaceSubrange(range, with: bytes[second * 512..<second * 512 + 512])
          image.replaceSubrange(second * 512..<second * 512 + 512, with: bytes[range])
        case .fromAnotherJournal:
          image.replaceSubrange(range, with: sectorBytes(other, sector))
        case .fromAnEarlierLife:
          image.replaceSubrange(range, with: sectorBytes(earlier[life], sector))
        }
        judge(MappedImage(image), "\(fault): sector \(sector), \(second), life \(life)")
      }
    }
  }

  enum SectorFault: CaseIterable {
    case zeroed, duplicated, swapped, fromAnotherJournal, fromAnEarlierLife

    var hashValueForSeed: Int { SectorFault.allCases.firstIndex(of: self) ?? 0 }
  }

  @Test func `opening a file truncated near a frame's edge agrees with the decision`() {
    FaultRow.run(1, "whole openings at frame edges") { count in
      let mapping = MappedImage(bytes)
      var places = Set(stride(from: 0, through: bytes.count, by: 200 * 7))
      for frame in frameOffsets(bytes) + [endOffset] {
        for neighbour in -4...4 { places.insert(frame + neighbour) }
      }
      let step = FaultRow.step(47)
      for (index, place) in places.sorted().enumerated() where index % step == 0 {
        for zeros in [false, true] {
          count += 1
          let image = CutImage(mapping, byteCount: place, zerosTo: zeros ? bytes.count : nil)
          open(image.bytes, "cut at \(place)\(zeros ? " and zeros" : "")")
        }
      }
    }
  }

  // MARK: Judging

  /// Checks that an image is refused or complete, and that its intact part is unchanged.
  private func judge(_ image: any JournalImage, _ what: @autoclosure () -> String) {
    do {
      let verdict = try RecoveryDecision.decide(image, hasDerivedFiles: true)
      switch verdict {
      case .creationInterrupted:
        Issue.record("\(what()): taken for a journal that was never written")
      case .notAJournal, .newerFormat: break
      case .newerFrame(let journal, _), .damaged(let journal, _):
        try holdIntact(journal, image, what())
      case .clean(let journal), .torn(let journal, _):
        if journal.intact.sequence.rawValue != UInt64(ReferenceJournal.transactionCount) {
          Issue.record("\(what()): opened with \(journal.intact.sequence) transactions")
        }
        try holdIntact(journal, image, what())
      }
    } catch {
      Issue.record("\(what()): \(error)")
    }
  }

  private func holdIntact(
    _ journal: EvidentJournal, _ image: any JournalImage, _ what: @autoclosure () -> String
  ) throws {
    let end = Int(journal.intact.endOffset)
    guard end > 16384 else { return }
    let view = try image.view(at: 16384, atLeast: end - 16384)
    let isSame = view[0..<end - 16384] == original[16384..<end]
    if !isSame { Issue.record("\(what()): takes for intact what was never written") }
  }

  /// Opens the image as a file. The result must be the same, and a refused file must be unchanged.
  private func open(_ image: [UInt8], _ what: @autoclosure () -> String) {
    let disk = SimulatedDisk()
    disk.setContents(image, at: ReferenceJournal.path)
    disk.setContents([], at: ReferenceJournal.path + "-end")
    do throws(JournalError) {
      _ = try FileJournal(at: ReferenceJournal.path, options: .simulated(disk))
      let all = reference.payloads
      Oracle(submitted: all, acknowledgedCount: all.count).check(disk, what())
    } catch {
      if disk.contents(of: ReferenceJournal.path) != image {
        Issue.record("\(what()): refused (\(error)), and changed all the same")
      }
    }
  }

  private func lengths() -> StrideTo<Int> {
    stride(from: 0, to: bytes.count, by: FaultRow.step(307))
  }

  private func sectorBytes(_ bytes: [UInt8], _ sector: Int) -> [UInt8] {
    let piece = Array(bytes.dropFirst(sector * 512).prefix(512))
    return piece + Array(repeating: 0, count: 512 - piece.count)
  }

  /// The file after each tenth transaction, and an earlier file with the same name.
  private func earlierLives() throws -> [[UInt8]] {
    let disk = SimulatedDisk()
    let journal = try FileJournal(
      at: ReferenceJournal.path, options: .simulated(disk, seed: 0x5EED))
    var lives: [[UInt8]] = [try ReferenceJournal(seed: 7).bytes]
    for (index, payload) in reference.payloads.enumerated() {
      try journal.mustAppend(payload)
      if index % 10 == 0 { lives.append(disk.contents(of: ReferenceJournal.path) ?? []) }
    }
    return lives
  }
}

/// Returns the offsets of the frames of a journal.
func frameOffsets(_ bytes: [UInt8]) -> [Int] {
  guard case .success(let found) = try? RecoveryDecision.chooseHeader(MappedImage(bytes)) else {
    return []
  }
  var reader = FrameReader(MappedImage(bytes), header: found.header)
  var offsets: [Int] = []
  while (try? reader.advance()) == true { offsets.append(Int(reader.headerOffset)) }
  return offsets
}

/// Returns the end of the last frame of a journal.
func lastFrameEnd(_ bytes: [UInt8]) -> UInt64? {
  guard case .success(let found) = try? RecoveryDecision.chooseHeader(MappedImage(bytes)) else {
    return nil
  }
  var reader = FrameReader(MappedImage(bytes), header: found.header)
  while (try? reader.advance()) == true {}
  return reader.offset
}

/// A truncated image, optionally extended with zeros, that does not copy the whole image.
final class CutImage: JournalImage {
  private let whole: MappedImage
  private let cut: Int
  let byteCount: UInt64

  init(_ whole: MappedImage, byteCount: Int, zerosTo end: Int? = nil) {
    self.whole = whole
    cut = byteCount
    self.byteCount = UInt64(max(end ?? byteCount, byteCount))
  }

  var bytes: [UInt8] {
    whole.view(at: 0, atLeast: cut)[0..<cut].copy()
      + Array(repeating: 0, count: Int(byteCount) - cut)
  }

  func view(at offset: UInt64, atLeast: Int) -> ByteView {
    let offset = Int(offset)
    guard offset < Int(byteCount) else { return ByteView() }
    if Int(byteCount) == cut || offset + max(atLeast, 1) <= cut {
      return whole.view(at: UInt64(offset), atLeast: atLeast)[0..<cut - offset]
    }
    // The requested bytes extend into the zeros.
    let kept =
      offset < cut ? whole.view(at: UInt64(offset), atLeast: 1)[0..<cut - offset].copy() : []
    return ByteView(kept + Array(repeating: 0, count: Int(byteCount) - offset - kept.count))
  }
}
