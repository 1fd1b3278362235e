import DaybookJournal
import DaybookPlatform

/// The memory of a mapping of a simulated file. The file's bytes are in an array, so each change of
/// the file is copied to this memory.
///
/// The file has a list of its mirrors, and removes a mirror after its mapping was released.
final class SimulatedMirror: Sendable {
  private weak let mapping: Mapping?
  // The memory of the mapping, which is released together with the mapping. It is written only
  // while the disk's mutex is locked, so `nonisolated(unsafe)` is correct.
  private nonisolated(unsafe) let start: UnsafeMutableRawPointer
  private let byteCount: Int

  /// Creates a mapping with the bytes of a file, and with space for a greater size. Returns nil if
  /// there is not enough memory.
  static func make(of bytes: [UInt8], byteCount: Int) -> (
    mirror: SimulatedMirror, mapping: Mapping
  )? {
    guard let memory = Memory.reserve(byteCount: byteCount) else { return nil }
    let mapping = Mapping(mapped: UnsafeRawPointer(memory), byteCount: byteCount)
    let mirror = SimulatedMirror(mapping, start: memory, byteCount: byteCount)
    mirror.show(bytes, from: 0)
    return (mirror, mapping)
  }

  private init(_ mapping: Mapping, start: UnsafeMutableRawPointer, byteCount: Int) {
    self.mapping = mapping
    self.start = start
    self.byteCount = byteCount
  }

  /// A Boolean value that indicates whether the mapping still exists.
  var exists: Bool { mapping != nil }

  /// Copies bytes of a file, from an offset on, to the mapping. Bytes after the end of the mapping
  /// are left out.
  func show(_ bytes: [UInt8], from offset: Int, count: Int = .max) {
    guard let mapping else { return }
    withExtendedLifetime(mapping) {
      let end = min(byteCount, bytes.count, count == .max ? .max : offset + count)
      guard offset < end else { return }
      bytes.withUnsafeBytes { source in
        if let address = source.baseAddress {
          (start + offset).copyMemory(from: address + offset, byteCount: end - offset)
        }
      }
    }
  }
}
