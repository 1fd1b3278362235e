import DaybookJournal

/// The encoding of the totals, at the end of the roots of a checkpoint:
///
/// ```
///   whether times are ordered  u8
///   transactions               u64
///   end                        a mark
///   base                       0 or 1; for 1, a size
///   first                      0 or 1; for 1, a size
///   largest                    their number, and the size of each
///   entities                   their number, and for each: records of the base, inserts, updates
///                              and deletes, u64 each
///   marks                      their number, and for each: sequence u64, time i64, changes u64,
///                              deletes u64, payload bytes u64
/// ```
///
/// A size is the sequence u64, the time i64, the changes u64 and the bytes u64 of a transaction.
extension HistoryTotals {
  func append(to buffer: inout RowBuffer) {
    buffer.append(UInt8(hasOrderedTimes ? 1 : 0))
    buffer.append(UInt64(transactionCount))
    buffer.append(end)
    for sizes in [base.map { [$0] } ?? [], first.map { [$0] } ?? [], largest] {
      buffer.appendVariable(UInt64(sizes.count))
      for size in sizes { buffer.append(size) }
    }
    buffer.appendVariable(UInt64(entities.count))
    for entity in entities {
      for count in [
        entity.baseCount, entity.insertCount, entity.updateCount, entity.deleteCount,
      ] {
        buffer.append(UInt64(count))
      }
    }
    buffer.appendVariable(UInt64(marks.count))
    buffer.reserve(marks.count * Mark.byteCount)
    for mark in marks { buffer.append(mark) }
  }

  /// Reads the totals up to a transaction; nil if the bytes are invalid.
  init?(at cursor: inout ByteCursor, in bytes: RawSpan, through last: UInt64) {
    guard let order = cursor.number(bytes, as: UInt8.self), order <= 1,
      let transactionCount = cursor.quantity(bytes), UInt64(transactionCount) <= last,
      let end = cursor.mark(bytes), end.sequence == last,
      let base = cursor.sizes(bytes, countMax: 1), let first = cursor.sizes(bytes, countMax: 1),
      let largest = cursor.sizes(bytes, countMax: HistoryTotals.largestCountMax)
    else { return nil }
    hasOrderedTimes = order == 1
    self.transactionCount = transactionCount
    self.end = end
    self.base = base.first
    self.first = first.first
    self.largest = largest
    guard let entityCount = cursor.count(bytes, of: 32) else { return nil }
    for _ in 0..<entityCount {
      guard let baseCount = cursor.quantity(bytes), let insertCount = cursor.quantity(bytes),
        let updateCount = cursor.quantity(bytes), let deleteCount = cursor.quantity(bytes)
      else { return nil }
      entities.append(
        EntityTotals(
          baseCount: baseCount, insertCount: insertCount, updateCount: updateCount,
          deleteCount: deleteCount))
    }
    guard let markCount = cursor.count(bytes, of: Mark.byteCount) else { return nil }
    marks.reserveCapacity(markCount)
    for _ in 0..<markCount {
      guard let mark = cursor.mark(bytes) else { return nil }
      marks.append(mark)
    }
    guard isConsistent else { return nil }
  }

  /// A Boolean value that indicates whether the marks ascend to the end, and whether the counts of
  /// the entities add up to the sums at the end. The other methods rely on both.
  private var isConsistent: Bool {
    let start = base?.sequence.rawValue ?? 0
    guard start <= end.sequence, UInt64(transactionCount) == end.sequence - start else {
      return false
    }
    var last = Mark(
      sequence: start, time: .distantPast, changeCount: 0, deleteCount: 0, byteCount: 0)
    for mark in marks + [end] {
      // A mark at the last transaction equals the end.
      guard mark.sequence > last.sequence || mark == last,
        mark.time >= last.time || !hasOrderedTimes, mark.changeCount >= last.changeCount,
        mark.deleteCount >= last.deleteCount, mark.byteCount >= last.byteCount
      else { return false }
      last = mark
    }
    var (changeCount, deleteCount) = (0, 0)
    for entity in entities {
      changeCount += entity.insertCount + entity.updateCount + entity.deleteCount
      deleteCount += entity.deleteCount
      // The sums cannot overflow, because each quantity is far below the largest integer.
      guard changeCount <= end.changeCount else { return false }
    }
    return changeCount == end.changeCount && deleteCount == end.deleteCount
  }
}

extension HistoryTotals.Mark {
  fileprivate static let byteCount = 40
}

extension RowBuffer {
  fileprivate mutating func append(_ mark: HistoryTotals.Mark) {
    append(mark.sequence)
    append(mark.time.nanoseconds)
    append(UInt64(mark.changeCount))
    append(UInt64(mark.deleteCount))
    append(UInt64(mark.byteCount))
  }

  fileprivate mutating func append(_ size: HistoryTotals.TransactionSize) {
    append(size.sequence.rawValue)
    append(size.time.nanoseconds)
    append(UInt64(size.changeCount))
    append(UInt64(size.byteCount))
  }
}

extension ByteCursor {
  /// Reads a quantity, which is less than 2⁴⁸, so that sums cannot overflow.
  fileprivate mutating func quantity(_ bytes: RawSpan) -> Int? {
    number(bytes, as: UInt64.self).flatMap { $0 < 1 << 48 ? Int($0) : nil }
  }

  fileprivate mutating func mark(_ bytes: RawSpan) -> HistoryTotals.Mark? {
    guard let sequence = number(bytes, as: UInt64.self), let time = number(bytes, as: Int64.self),
      let changeCount = quantity(bytes), let deleteCount = quantity(bytes),
      let byteCount = quantity(bytes)
    else { return nil }
    return HistoryTotals.Mark(
      sequence: sequence, time: JournalTime(nanoseconds: time), changeCount: changeCount,
      deleteCount: deleteCount, byteCount: byteCount)
  }

  fileprivate mutating func sizes(
    _ bytes: RawSpan, countMax: Int
  ) -> [HistoryTotals.TransactionSize]? {
    guard let count = count(bytes, of: 32), count <= countMax else { return nil }
    var sizes: [HistoryTotals.TransactionSize] = []
    for _ in 0..<count {
      guard let size = size(bytes) else { return nil }
      sizes.append(size)
    }
    return sizes
  }

  private mutating func size(_ bytes: RawSpan) -> HistoryTotals.TransactionSize? {
    guard let sequence = number(bytes, as: UInt64.self), let time = number(bytes, as: Int64.self),
      let changeCount = quantity(bytes), let byteCount = quantity(bytes)
    else { return nil }
    return HistoryTotals.TransactionSize(
      sequence: SequenceNumber(sequence), time: JournalTime(nanoseconds: time),
      changeCount: changeCount, byteCount: byteCount)
  }
}
