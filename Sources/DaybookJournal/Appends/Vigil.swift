/// For how long a thread stays awake while the disk writes what it was told to begin with, before it asks for the sync
/// and sleeps.
///
/// A sync is two things that the disk does: it writes the bytes, and then what it holds in memory of its own. A thread that
/// sleeps through both is woken twice, and to wake a processor that has gone to sleep as well can take as long as the disk
/// takes to write a few bytes. A thread that stays awake through the first is woken once.
///
/// Whether that is worth it, and how long the first takes, depends on the machine. So of every eight syncs one tries
/// another length, and what is faster more often becomes the usual one: by a thirty-second part, if the thread is to stay
/// awake for longer. If it may sleep sooner, it is enough to be slower by less than a sixty-fourth.
struct Vigil {
  /// What is tried, in nanoseconds from when the disk has been told to begin.
  static let lengths: [Int64] = [0, 10_000, 20_000, 30_000]
  /// One sync of so many tries another length.
  static let trialInterval = 8
  /// How many more trials have to be won than lost.
  static let voteCountMin = 8

  /// The length that is kept as a rule.
  private(set) var usual = 2
  // Near the median of what syncs take with it.
  private var usualNanoseconds: Int64?
  /// How many were begun.
  private(set) var count = 0
  private var tried = 0
  private var votes = [Int](repeating: 0, count: Vigil.lengths.count)

  private var isTrial: Bool { count % Vigil.trialInterval == 0 }

  /// Keeps the thread awake in the next sync, which the disk has been told of at a time, until it is to sleep.
  mutating func keep(since start: Int64, by clock: some JournalClock) {
    let end = start + begin()
    while clock.uptimeNanoseconds < end {}
  }

  /// How long the thread is to stay awake in the next sync.
  mutating func begin() -> Int64 {
    count += 1
    guard isTrial else { return Vigil.lengths[usual] }
    tried = (tried + 1) % Vigil.lengths.count
    if tried == usual { tried = (tried + 1) % Vigil.lengths.count }
    return Vigil.lengths[tried]
  }

  /// Notes how long that sync took, from when the disk had been told of it.
  mutating func end(nanoseconds: Int64) {
    guard let known = usualNanoseconds else {
      usualNanoseconds = nanoseconds
      return
    }
    guard isTrial else {
      // One that takes very long changes no more than any other.
      let step = max(known / 128, 1)
      usualNanoseconds = max(nanoseconds > known ? known + step : known - step, 0)
      return
    }
    let isWon =
      tried > usual ? nanoseconds < known - known / 32 : nanoseconds <= known + known / 64
    votes[tried] = max(votes[tried] + (isWon ? 1 : -1), 0)
    guard votes[tried] == Vigil.voteCountMin else { return }
    usual = tried
    votes = [Int](repeating: 0, count: votes.count)
  }
}
