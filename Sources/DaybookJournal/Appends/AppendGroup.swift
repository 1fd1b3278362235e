/// The frames that one write takes to the disk and one sync makes durable, and who waits for them.
///
/// A group forms while the one before it is written and synced. Whoever opened it, or whoever waits
/// first, becomes its leader and does the work for all.
//
// Not `Sendable` by nature: it belongs to the state while it forms, under the state's lock, and
// from the moment it is taken to its leader alone.
final class AppendGroup: @unchecked Sendable {
  /// Work beside the frames that must not be done while another group is written.
  struct Work: OptionSet, Sendable {
    let rawValue: UInt8
    /// Make durable what has been written.
    static let sync = Work(rawValue: 1)
    /// Tell of it in a mark.
    static let mark = Work(rawValue: 2)
    /// Make it durable, tell of it in both marks, and end the writer.
    static let close = Work(rawValue: 4)
    /// Fill space ahead.
    static let fill = Work(rawValue: 8)
  }

  var frames = FrameWriter()
  /// Where the frames begin.
  private(set) var start: FramePosition
  /// Where they end.
  var end: FramePosition
  var work: Work = []
  var waiters: [AppendWaiter] = []

  init(start: FramePosition) {
    self.start = start
    end = start
  }

  /// Makes this an empty group that keeps its memory.
  func reset(start: FramePosition) {
    frames.removeAll()
    self.start = start
    end = start
    work = []
    waiters.removeAll(keepingCapacity: true)
  }
}
