import DaybookJournal
import DaybookPlatform
import DaybookStore

/// Memory that lines are read into and then seen in.
///
/// What a line was given of is never written again: the reader writes behind it, and to the front
/// only when it holds the last reference. Unsafe memory stays in here.
final class LineBuffer: Sendable {
  // Written through only by the one reader, where no line was given of it.
  private nonisolated(unsafe) let memory: UnsafeMutableRawBufferPointer

  init(byteCount: Int) {
    memory = .allocate(byteCount: byteCount, alignment: 16)
  }

  /// A buffer at whose beginning stands a range of another.
  convenience init(byteCount: Int, beginningWith range: Range<Int>, of other: LineBuffer) {
    self.init(byteCount: byteCount)
    precondition(range.count <= byteCount, "\(range.count) bytes into \(byteCount)")
    memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: other.memory[other.checked(range)]))
  }

  deinit { memory.deallocate() }

  var byteCount: Int { memory.count }

  subscript(place: Int) -> UInt8 { memory[checked(place..<place + 1).lowerBound] }

  /// The place of the first line feed in a range, or nil.
  ///
  /// - Complexity: O(*n*)
  func newline(in range: Range<Int>) -> Int? {
    let part = memory[checked(range)]
    guard let base = memory.baseAddress,
      let found = Memory.firstAddress(
        of: UInt8(ascii: "\n"), in: base + range.lowerBound, byteCount: part.count)
    else { return nil }
    return found - UnsafeRawPointer(base)
  }

  /// Some bytes, which keep this buffer in memory.
  func view(_ range: Range<Int>) -> ByteView {
    ByteView(owner: self, bytes: UnsafeRawBufferPointer(rebasing: memory[checked(range)]))
  }

  /// Has a source write into a range, and answers with how many bytes it wrote.
  func fill(_ range: Range<Int>, from source: LineReader.Source) throws(DiskError) -> Int {
    let count = try source(UnsafeMutableRawBufferPointer(rebasing: memory[checked(range)]))
    precondition(
      count >= 0 && count <= range.count, "a source filled \(count) bytes of \(range.count)")
    return count
  }

  /// Moves a range to the beginning.
  func moveToFront(_ range: Range<Int>) {
    guard let base = memory.baseAddress else { return }
    base.copyMemory(from: base + checked(range).lowerBound, byteCount: range.count)
  }

  private func checked(_ range: Range<Int>) -> Range<Int> {
    precondition(
      range.lowerBound >= 0 && range.upperBound <= memory.count,
      "bytes \(range) of a buffer of \(memory.count)")
    return range
  }
}
