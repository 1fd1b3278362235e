import DaybookCLibrary
import DaybookJournal
import DaybookSimulation
import DaybookStore
import DaybookText
import TestSupport
import Testing

@Suite struct `Lines of a text` {
  @Test func `lines end with a line feed and an optional carriage return`() throws {
    let cases: [(String, [String])] = [
      ("", []),
      ("\n", [""]),
      ("\r\n", [""]),
      ("a", ["a"]),
      ("a\n", ["a"]),
      ("a\nb", ["a", "b"]),
      ("a\r\nb\r\n", ["a", "b"]),
      ("\n\na\n\n", ["", "", "a", ""]),
      ("a\rb\r\r\nc\r", ["a\rb\r", "c\r"]),
      ("\u{FEFF}é\n", ["\u{FEFF}é"]),
    ]
    for (text, lines) in cases {
      for piece in [1, 2, 3, 1_000] {
        var reader = LineReader(source: TextSource(Array(text.utf8), piece).read)
        var found: [String] = []
        while let line = try reader.next() {
          found.append(String(decoding: line.bytes.copy(), as: UTF8.self))
          #expect(line.number == found.count)
        }
        #expect(found == lines, "\(text.debugDescription) by \(piece)")
        #expect(try reader.next() == nil)
      }
    }
  }

  @Test func `lines of whitespace are blank`() throws {
    let text = Array("\n  \n\t\r\n{}\n \u{A0}\n\0".utf8)
    var reader = LineReader(source: TextSource(text, 100).read)
    var blank: [Bool] = []
    while let line = try reader.next() { blank.append(line.isBlank) }
    #expect(blank == [true, true, true, false, false, false])
  }

  @Test func `lines are complete for every piece size and stay valid while used`() throws {
    var generator = SplitMix64(seed: 64)
    let lengths = [0, 1, 65_534, 65_535, 65_536, 65_537, 200_000, 0, 32_767, 32_768, 32_769]
    for pieceMax in [7_001, 1 << 20] {
      var expected: [[UInt8]] = []
      for length in lengths + (0..<60).map({ _ in generator.below(5_000) }) {
        expected.append([UInt8](repeating: UInt8(0x20 + expected.count % 90), count: length))
      }
      let text = Array(expected.map { $0 + [0x0A] }.joined())
      // Keep no lines, half of the lines, or all lines.
      for holds in 0..<3 {
        var reader = LineReader(source: TextSource(text, pieceMax).read)
        var held: [(Int, ByteView)] = []
        var count = 0
        while let line = try reader.next() {
          if line.bytes.copy() != expected[count] { Issue.record("line \(line.number)") }
          if holds == 2 || holds == 1 && count % 2 == 0 { held.append((count, line.bytes)) }
          count += 1
        }
        #expect(count == expected.count)
        for (index, bytes) in held where bytes.copy() != expected[index] {
          Issue.record("line \(index + 1) changed while it was held")
        }
      }
    }
  }

  @Test func `memory grows for a long line and shrinks after it`() throws {
    let long = [UInt8](repeating: 0x61, count: 3 << 20)
    let short = [UInt8](repeating: 0x62, count: 999) + [0x0A]
    let text = long + [0x0A] + Array([[UInt8]](repeating: short, count: 2_000).joined())
    var reader = LineReader(source: TextSource(text, 1 << 20).read)
    #expect(reader.memoryByteCount == 64 << 10)
    #expect(try reader.next()?.bytes.count == long.count)
    #expect(reader.memoryByteCount == 4 << 20)
    var count = 1
    while try reader.next() != nil { count += 1 }
    #expect(count == 2_001)
    #expect(reader.memoryByteCount == 64 << 10)
  }

  @Test func `a line over the limit is an error on every read`() throws {
    let said = "line 2: the line is too long; the limit is 5 bytes."
    for (text, isTooLong) in [
      ("a\n12345\n", false), ("a\n12345\r\n", false), ("a\n12345", false), ("a\n123456\n", true),
      ("a\n123456", true), ("a\n12345\r", true), ("a\n123456\r\n", true),
      ("a\n" + String(repeating: "1", count: 300_000), true),
    ] {
      for piece in [1, 1_000_000] where piece > 1 || text.utf8.count < 100 {
        var reader = LineReader(lengthMax: 5, source: TextSource(Array(text.utf8), piece).read)
        #expect(try reader.next()?.bytes.copy() == [0x61])
        if isTooLong {
          for _ in 0..<2 {
            let error = #expect(throws: LineError.self) { _ = try reader.next() }
            #expect(error.map { "\($0)" } == said)
          }
        } else {
          #expect(try reader.next()?.bytes.copy() == Array("12345".utf8))
          #expect(try reader.next() == nil)
        }
      }
    }
  }

  @Test func `the error of a failed read names the next line`() throws {
    let source = TextSource(Array("a\nb\nc".utf8), 3)
    source.fails = true
    var reader = LineReader(source: source.read)
    #expect(try reader.next()?.number == 1)
    #expect(try reader.next()?.number == 2)
    let error = #expect(throws: LineError.self) { _ = try reader.next() }
    #expect(error.map { "\($0)" } == "line 3: read: Input/output error (5).")
  }

  @Test func `a pipe is read to its end, and an invalid descriptor is refused`() throws {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    let text = Array("one\ntwo".utf8)
    #expect(write(ends[1], text, text.count) == text.count)
    close(ends[1])
    var reader = LineReader(descriptor: ends[0], path: "-")
    #expect(try reader.next()?.bytes.copy() == Array("one".utf8))
    #expect(try reader.next()?.bytes.copy() == Array("two".utf8))
    #expect(try reader.next() == nil)
    close(ends[0])

    var refused = LineReader(descriptor: -1, path: "-")
    let error = #expect(throws: LineError.self) { _ = try refused.next() }
    #expect(error.map { "\($0)" } == "line 1: read: Bad file descriptor (9).")
  }
}

/// A text that is read in pieces of limited size.
private final class TextSource {
  private let text: [UInt8]
  private let pieceMax: Int
  private var place = 0
  var fails = false

  init(_ text: [UInt8], _ pieceMax: Int) {
    self.text = text
    self.pieceMax = pieceMax
  }

  func read(_ memory: UnsafeMutableRawBufferPointer) throws(DiskError) -> Int {
    let count = min(memory.count, pieceMax, text.count - place)
    if count == 0, fails { throw DiskError(.read, path: "-", code: EIO) }
    memory.copyBytes(from: text[place..<place + count])
    place += count
    return count
  }
}
