import DaybookJournal
import DaybookPlatform
import DaybookSimulation
import TestSupport
import Testing

/// Row 13: sizes at every limit, and one below and above it.
@Suite struct `Sizes at the limits` {
  private func payload(_ count: Int, _ first: UInt8 = 1) -> [UInt8] {
    let pattern = (0..<251 as Range<UInt8>).map { first &+ $0 &* 31 }
    var payload: [UInt8] = []
    payload.reserveCapacity(count + pattern.count)
    while payload.count < count { payload += pattern }
    return Array(payload.prefix(count))
  }

  /// Sizes at the edges of the padding, of a page, of preallocated space (64 KiB to 1 MiB), of a
  /// copied read window (256 KiB) and of the writer's memory (4 MiB).
  private var sizes: [Int] {
    var sizes = Array(1...17)
    for edge in [4096, 64 << 10, 256 << 10, 1 << 20, 4 << 20] {
      // A frame has 56 bytes besides its payload, so the payload or the frame ends at the edge.
      sizes += [edge - 57, edge - 56, edge - 55, edge - 1, edge, edge + 1]
    }
    return sizes
  }

  @Test func `payloads of every size are read back unchanged`() throws {
    try FaultRow.run(13, "payloads at the edges of padding, pages, windows and space") { count in
      for size in FaultRow.some(sizes) {
        count += 1
        let disk = SimulatedDisk()
        let payloads = [[1], payload(size), [2], payload(size, 7), [3]]
        let journal = try FileJournal(at: "a", options: .simulated(disk))
        for payload in payloads { try journal.mustAppend(payload) }
        #expect(try journal.payloads() == payloads, "\(size) bytes")
        disk.killProcess()
        let again = try FileJournal(at: "a", options: .simulated(disk))
        #expect(try again.payloads() == payloads, "\(size) bytes")
        if case .torn = again.report.outcome { Issue.record("\(size) bytes: \(again.report)") }
      }
    }
  }

  @Test func `a mapped journal gives the same bytes as a copied one`() throws {
    try TemporaryDirectory.with { directory in
      let path = directory.path("a")
      let journal = try FileJournal(at: path)
      let payloads = sizes.map { payload($0) }
      for payload in payloads { try journal.mustAppend(payload) }
      #expect(try journal.payloads() == payloads)
      #expect(try JournalReader(at: path).payloads() == payloads)
      let reader = try JournalReader(at: path, on: SystemDisk(), reading: .copied)
      #expect(try reader.payloads() == payloads)
      try journal.closeAndWait()
    }
  }

  @Test func `the largest payload is accepted`() throws {
    guard FaultRow.Scale.current == .full else { return }
    try FaultRow.run(13, "a payload of 1 GiB") { count in
      count = 1
      try TemporaryDirectory.with { directory in
        let path = directory.path("a")
        let journal = try FileJournal(at: path)
        let large = [UInt8](repeating: 0xA5, count: Frame.payloadByteCountMax)
        try journal.mustAppend(large)
        try journal.mustAppend([1])
        try journal.closeAndWait()
        let again = try FileJournal(at: path)
        var reader = try again.transactions(from: 1)
        let first = try reader.next()
        #expect(first?.payload.count == large.count)
        #expect(first.map { $0.payload == ByteView(large) } == true)
        #expect(try reader.next()?.payload.copy() == [1])
        try again.closeAndWait()
      }
    }
  }

  @Test func `many transactions in one journal are read back`() throws {
    let total = FaultRow.count(100_000, full: 1_000_000)
    try FaultRow.run(13, "\(total) transactions in a journal") { count in
      try TemporaryDirectory.with { directory in
        let path = directory.path("a")
        var options = JournalOptions()
        options.durability = .none
        let journal = try FileJournal(at: path, options: options)
        for number in 0..<UInt64(total) {
          count += 1
          try journal.mustAppend(withUnsafeBytes(of: number.littleEndian) { [UInt8]($0) })
        }
        try journal.closeAndWait()
        let again = try FileJournal(at: path)
        #expect(again.head.sequence.rawValue == UInt64(total) && again.report.isUneventful)
        for first in [1, total / 2, total - 1] {
          var reader = try again.transactions(from: SequenceNumber(UInt64(first)))
          var number = UInt64(first) - 1
          while let transaction = try reader.next() {
            guard transaction.payload.load(0, as: UInt64.self) == number else {
              throw Surprise("transaction \(transaction.sequence) has other bytes")
            }
            number += 1
          }
          #expect(number == UInt64(total))
        }
        try again.closeAndWait()
      }
    }
  }

  @Test func `strings of every Unicode plane are read back unchanged`() throws {
    try FaultRow.run(13, "text of every plane") { count in
      let disk = SimulatedDisk()
      let journal = try FileJournal(at: "a", options: .simulated(disk))
      var texts: [[UInt8]] = []
      for plane in 0..<17 as Range<UInt32> {
        count += 1
        // The edges of the plane, and some scalars between them.
        let values = stride(from: 0, to: 0x10000, by: 0x3FF).map { plane << 16 + $0 }
        let edges = [plane << 16, plane << 16 + 0xFFFE, plane << 16 + 0xFFFF]
        let scalars = (values + edges).compactMap(Unicode.Scalar.init)
        texts.append(Array(String(String.UnicodeScalarView(scalars)).utf8))
        try journal.mustAppend(texts[Int(plane)])
      }
      try journal.closeAndWait()
      #expect(try FileJournal(at: "a", options: .simulated(disk)).payloads() == texts)
    }
  }

