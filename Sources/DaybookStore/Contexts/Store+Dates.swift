import DaybookEssentials
import DaybookJournal

extension JournalTime {
  /// Creates the time of a date. If no time represents the date, creates the nearest time.
  ///
  /// A date before 1677 becomes the earliest time, and a date after 2262 the latest. A date that is
  /// not a number becomes the earliest time.
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

// Both `Date` and `JournalTime` have a member `distantPast`. The methods with dates are disfavored,
// so that `.distantPast` in a call means the journal time.

extension Store {
  /// Returns the state at a date, that is, after the last transaction at or before that date.
  ///
  /// ```swift
  /// let yesterday = try store.snapshot(at: Date(timeIntervalSinceNow: -86_400))
  /// ```
  ///
  /// - Throws: ``StoreError`` with `noSuchMoment` if the history of the journal starts after that
  ///   date.
  @_disfavoredOverload
  public func snapshot(at date: Date) throws(StoreError) -> StoreSnapshot {
    try snapshot(at: JournalTime(clamping: date))
  }

  /// Returns the number of the last transaction at or before a date; 0 if all transactions are
  /// later.
  ///
  /// - Throws: ``StoreError`` with `noSuchMoment` if the history of the journal starts after that
  ///   date.
  @_disfavoredOverload
  public func sequence(at date: Date) throws(StoreError) -> SequenceNumber {
    try sequence(at: JournalTime(clamping: date))
  }

  /// Creates a context that shows the state at a date, that is, after the last transaction at or
  /// before that date. See ``makeContext(at:isolation:file:line:)-(SequenceNumber,_,_,_)``.
  ///
  /// - Throws: ``StoreError`` with `noSuchMoment` if the history of the journal starts after that
  ///   date.
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
  /// - Throws: The errors of ``travel(to:)-(SequenceNumber)``.
  @_disfavoredOverload
  public func travel(to date: Date) throws(StoreError) {
    try travel(to: JournalTime(clamping: date))
  }
}
