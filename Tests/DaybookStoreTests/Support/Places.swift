import DaybookJournal
import DaybookSimulation
import DaybookStore
import FoundationEssentials
import StoreTestSupport

/// The place of a store's journal: on a simulated disk with rows in memory, in a file with mapped
/// rows, or in memory.
enum Place: CaseIterable {
  case simulated, file, memory

  /// Opens stores of some types at a new place, and cleans up afterwards.
  func withStores(
    _ types: [any Record.Type], _ body: (_ open: () throws -> Store) throws -> Void
  ) throws {
    Audit.start()
    switch self {
    case .simulated:
      let disk = SimulatedDisk()
      try body { try Store(at: "j", types: types, options: .simulated(disk)) }
    case .file:
      let folder = FileManager.default.temporaryDirectory
        .appending(path: "daybook-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      var options = JournalOptions()
      options.worksInBackground = false
      // These tests do not depend on the file system's durability.
      options.durability = .none
      try body { try Store(at: folder.appending(path: "j").path, types: types, options: options) }
    case .memory:
      let store = try Store.inMemory(types: types)
      try body { store }
    }
  }
}
