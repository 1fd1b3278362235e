import DaybookPlatform

/// The bytes of a journal file, independent of their source.
package protocol JournalImage: AnyObject, Sendable {
  /// The number of bytes in the image. The image of a ``JournalFile`` grows with the file.
  var byteCount: UInt64 { get }

  /// Returns bytes from an offset on. The view has at least the requested number of bytes, if the
  /// image contains them, and it may have more.
  func view(at offset: UInt64, atLeast byteCount: Int) throws(DiskError) -> ByteView
}

/// The image of a file that is mapped into memory, or of bytes in memory.
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

/// A journal file that is read in pieces. This type is for files that a different program might
/// truncate at any time. If a mapped file is truncated, reading the missing bytes ends the process.
/// If a file that is read in pieces is truncated, the image only ends early.
package final class CopiedImage: JournalImage {
  private let file: any DiskFile
  package let byteCount: UInt64

  /// The number of bytes that are read at once if fewer bytes were requested.
  private static let windowByteCount = 256 << 10

  package init(_ file: any DiskFile, byteCount: UInt64) {
    self.file = file
    self.byteCount = byteCount
  }

  package func view(at offset: UInt64, atLeast: Int) throws(DiskError) -> ByteView {
    guard offset < byteCount else { return ByteView() }
    let readByteCount = min(UInt64(max(atLeast, CopiedImage.windowByteCount)), byteCount - offset)
    let memory = OwnedMemory(byteCount: Int(readByteCount))
    let count = try memory.fill { (buffer: inout MutableRawSpan) throws(DiskError) -> Int in
      try file.readAll(at: offset, into: &buffer)
    }
    return memory.view(0..<count)
  }
}

/// Memory that is filled, and then read through views. The memory is deallocated after its last
/// view is released.
package final class OwnedMemory: Sendable {
  // Only `fill` writes to this memory. The owner calls `fill` before it creates views, or after all
  // views were released.
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
