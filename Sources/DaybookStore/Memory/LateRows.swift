import DaybookJournal
import Synchronization

/// The rows of a checkpoint's state, which nobody had looked at when the store was opened: each is checked the
/// first time that somebody asks for it.
///
/// Bytes that are not what was written are never handed out. Whoever can throw says so; for all others a record
/// of which they are the row is, from then on, one with its identifier and the schema's defaults. So whatever
/// goes by rows finds some, and the same each time.
//
// Shared state: `stand`, guarded by its mutex, which is not held while rows are read. The pages of a
// checkpoint's file never change.
final class LateRows: Sendable {
  let checks: LateChecks
  private let tables: [EntityTable]
  private let newest: [Layout]
  private let space: PageSpace
  private let stand = Mutex(StandIns())

  private struct StandIns {
    /// The pieces of which the rows are known.
    var pieces: Set<UInt64> = []
    var locations: [UInt64: RowLocation] = [:]
    // Rows are only ever added, and stay where they are.
    var heap = PayloadHeap(.memory)
  }

  /// - Parameter newest: The layout of each entity's stand-ins.
  init(_ checks: LateChecks, _ tables: [EntityTable], newest: [Layout], _ space: PageSpace) {
    self.checks = checks
    self.tables = tables
    self.newest = newest
    self.space = space
  }

  /// What stands in for the bytes at a location that are damaged; none if no record had its row there.
  func standIn(at location: RowLocation) -> UnsafeRawBufferPointer {
    stand.withLock { stand in
      let piece = LateChecks.piece(of: location.rawValue)
      if stand.pieces.insert(piece).inserted { fill(&stand, with: piece) }
      guard let place = stand.locations[location.rawValue] else {
        return UnsafeRawBufferPointer(start: nil, count: 0)
      }
      // A chunk of the heap stays where it is for as long as this is there.
      return stand.heap.withBytes(at: place) { bytes in bytes.withUnsafeBytes { $0 } }
    }
  }

  private func fill(_ stand: inout StandIns, with piece: UInt64) {
    for (entity, table) in tables.enumerated() {
      table.forEach(in: space) { slot, location, creation in
        guard location.region == .file, LateChecks.piece(of: location.rawValue) == piece else {
          return
        }
        let id = table.identifier(in: slot, space) ?? .string("damaged \(slot)")
        let layout = newest[entity]
        let values = layout.entity.attributes.map { attribute in
          attribute.defaultValue.fits(attribute.type) ? attribute.defaultValue : .null
        }
        var buffer = RowBuffer()
        DynamicRecord(layout.entity.name, id, values).append(layout, to: &buffer)
        buffer.put(creation, at: 6)
        stand.locations[location.rawValue] = stand.heap.add(buffer.bytes.span.bytes, sequence: 0)
      }
    }
  }
}
