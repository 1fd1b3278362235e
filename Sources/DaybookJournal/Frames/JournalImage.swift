import DaybookPlatform

/// The bytes of a journal file, independent of their source.
package protocol JournalImage: AnyObject, Sendable {
  /// The number of bytes in the image. The image of a ``JournalFile`` grows with the file.
  var byteCount: UInt64 { get }

  /// Returns bytes from an offset on: at least the requested number, if the file contains them.
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

  /// Creates an image of bytes in memory.
  package convenience init(_ bytes: [UInt8]) {
    self.init(Mapping(copying: bytes.span.bytes), byteCount: UInt64(bytes.count))
  }

  package func view(at offset: UInt64, atLeast: Int) -> ByteView {
    guard offset < byteCount else { return ByteView() }
    return mapping.view(Int(offset)..<Int(byteCount))
  }
}

/// A journal file that is read in pieces, for files that another program might truncate at any
/// time. Under a mapping, that would end the process. Here it is an early end of the file.
package final class CopiedImage: JournalImage {
  private let file: any DiskFile
  package let byteCount: UInt64

  /// The number of bytes that are read at once if fewer were requested.
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

/// Memory that is filled, and then only read until its last view is released.
package final class OwnedMemory: Sendable {
  // Written by `fill`. The creator calls it before sharing this object, or when no other reference
  // is left.
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
