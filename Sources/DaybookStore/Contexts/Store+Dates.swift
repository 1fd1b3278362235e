import DaybookEssentials
import DaybookJournal

extension JournalTime {
  /// Creates the time of a date; for a date that no time represents, the nearest time.
  ///
  /// A date before 1677 has the earliest time, and a date after 2262 the latest. A date that is not
  /// a number has the earliest time.
  ///
  /// - Parameter date: The date.
  public init(clamping date: Date) {
    if let time = JournalTime(date) {
      self = time
    } else {
      let isLate = date.timeIntervalSinceReferenceDate > 0
      self = isLate ? JournalTime(nanoseconds: .max) : .distantPast
    }
  }
}

// A call with `.distantPast` means the journal time. So these methods are not preferred.

extension Store {
  /// Returns the state at a date: the state after the last transaction at or before it.
  ///
  /// ```swift
  /// let yesterday = try store.snapshot(at: Date(timeIntervalSinceNow: -86_400))
  /// ```
  ///
  /// - Throws: ``StoreError`` with `noSuchMoment` if the history of the journal starts later.
  @_disfavoredOverload
  public func snapshot(at date: Date) throws(StoreError) -> StoreSnapshot {
    try snapshot(at: JournalTime(clamping: date))
  }

  /// Returns the last transaction at or before a date; 0 if all transactions are later.
  ///
  /// - Throws: ``StoreError`` with `noSuchMoment` if the history of the journal starts later.
  @_disfavoredOverload
  public func sequence(at date: Date) throws(StoreError) -> SequenceNumber {
    try sequence(at: JournalTime(clamping: date))
  }

  /// Creates a scratchpad over the state at a date, that is, after the last transaction at or
  /// before it; see the other `makeContext(at:)`.
  ///
  /// - Throws: ``StoreError`` with `noSuchMoment` if the history of the journal starts later.
  @_disfavoredOverload
  public func makeContext(
    at date: Date, isolation: isolated (any Actor)? = #isolation, file: StaticString = #fileID,
    line: UInt = #line
  ) throws(StoreError) -> EditingContext {
    try makeContext(
      at: JournalTime(clamping: date), isolation: isolation, file: file, line: line)
  }
}

extension EditingContext {
  /// Moves the context to the moment after the last transaction at or before a date; see
  /// ``travel(to:)-(SequenceNumber)``.
  ///
  /// - Throws: ``StoreError``, as for a transaction.
  @_disfavoredOverload
  public func travel(to date: Date) throws(StoreError) {
    try travel(to: JournalTime(clamping: date))
  }
}
