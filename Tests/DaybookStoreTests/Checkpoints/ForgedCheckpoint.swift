import DaybookJournal
@testable @_spi(Tools) import DaybookStore
import DaybookSimulation

/// A checkpoint that is changed together with its checksums.
struct ForgedCheckpoint {
  private let whole: [UInt8]

  init(_ whole: [UInt8]) { self.whole = whole }

  private func number(_ offset: Int, in bytes: [UInt8]) -> UInt64 {
    bytes.span.bytes.number(at: offset, as: UInt64.self) ?? 0
  }

  private func put(_ number: UInt64, at offset: Int, in bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.littleEndian) {
      bytes.replaceSubrange(offset..<offset + 8, with: $0)
    }
  }

  /// Returns the file with some bytes of its pages or roots changed and valid checksums.
  func forged(_ random: inout SplitMix64) -> [UInt8] {
    var bytes = whole
    func below(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
    for _ in 0...below(3) {
      // The first page is the page number none.
      let range = below(4) == 0 ? roots : pages + 1024..<checks
      let offset = range.lowerBound + below(range.count)
      bytes[offset] = below(2) == 0 ? UInt8(below(256)) : UInt8(below(4))
    }
    seal(&bytes)
    return bytes
  }

  /// Returns the file with a number in its roots replaced and valid checksums; nil unless the
  /// number occurs once.
  func forged(_ old: UInt64, as new: UInt64) -> [UInt8]? {
    var bytes = whole
    let places = roots.dropLast(7).filter { number($0, in: whole) == old }
    guard let place = places.first, places.count == 1 else { return nil }
    put(new, at: place, in: &bytes)
    seal(&bytes)
    return bytes
  }

  /// Returns the file in version 4 of the format, whose roots end before the totals.
  func inVersion4(totals: HistoryTotals) -> [UInt8] {
    var buffer = RowBuffer()
    totals.append(to: &buffer)
    // A byte before the totals indicates that there are totals.
    let kept = roots.lowerBound..<roots.upperBound - 1 - buffer.count
    var bytes = Array(whole[..<kept.upperBound])
    bytes += Array(repeating: 0, count: (4096 - bytes.count % 4096) % 4096)
    bytes += whole[pages...]
    bytes[8] = 4
    put(UInt64(kept.count), at: 80, in: &bytes)
    let older = ForgedCheckpoint(bytes)
    older.seal(&bytes)
    return bytes
  }

  private var roots: Range<Int> { 128..<128 + Int(number(80, in: whole)) }
  private var pages: Int { (roots.upperBound + 4095) / 4096 * 4096 }
  private var checks: Int { pages + 1024 * Int(number(96, in: whole)) }

  private func seal(_ bytes: inout [UInt8]) {
    let salt = number(32, in: whole)
    for (index, start) in stride(from: pages, to: checks, by: 65536).enumerated() {
      let range = start..<min(start + 65536, checks)
      let checksum = XXH64.checksum(bytes.span.bytes.extracting(range), seed: salt)
      put(checksum, at: checks + 8 * index, in: &bytes)
    }
    for (range, offset) in [(roots, 88), (checks..<bytes.count, 104), (0..<120, 120)] {
      let checksum = XXH64.checksum(bytes.span.bytes.extracting(range), seed: salt)
      put(checksum, at: offset, in: &bytes)
    }
  }
}
