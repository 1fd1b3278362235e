import DaybookJournal

/// What became of a proposal when it was to be numbered.
enum BegunSave: Sendable {
  /// It has its number, and is not written yet.
  case onTheWay(BegunAppend, ticket: UInt64)
  /// There is nothing to wait for: it is saved, or nothing was left to save.
  case done(Receipt?)
  /// It cannot be numbered yet, and is to begin again after an event.
  case behind(SaveWait)
  /// It has not begun, as transactions were taken back behind which it was to come.
  case afterTakeBack
  /// It has not begun, as it was made for a state that is not the newest any more.
  case overtaken

  /// The event after which the save is to begin again.
  var wait: SaveWait? {
    if case .behind(let wait) = self { wait } else { nil }
  }
}

/// The event that a save waits for before it is numbered.
enum SaveWait: Sendable {
  /// The transaction with this ticket is settled, one way or the other: the outcome depends on it.
  case settlement(ticket: UInt64)
  /// The body of a write, which alone may number transactions, has ended: the one with this number.
  case release(hold: UInt64)
}

/// The conditions under which a proposal is numbered.
struct NumberingConditions {
  /// How often transactions may have been taken back; nil if that does not matter.
  var takeBackCount: Int?
  /// Whether it is written although nobody may come to finish it for a while.
  var isWrittenAtOnce = false
  /// Whether what stands in the way is a reason to refuse, although it may be taken back itself.
  var isLastTry = false
  /// The state that must be the newest; nil if any may be.
  var read: AcceptedMark?
  /// Whether this is the save of the body that alone may number transactions.
  var holdsNumbering = false

  /// The same after an event that the save has waited for.
  func following(_ wait: SaveWait) -> NumberingConditions {
    var next = self
    if case .settlement = wait { next.isLastTry = true }
    return next
  }

  /// What keeps a proposal from being numbered; nil if nothing does.
  ///
  /// - Throws: ``StoreError`` with `journal` and `precedingRefused`, if what it was made for is taken back.
  func obstacle(in core: borrowing StoreCore, path: String) throws(StoreError) -> BegunSave? {
    if let takeBackCount, takeBackCount != core.takeBackCount { return .afterTakeBack }
    if core.numberingHold.isHeld, !holdsNumbering {
      return .behind(.release(hold: core.numberingHold.count))
    }
    guard let read else { return nil }
    try read.checkKept(path: path)
    return core.isNewer(than: read) ? .overtaken : nil
  }
}

/// An accepted state, told from every other, and the last transaction in it that may be taken back.
struct AcceptedMark: Sendable {
  let sequence: SequenceNumber
  let takeBackCount: Int
  /// Nil if none of it can be taken back.
  let last: OnTheWay?

  /// Checks that no transaction in the state was taken back.
  ///
  /// - Throws: ``StoreError`` with `journal` and `precedingRefused`
  func checkKept(path: String) throws(StoreError) {
    guard let last, last.isTakenBack else { return }
    throw StoreError(.journal(JournalError(.precedingRefused, path: path)), path: path)
  }
}

/// The right to number transactions, which one body of a write may have alone.
struct NumberingHold {
  private(set) var isHeld = false
  /// The number of holds so far.
  private(set) var count: UInt64 = 0

  mutating func begin() {
    precondition(!isHeld, "two bodies hold the numbering of one store")
    isHeld = true
    count += 1
  }

  mutating func end() { isHeld = false }
}
