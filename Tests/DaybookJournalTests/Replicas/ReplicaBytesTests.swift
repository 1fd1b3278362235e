import DaybookPlatform
import DaybookSimulation
import TestSupport
import Testing

@testable @_spi(Tools) import DaybookJournal

/// The bytes of a log, and of the file that names it, which can be of any kind.
@Suite struct `The bytes of a shared log` {
  /// Changes some bytes or numbers of a group.
  private func changed(_ group: FrameGroup, _ random: inout SplitMix64) -> FrameGroup {
    var group = group
    for _ in 0...random.next() % 2 {
      let place = group.bytes.isEmpty ? 0 : Int(random.next() % UInt64(group.bytes.count))
      switch random.next() % 9 {
      case 0: group.bytes.removeSubrange(place...)
      case 1: group.bytes = []
      case 2: group.bytes.append(contentsOf: [UInt8](repeating: 0, count: 100))
      case 3: group.first = SequenceNumber(random.next() % 2 == 0 ? 0 : random.next())
      case 4: group.next = SequenceNumber(random.next() % 4)
      case 5: group.previousChecksum = random.next()
      case 6: group.checksum = random.next()
      // The size in the header of the first frame.
      case 7 where group.bytes.count > 4:
        group.bytes.replaceSubrange(0..<4, with: [UInt8](repeating: .max, count: 4))
      default: if !group.bytes.isEmpty { group.bytes[place] ^= UInt8(1 << (random.next() % 8)) }
      }
    }
    return group
  }

  /// The law: changed groups are refused, or what is read is a prefix of the frames. A group whose
  /// numbers say that the replica has it already is skipped.
  @Test(arguments: 0..<UInt64(FaultRow.count(20, full: 2000, least: 4)))
  func `changed groups are refused, or contain a prefix of the frames`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let maker = GroupMaker(using: &random)
    let beginning = try JournalBeginning(maker.header)
    var groups: [FrameGroup] = []
    for _ in 0..<3 {
      groups.append(maker.group(after: groups.last?.end ?? maker.header.end, using: &random))
    }
    let salt = beginning.header.salt
    let whole = try PulledFrames(groups, after: beginning.end, salt: salt)
    #expect(whole.bytes == groups.flatMap(\.bytes))
    for _ in 0..<100 {
      var all = groups
      let place = Int(random.next() % 3)
      all[place] = changed(all[place], &random)
      if let pulled = try? PulledFrames(all, after: beginning.end, salt: salt) {
        #expect(whole.bytes.starts(with: pulled.bytes))
        #expect((pulled.bytes == whole.bytes) == (pulled.end == whole.end))
      }
      let last = SequenceNumber(.max)
      for number in [0, 1, all[place].first, all[place].next, last] {
        _ = all[place].checksum(of: number)
      }
      if let found = try? JournalBeginning(changed(maker.header, &random)) {
        #expect(found.header == beginning.header)
      }
    }
  }

  @Test func `a changed file that names a log is not read`() throws {
    var random = SplitMix64(seed: 1)
    let file = ReplicaFile(
      identity: JournalIdentity(high: 1, low: 2), head: SharedHead(next: 3, checksum: 4),
      log: "ba\u{F1}ks")
    #expect(ReplicaFile(file.bytes) == file)
    for _ in 0..<1000 {
      var bytes = file.bytes
      let place = Int(random.next() % UInt64(bytes.count))
      switch random.next() % 3 {
      case 0: bytes.removeSubrange(place...)
      case 1: bytes.append(0)
      default: bytes[place] ^= UInt8(1 << (random.next() % 8))
      }
      #expect(ReplicaFile(bytes) == nil)
    }
  }
}
