import DaybookPlatform
import Synchronization
import Testing

@Suite("Scheduled work") struct ScheduledThreadTests {
  @Test func `work that is due is performed in the order in which it was scheduled`() {
    let threads = ScheduledThreads(threadCountMax: 1)
    let gate = Promise<Void>()
    let done = Promise<[Int]>()
    let numbers = Mutex<[Int]>([])
    threads.run { gate.wait() }
    // All due times are past, and the thread is busy until all work is scheduled.
    for (number, due) in [4, 2, 3, 2, 1].enumerated() {
      threads.run(at: Int64(due)) { numbers.withLock { $0.append(number) } }
    }
    threads.run(at: 5) { done.fulfill(numbers.withLock { $0 }) }
    gate.fulfill(())
    #expect(done.wait() == [4, 1, 3, 2, 0])
  }

  @Test(arguments: 1...5 as ClosedRange<Int>)
  func `at most the allowed number of threads perform work at a time`(_ threadCountMax: Int) {
    let threads = ScheduledThreads(threadCountMax: threadCountMax)
    let gate = Promise<Void>()
    let started = Signal()
    let ended = Signal()
    let running = Atomic<Int>(0)
    let most = Atomic<Int>(0)
    for _ in 0..<100 {
      threads.run {
        most.max(running.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
        started.increase()
        gate.wait()
        running.subtract(1, ordering: .relaxed)
        ended.increase()
      }
    }
    started.wait(until: UInt64(threadCountMax))
    #expect(threads.threadCount == threadCountMax)
    gate.fulfill(())
    ended.wait(until: 100)
    #expect(most.load(ordering: .relaxed) == threadCountMax)
  }

  @Test func `work in the far future does not delay work that is due`() {
    let threads = ScheduledThreads(threadCountMax: 1)
    let early = Promise<Void>()
    threads.run(at: .max) { Issue.record("the end of time has come") }
    threads.run { early.fulfill(()) }
    early.wait()
    let soon = Promise<Void>()
    threads.run(at: SystemClock.uptimeNanoseconds + 1_000_000) { soon.fulfill(()) }
    soon.wait()
  }

  @Test func `work is refused if the system cannot start a thread`() {
    let isStarting = Atomic<Bool>(false)
    let threads = ScheduledThreads(threadCountMax: 2) { body in
      isStarting.load(ordering: .relaxed) && SystemThread.detach(body)
    }
    #expect(!threads.run { Issue.record("refused work was performed") })
    #expect(threads.threadCount == 0)
    isStarting.store(true, ordering: .relaxed)
    let done = Promise<Void>()
    #expect(threads.run { done.fulfill(()) })
    done.wait()
  }
}
