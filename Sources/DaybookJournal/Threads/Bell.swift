/// Something that rings, and is heard by all who wait for it.
final class Bell: Sendable {
  private let rings = Condition(0)

  /// How often it has rung.
  var count: Int { rings.read { $0 } }

  func ring() { rings.withLock { $0 += 1 } }

  /// Waits until it has rung more often than so many times, or the time is over, and says how often
  /// it has.
  func wait(after heard: Int, milliseconds: Int) -> Int {
    wait(after: heard, nanoseconds: Int64(min(max(0, milliseconds), 1 << 32)) * 1_000_000)
  }

  func wait(after heard: Int, nanoseconds: Int64) -> Int {
    let clock = MachineClock()
    let end = clock.uptimeNanoseconds + nanoseconds
    return rings.wait { rings in
      rings != heard || clock.uptimeNanoseconds >= end ? .is(rings) : .notBefore(end)
    }
  }
}
