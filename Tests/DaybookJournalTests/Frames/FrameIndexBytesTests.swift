import DaybookSimulation
import Testing

@testable import DaybookJournal

/// Tests of the index of a journal's frames, a part of which may be read from a file.
@Suite("The index of frames") struct FrameIndexBytesTests {
  /// An array with the behavior of the index.
  struct Model {
    var entries: [FramePosition] = []

    mutating func record(_ position: FramePosition) {
      if let last = entries.last, position.endOffset < last.endOffset + FrameIndex.interval {
        return
      }
      entries.append(position)
    }

    mutating func cut(at offset: UInt64) { entries.removeAll { $0.endOffset >= offset } }

    func entry(before sequence: SequenceNumber) -> FramePosition? {
      entries.last { $0.chain.sequence < sequence && $0.chain.isPastBase } ?? entries.first
    }
  }

  /// Returns the chain before a frame: some frames of the base, and transactions after them.
  func chain(_ place: Int, baseFrames: Int) -> FrameChain {
    let sequence = max(place - baseFrames, 0)
    return FrameChain(
      part: place < baseFrames ? .base(frameCount: UInt64(place)) : .transactions,
      point: ChainPoint(
        sequence: SequenceNumber(UInt64(sequence)), time: JournalTime(nanoseconds: Int64(-place)),
        checksum: UInt64(place) &* 0x9E37_79B9_7F4A_7C15))
  }

  func expect(_ index: FrameIndex, is model: Model) {
    #expect((0..<index.count).map { index[$0] } == model.entries)
    #expect((0..<index.count).map { index.offset($0) } == model.entries.map(\.endOffset))
    for sequence in [0, 1, 2, 7, 20, 60, .max] as [UInt64] {
      let sequence = SequenceNumber(sequence)
      #expect(index.entry(before: sequence) == model.entry(before: sequence), "\(sequence)")
    }
  }

  @Test func `an encoded frame index is read back unchanged after additions and truncations`()
    throws
  {
    var generator = SplitMix64(seed: 31)
    for _ in 0..<100 {
      var index = FrameIndex()
      var model = Model()
      let baseFrames = Int.random(in: 0...5, using: &generator)
      var offset = UInt64(16_384)
      var place = 0
      for _ in 0..<60 {
        switch Int.random(in: 0..<10, using: &generator) {
        case 0:
          let end = UInt64.random(in: 0...offset + 1, using: &generator)
          index.cut(at: end)
          model.cut(at: end)
        case 1:
          // The index is embedded in other bytes, as in a file.
          let before = [UInt8](repeating: 9, count: Int.random(in: 0...9, using: &generator))
          let bytes = index.bytes
          #expect(bytes.count == index.count * FrameIndex.entryByteCount)
          let again = try #require(
            FrameIndex(before + bytes + before, at: before.count, count: index.count))
          #expect(again == index && again.hashValue == index.hashValue)
          index = again
        default:
          let position = FramePosition(
            chain: chain(place, baseFrames: baseFrames), endOffset: offset)
          index.record(position)
          model.record(position)
          offset += UInt64.random(in: 1...150_000, using: &generator)
          place += 1
        }
        expect(index, is: model)
      }
    }
  }

  @Test func `bytes without ascending offsets are no frame index`() throws {
    var index = FrameIndex()
    for place in 0..<3 {
      index.record(
        FramePosition(
          chain: chain(place, baseFrames: 0), endOffset: UInt64(place) << 16 + 16_384))
    }
    let bytes = index.bytes
    #expect(bytes.count == 120)
    #expect(FrameIndex(bytes, at: 0, count: 3) != nil)
    #expect(FrameIndex(bytes, at: 80, count: 1) != nil)
    #expect(FrameIndex([], at: 0, count: 0)?.count == 0)
    let defects = [(0, 4), (1, 3), (81, 1), (120, 1), (121, 0), (-1, 1), (0, -1), (0, .max)]
    for (start, count) in defects {
      #expect(FrameIndex(bytes, at: start, count: count) == nil, "\(count) from \(start)")
    }
    // The second offset equals the first, is before it, or is too large for a file.
    for offset in [16_384, 16_383, 1 << 63, .max] as [UInt64] {
      var forged = bytes
      withUnsafeBytes(of: offset.littleEndian) { forged.replaceSubrange(40..<48, with: $0) }
      #expect(FrameIndex(forged, at: 0, count: 3) == nil, "\(offset)")
    }
  }
}
