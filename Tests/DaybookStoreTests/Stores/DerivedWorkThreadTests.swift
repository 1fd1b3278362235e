import DaybookStore
import Synchronization
import TestSupport
import Testing

/// Background work that maintains files beside a journal.
@Suite("Derived work") struct DerivedWorkThreadTests {
  /// The names of the completed work, in order.
  private final class Done: Sendable {
    private let names = Mutex<[String]>([])
    func note(_ name: String) { names.withLock { $0.append(name) } }
    var all: [String] { names.withLock { $0 } }
  }

  private let work = DerivedWork()
  private let done = Done()

  private func offer(_ name: String, _ what: String) {
    work.offer(name) { [done] in done.note(what) }
  }

  @Test func `started work runs at once, and offered work runs at the end`() {
    offer("one", "one, first")
    offer("two", "two")
    offer("one", "one, again")
    work.start("three") { [done] in done.note("three") }
    work.waitUntilIdle()
    #expect(done.all == ["three"])
    work.start("two")
    work.start("nothing of this name")
    work.waitUntilIdle()
    #expect(done.all == ["three", "two"])
    work.finish()
    #expect(done.all == ["three", "two", "one, again"])
  }

  @Test func `work offered by work that runs at the end also runs`() {
    work.offer("one") { [work, done] in
      done.note("one")
      work.offer("two") { done.note("two") }
    }
    work.finish()
    #expect(done.all == ["one", "two"])
  }

  @Test func `derived work does not run after the end`() {
    work.finish()
    offer("one", "one")
    work.start("two") { [done] in done.note("two") }
    work.finish()
    work.waitUntilIdle()
    #expect(done.all == [])
  }

  @Test func `work without a thread runs on a later thread or on a waiting one`() {
    let startCount = Mutex(0)
    let failing = DerivedWork { body in
      let number = startCount.withLock { count in
        count += 1
        return count
      }
      // Only the second attempt gets a thread.
      if number == 2 { body() }
      return number == 2
    }
    failing.start("one") { [done] in done.note("one") }
    #expect(done.all == [])
    failing.start("two") { [done] in done.note("two") }
    #expect(done.all == ["one", "two"])
    failing.start("three") { [done] in done.note("three") }
    #expect(done.all == ["one", "two"])
    failing.waitUntilIdle()
    #expect(done.all == ["one", "two", "three"])
    #expect(startCount.withLock { $0 } == 3)
  }

  @Test func `cancelled work does not run, and cancelling waits for running work`() {
    let gate = Gate()
    gate.shut()
    offer("other", "other")
    offer("one", "one")
    work.start("slow") { [done] in
      gate.pass()
      done.note("slow")
    }
    until { gate.arrivedCount == 1 }
    work.start("next") { [done] in done.note("next") }
    let asked = Done()
    let thread = TestThread { [work, done] in
      work.cancel { name in
        asked.note(name)
        return name != "other"
      }
      done.note("cancelled")
    }
    // Running work is queried last, after all waiting work has been discarded.
    until { asked.all.contains("slow") }
    gate.open()
    thread.value()
    #expect(done.all == ["slow", "cancelled"])
    work.finish()
    #expect(done.all == ["slow", "cancelled", "other"])
  }
}
