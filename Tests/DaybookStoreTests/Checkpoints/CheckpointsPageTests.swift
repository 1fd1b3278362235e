import DaybookJournal
import DaybookSimulation
import DaybookStore
import DaybookText
import StoreTestSupport
import TestSupport
import Testing

/// Compares `Journal/CHECKPOINTS.md` with the output of the code.
@Suite struct `The page on checkpoints` {
  /// The bytes of a checkpoint, and the store that wrote it.
  private func written() throws -> (bytes: [UInt8], store: Store) {
    let (place, disk) = CheckpointPlace.simulated()
    var random = SplitMix64(seed: 11)
    let store = try place.open()
    try place.change(store, times: 40, &random)
    try store.closeAndWait()
    return (try #require(disk.contents(of: "j-checkpoint-a")), store)
  }

  /// Returns the offset and the size of each fixed field in the drawing.
  private func fields() throws -> [String: (offset: Int, size: Int)] {
    let page = try ProjectFiles.lines("Journal/CHECKPOINTS.md")
    let drawing = try DocumentationPage.block(
      "```", in: page, following: "## The file", from: "## The file")
    var fields: [String: (offset: Int, size: Int)] = [:]
    for line in drawing.dropFirst() {
      let columns = line.split(separator: " ")
      let name = line.dropFirst(14).split(separator: "  ").first.map(String.init)
      guard let name, let offset = Int(columns[0]), let size = Int(columns[1]) else { continue }
      fields[name] = (offset, size)
    }
    return fields
  }

  @Test func `the drawing on the checkpoint page has the fields at their offsets`() throws {
    let (bytes, store) = try written()
    let fields = try fields()
    func number(_ name: String) throws -> UInt64 {
      let (offset, size) = try #require(fields[name], "\(name)")
      return bytes[offset..<offset + size].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    let sequence = store.snapshot.sequence
    let (moment, end) = try #require(store.moment(after: sequence, before: store.snapshot.frozen))
    #expect(bytes.starts(with: [0x89, 0x44, 0x41, 0x59, 0x70, 0x0D, 0x0A, 0x1A]))
    #expect(try number("version") == 5 && number("byte order") == 1)
    #expect(try number("salt") == moment.salt)
    #expect(try number("sequence") == sequence.rawValue)
    #expect(try Int64(number("time")) == store.snapshot.time.nanoseconds)
    #expect(try number("end offset") == end && number("end checksum") == moment.checksum)
    #expect(try number("last frame") < end)

    // The parts after the header have the sizes and checksums that it contains.
    let (roots, pages) = (try Int(number("roots size")), try Int(number("page count")))
    func check(_ range: Range<Int>) -> UInt64 {
      XXH64.checksum(bytes.span.bytes.extracting(range), seed: moment.salt)
    }
    let rootsOffset = 128
    let pagesOffset = (rootsOffset + roots + 4095) / 4096 * 4096
    let checksOffset = pagesOffset + 1024 * pages
    let checkCount = (1024 * pages + 65535) / 65536
    #expect(bytes.count == checksOffset + 8 * checkCount && checkCount >= 1)
    #expect(try number("header checksum") == check(0..<120))
    #expect(try number("roots checksum") == check(rootsOffset..<rootsOffset + roots))
    #expect(try number("list checksum") == check(checksOffset..<bytes.count))
    for piece in 0..<checkCount {
      let start = pagesOffset + piece * 65536
      let stored = bytes.span.bytes.number(at: checksOffset + 8 * piece, as: UInt64.self)
      #expect(stored == check(start..<min(start + 65536, checksOffset)))
    }
    #expect(bytes[pagesOffset..<pagesOffset + 1024].allSatisfy { $0 == 0 })
    #expect(bytes[rootsOffset + roots..<pagesOffset].allSatisfy { $0 == 0 })
  }

  @Test func `the numbers on the checkpoint page are those of the code`() throws {
    let page = try ProjectFiles.lines("Journal/CHECKPOINTS.md").joined(separator: " ")
    let rule = CheckpointRule()
    #expect(rule.closingByteCountMin == 256 << 10 && rule.closingDivisor == 8)
    #expect(page.contains("| 256 KiB and an eighth of the last checkpoint's size |"))
    #expect(rule.openByteCountMin == 32 << 20 && rule.openFactor == 2)
    #expect(page.contains("| 32 MiB and twice the last checkpoint's size |"))
  }
}