  @Test func `damage near the edge of a read window is found at its offset`() throws {
    let window = 256 << 10
    let disk = SimulatedDisk()
    let journal = try FileJournal(at: "a", options: .simulated(disk))
    // Frames of 64 bytes cross every edge of the windows for reading and searching.
    for number in 0..<9000 {
      try journal.mustAppend([UInt8(truncatingIfNeeded: number), UInt8(number >> 8)])
    }
    try journal.closeAndWait()
    let step = FaultRow.step(59)
    try FaultRow.run(13, "damage at the edges of a window") { count in
      // The reader's windows start at the first frame, and those of the search after the damage.
      for edge in [16384 + window, 16384 + 2 * window, 16384 + 64 + window] {
        for place in stride(from: edge - 72, through: edge + 72, by: step) {
          count += 1
          let damaged = disk.copy()
          damaged.corrupt("a", at: place, xor: 0x10)
          let number = (place - 16384) / 64
          let error = #expect(throws: JournalError.self) {
            _ = try FileJournal(at: "a", options: .simulated(damaged))
          }
          #expect(error?.offset == UInt64(16384 + number * 64), "byte \(place)")
          #expect(error?.reason == .damaged(highestSynced: 9000), "byte \(place)")
          var problems: [VerificationProblem] = []
          _ = try FileJournal.verify(at: "a", options: .simulated(damaged)) {
            problems.append($0)
          }
          #expect(problems.count == 1, "byte \(place): \(problems)")
        }
      }
    }
  }

  @Test func `a later frame near a window's edge proves damage`() throws {
    let window = 256 << 10
    try FaultRow.run(13, "a later frame at the edges of a window") { count in
      for place in stride(from: window - 128, through: window + 128, by: 8 * FaultRow.step(3)) {
        count += 1
        // After the damaged first frame there is only one header, in the first or second window of
        // the search.
        var crafted = CraftedJournal()
        crafted.append([1])
        crafted.append([2])
        var bytes = crafted.bytes(
          marked: FramePosition(before: crafted.header).end, zeros: window + 4096)
        let header = Array(bytes[crafted.offsets[1]..<crafted.offsets[1] + 48])
        for offset in 16384..<crafted.endOffset { bytes[offset] = 0 }
        bytes.replaceSubrange(16384 + place..<16384 + place + 48, with: header)
        let verdict = try RecoveryDecision.decide(MappedImage(bytes), hasDerivedFiles: false)
        let disk = SimulatedDisk()
        disk.setContents(bytes, at: "a")
        let copied = CopiedImage(
          try disk.open("a", for: .reading), byteCount: UInt64(bytes.count))
        #expect(try RecoveryDecision.decide(copied, hasDerivedFiles: false) == verdict)
        guard case .damaged(_, let damage) = verdict else {
          Issue.record("place \(place): \(verdict)")
          continue
        }
        let proof = Damage.Proof.laterFrame(offset: UInt64(16384 + place), durable: 1)
        #expect(damage.proof == proof)
        let next = try LaterFrames.next(copied, salt: crafted.header.salt, from: 16384, above: 0)
        #expect(next == UInt64(16384 + place))
      }
    }
  }

  @Test func `every sync interval is accepted and limited to one second`() {
    for milliseconds in [Int.min, -1, 0] {
      #expect(Durability.batched(interval: .milliseconds(milliseconds)).intervalNanoseconds == 0)
    }
    #expect(Durability.batched(interval: .milliseconds(999)).intervalNanoseconds == 999_000_000)
    for milliseconds in [1000, 1001, Int.max] {
      #expect(
        Durability.batched(interval: .milliseconds(milliseconds)).intervalNanoseconds
          == 1_000_000_000)
    }
  }

  /// A file that is truncated during a copied read ends early. The reader does not search the
  /// missing part for the announced frame.
  @Test func `a file truncated during the reading of a frame ends there`() throws {
    var crafted = CraftedJournal()
    crafted.append(payload(300_000))
    let image = ShrinkingImage(crafted.bytes(), viewCount: 1)
    var reader = FrameReader(image, header: crafted.header)
    #expect(try !reader.advance())
    #expect(reader.chain.sequence == 0)
  }
}

/// An image of a file that is truncated to zero bytes after a number of views.
private final class ShrinkingImage: JournalImage {
  private let image: MappedImage
  // Only one thread uses the image.
  private nonisolated(unsafe) var viewCount: Int
  let byteCount: UInt64

  init(_ bytes: [UInt8], viewCount: Int) {
    image = MappedImage(bytes)
    byteCount = UInt64(bytes.count)
    self.viewCount = viewCount
  }

  func view(at offset: UInt64, atLeast wanted: Int) -> ByteView {
    viewCount -= 1
    guard viewCount >= 0 else { return ByteView() }
    let view = image.view(at: offset, atLeast: wanted)
    return view[0..<min(view.count, max(wanted, 256 << 10))]
  }
}
