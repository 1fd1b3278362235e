import DaybookJournal
import DaybookPlatform

/// A mapping of a simulated file: separate memory that receives a copy of every change of the file.
///
/// The file keeps its mirrors while their mappings exist.
final class SimulatedMirror: Sendable {
  private weak let mapping: Mapping?
  // The memory of the mapping, which exists while the mapping exists. It is written only under the
  // disk's lock.
  private nonisolated(unsafe) let start: UnsafeMutableRawPointer
  private let byteCount: Int

  /// Creates a mapping with the bytes of a file, and room to grow; returns nil if there is not
  /// enough memory.
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

  /// Copies the bytes of a file from an offset on into the mapping, as far as the mapping extends.
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
