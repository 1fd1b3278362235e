import DaybookJournal
import Glibc

/// Standard output, written in pieces.
final class Output {
  /// Whoever read it has gone: there is nothing more to do.
  struct Closed: Error {}

  private let descriptor: Int32
  private var bytes: [UInt8] = []
  private static let pieceByteCount = 64 << 10

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Writes a line.
  func line(_ text: String) throws {
    bytes.append(contentsOf: text.utf8)
    bytes.append(UInt8(ascii: "\n"))
    if bytes.count >= Output.pieceByteCount { try flush() }
  }

  /// Writes bytes as they are.
  func write(_ more: [UInt8]) throws {
    bytes.append(contentsOf: more)
    if bytes.count >= Output.pieceByteCount { try flush() }
  }

  /// Whether nobody can read any more what is written, as far as the system says so.
  var hasLostReader: Bool {
    var polled = pollfd(fd: descriptor, events: 0, revents: 0)
    return poll(&polled, 1, 0) == 1 && polled.revents & Int16(POLLERR) != 0
  }

  /// Hands everything on.
  func flush() throws {
    if !bytes.isEmpty { Progress.shared.clear() }
    var done = 0
    defer { bytes.removeAll(keepingCapacity: true) }
    while done < bytes.count {
      let count = bytes[done...].withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count >= 0 {
        done += count
        continue
      }
      switch errno {
      case EINTR: continue
      case EPIPE: throw Closed()
      default:
        let error = DiskError(.write, path: "standard output", code: errno)
        throw ToolError(.refused, "\(error)")
      }
    }
  }
}
