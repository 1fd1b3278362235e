import DaybookJournal
import DaybookPlatform

/// A mapping of a simulated file: memory of its own into which whatever changes in the file is copied.
///
/// The file has them for as long as somebody has the mapping.
final class SimulatedMirror: Sendable {
  private weak let mapping: Mapping?
  // The mapping's own memory, which is there while the mapping is; written under the disk's lock alone.
  private nonisolated(unsafe) let start: UnsafeMutableRawPointer
  private let byteCount: Int

  /// Maps a file with some bytes, and room to grow; nil if there is no memory for it.
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

  /// Whether somebody still has the mapping.
  var isThere: Bool { mapping != nil }

  /// Shows what a file has from an offset on, as far as the mapping goes.
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
