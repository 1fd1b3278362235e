import DaybookJournal
import DaybookStore

/// A record that has only an identifier.
private struct Plain: Record {
  var id = 0
  static let schema = RecordSchema<Plain>("Plain")
}

/// A record that refers to a second one.
private struct Linked: Record {
  var id = 0
  var other: Reference<Linked>?
  static let schema = RecordSchema<Linked>("Linked")
    .reference("other", at: \.other, whenTargetDeleted: .keep)
}

/// A record with a unique value.
private struct Named: Record {
  var id = 0
  var name = 0
  static let schema = RecordSchema<Named>("Named").attribute("name", at: \.name).unique(\.name)
}

extension StoreWorkload {
  // MARK: References, unique values and idempotency keys

  /// Measures the memory of a reference, of a unique value and of an idempotency key. Each figure
  /// is the difference between the memory of two stores, with and without them.
  static func finding(_ settings: Settings, in scratch: Scratch) throws -> [Measurement] {
    let rowCount = settings.rowCount
    let plain = try Held(in: scratch, count: rowCount) { Plain(id: $0) }
    let linked = try Held(in: scratch, count: rowCount) {
      Linked(id: $0, other: Reference(rowCount + 1 - $0))
    }
    let named = try Held(in: scratch, count: rowCount) { Named(id: $0, name: $0 &* 7) }
    let keyCount = settings.count(100_000)
    let keyed = try keyedByteCount(in: scratch, count: keyCount) {
      "request \($0) of a client somewhere"
    }
    let unkeyed = try keyedByteCount(in: scratch, count: keyCount) { _ in nil }
    func row(
      _ work: String, unit: String, byteCount bytes: Int, of count: Int,
      promise: Measurement.Promise
    ) -> Measurement {
      Measurement(
        work: "\(work), \(count) of them", yardstick: "none", unit: unit, promise: promise,
        samples: [Measurement.Sample(ours: Double(bytes) / Double(count), yardstick: 0)],
        quantity: .bytes)
    }
    let promise = Measurement.Promise.bytesAtMost(16).ofAMillion(rowCount)
    return [
      // After saving, the memory also includes the free pages of the transactions that were in
      // flight at the same time. The store keeps these pages for later edits.
      row(
        "references, saved", unit: "reference", byteCount: linked.saved - plain.saved, of: rowCount,
        promise: .none),
      row(
        "references, opened", unit: "reference", byteCount: linked.opened - plain.opened,
        of: rowCount, promise: promise),
      row(
        "unique values, saved", unit: "value", byteCount: named.saved - plain.saved, of: rowCount,
        promise: .none),
      row(
        "unique values, opened", unit: "value", byteCount: named.opened - plain.opened,
        of: rowCount, promise: promise),
      row(
        "idempotency keys", unit: "key", byteCount: keyed - unkeyed, of: keyCount,
        promise: keyCount == 100_000 ? .bytesAtMost(80) : .none),
    ]
  }

  /// The memory of a store after saving records, and after opening it again, in bytes.
  private struct Held {
    var saved = 0
    var opened = 0

    init<Value: Record>(
      in scratch: Scratch, count: Int, record: @escaping @Sendable (Int) -> Value
    ) throws {
      let path = scratch.path("held")
      func open() throws -> Store {
        var options = JournalOptions()
        (options.durability, options.keepsCheckpoints) = (.none, false)
        return try Store(at: path, records: Value.self, options: options)
      }
      saved = try anonymousByteCount {
        let store = try open()
        try blocking { _ = try await store.insert(contentsOf: (1...count).lazy.map(record)) }
        return store
      }
      opened = try anonymousByteCount(of: open)
      scratch.removeFiles()
    }
  }

  /// Returns the memory of a store after saving transactions, in bytes. A closure returns the
  /// idempotency key of each transaction; nil for none.
  private static func keyedByteCount(
    in scratch: Scratch, count: Int, key: (Int) -> String?
  ) throws -> Int {
    let byteCount = try anonymousByteCount {
      var options = JournalOptions()
      (options.durability, options.keepsCheckpoints) = (.none, false)
      let store = try Store(at: scratch.path("keyed"), records: Plain.self, options: options)
      let context = store.makeContext()
      for id in 1...count {
        try context.insert(Plain(id: id))
        context.metadata.idempotencyKey = key(id)
        try context.saveAndWait()
      }
      precondition(store.statistics.idempotencyKeyCount == (key(1) == nil ? 0 : count))
      return store
    }
    scratch.removeFiles()
    return byteCount
  }

  /// Returns the memory that an open store adds to this process, in bytes, without mapped files.
  private static func anonymousByteCount(of make: () throws -> Store) throws -> Int {
    ProcessMemory.releaseFreeMemory()
    let before = ProcessMemory.anonymousByteCount
    let store = try make()
    ProcessMemory.releaseFreeMemory()
    let after = ProcessMemory.anonymousByteCount
    try store.closeAndWait()
    return after - before
  }
}
