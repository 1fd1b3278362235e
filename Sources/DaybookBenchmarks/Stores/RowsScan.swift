import DaybookStore

/// A scan of all rows of a store, which reads two attributes without creating records.
struct RowsScan {
  private let frozen: FrozenState
  private let entity: Int
  private let amount: AttributePath
  private let createdAt: AttributePath

  init(_ store: Store) {
    frozen = store.snapshot.frozen
    guard let entity = frozen.catalog.index(of: Row.schema.entity),
      let amount = AttributePath("amount", of: Row.schema.entity, in: frozen.catalog),
      let createdAt = AttributePath("createdAt", of: Row.schema.entity, in: frozen.catalog)
    else { preconditionFailure("a store without rows") }
    (self.entity, self.amount, self.createdAt) = (entity, amount, createdAt)
  }

  /// Returns the number of rows with an amount of at least 500,000.
  func largeCount() -> Int {
    var count = 0
    RowScan(frozen).forEach(in: entity) { _, row in
      if amount.number(in: row, as: Int64.self) ?? 0 >= 500_000 { count += 1 }
    }
    return count
  }

  /// Reads both attributes of each row.
  @inline(never)
  func scanStep() {
    // Local copies of the properties keep the loads of `self` out of the measured loop.
    let (amount, createdAt) = (amount, createdAt)
    var sum: Int64 = 0
    var latest = 0.0
    RowScan(frozen).forEach(in: entity) { _, row in
      sum &+= amount.number(in: row, as: Int64.self) ?? 0
      latest = max(latest, createdAt.double(in: row) ?? 0)
    }
    blackHole(UInt64(bitPattern: sum) ^ latest.bitPattern)
  }
}
