import DaybookPlatform

/// The bytes of a journal file, wherever they come from, so that what reads them need not know.
package protocol JournalImage: AnyObject, Sendable {
  /// The file's size when the image was taken.
  var byteCount: UInt64 { get }

  /// Bytes from an offset on: at least as many as asked for, if there are so many before the end.
  func view(at offset: UInt64, atLeast byteCount: Int) throws(DiskError) -> ByteView
}

/// A journal file mapped into memory, or a copy of one.
package final class MappedImage: JournalImage {
  private let mapping: Mapping
  package let byteCount: UInt64

  package init(_ mapping: Mapping, byteCount: UInt64) {
    self.mapping = mapping
    self.byteCount = min(byteCount, UInt64(mapping.byteCount))
  }

  /// An image of bytes in memory.
  package convenience init(_ bytes: [UInt8]) {
    self.init(Mapping(copying: bytes.span.bytes), byteCount: UInt64(bytes.count))
  }

  package func view(at offset: UInt64, atLeast: Int) -> ByteView {
    guard offset < byteCount else { return ByteView() }
    return mapping.view(Int(offset)..<Int(byteCount))
  }
}

/// A journal file read piece by piece, for files that someone else might cut short at any moment:
/// under a mapping that would end the process, here it is an early end.
package final class CopiedImage: JournalImage {
  private let file: any DiskFile
  package let byteCount: UInt64

  /// How much is read at once when less was asked for.
  private static let windowByteCount = 256 << 10

  package init(_ file: any DiskFile, byteCount: UInt64) {
    self.file = file
    self.byteCount = byteCount
  }

  package func view(at offset: UInt64, atLeast: Int) throws(DiskError) -> ByteView {
    guard offset < byteCount else { return ByteView() }
    let wanted = min(UInt64(max(atLeast, CopiedImage.windowByteCount)), byteCount - offset)
    let memory = OwnedMemory(byteCount: Int(wanted))
    let count = try memory.fill { (buffer: inout MutableRawSpan) throws(DiskError) -> Int in
      try file.readAll(at: offset, into: &buffer)
    }
    return memory.view(0..<count)
  }
}

/// Memory that is filled, and then only read while anybody has a view of it.
package final class OwnedMemory: Sendable {
  // Written by `fill`, which whoever made this calls before sharing it, or when nobody else has it any more.
  private nonisolated(unsafe) let memory: UnsafeMutableRawBufferPointer

  package init(byteCount: Int) {
    memory = .allocate(byteCount: byteCount, alignment: Frame.alignment)
  }

  deinit { memory.deallocate() }

  package var byteCount: Int { memory.count }

  package func fill<Failure: Error>(
    _ body: (inout MutableRawSpan) throws(Failure) -> Int
  ) throws(Failure) -> Int {
    var span = memory.mutableBytes
    return try body(&span)
  }

  package func view(_ range: Range<Int>) -> ByteView {
    precondition(
      range.lowerBound >= 0 && range.upperBound <= memory.count,
      "bytes \(range) of \(memory.count)")
    return ByteView(
      owner: self, bytes: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(memory)[range]))
  }
}
