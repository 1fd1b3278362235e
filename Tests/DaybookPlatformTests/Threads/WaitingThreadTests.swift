import DaybookPlatform
import Synchronization
import TestSupport
import Testing

@Suite("Promises and signals") struct WaitingThreadTests {
  @Test func `every task and every thread that waits for a promise gets its first value`() async {
    for round in 0..<50 {
      let promise = Promise<Int>()
      let threads = (0..<4).map { _ in TestThread { promise.wait() } }
      let values = await withTaskGroup(of: Int.self) { group in
        for _ in 0..<8 { group.addTask { await promise.value() } }
        group.addTask {
          #expect(promise.fulfill(round))
          #expect(!promise.fulfill(-1))
          return promise.known ?? -2
        }
        return await group.reduce(into: Set<Int>()) { $0.insert($1) }
      }
      #expect(values == [round])
      #expect(threads.allSatisfy { $0.value() == round })
      #expect(promise.known == round)
    }
  }

  @Test func `an unfulfilled promise has no value`() {
    #expect(Promise<Int>().known == nil)
  }

  @Test func `a signal resumes exactly the waiters of reached counts`() async {
    let signal = Signal()
    let threads = (1...3 as ClosedRange<UInt64>).map { count in
      TestThread { signal.wait(until: count) }
    }
    let tasks = (1...3 as ClosedRange<UInt64>).map { count in
      Task { await signal.suspend(until: count) }
    }
    while signal.waiterCount < 6 { await Task.yield() }
    signal.increase()
    threads[0].value()
    await tasks[0].value
    #expect(signal.waiterCount == 4)
    signal.increase(to: 2)
    threads[1].value()
    await tasks[1].value
    signal.increase(to: 1)
    #expect((signal.waiterCount, signal.count) == (2, 2))
    signal.end()
    threads[2].value()
    await tasks[2].value
    #expect((signal.waiterCount, signal.count) == (0, 2))
    let isReached = await (
      signal.suspendUnlessCancelled(until: 2), signal.suspendUnlessCancelled(until: 3)
    )
    #expect(isReached == (true, false))
  }

  @Test func `a cancelled task stops waiting for a signal, also if cancelled before`() async {
    for _ in 0..<200 {
      let signal = Signal()
      let task = Task { await signal.suspendUnlessCancelled(until: 1) }
      let other = Task { await signal.suspend(until: 1) }
      task.cancel()
      other.cancel()
      #expect(await !task.value)
      while signal.waiterCount < 1 { await Task.yield() }
      #expect(signal.waiterCount == 1)
      signal.increase()
      await other.value
    }
  }

  @Test func `a thread stops waiting for a signal at its deadline`() {
    let signal = Signal()
    let deadline = SystemClock.uptimeNanoseconds + 1_000_000
    signal.wait(until: 1, deadline: deadline)
    #expect(SystemClock.uptimeNanoseconds >= deadline)
    #expect((signal.waiterCount, signal.count) == (0, 0))
  }

  @Test func `a counter that is changed by many threads reaches every waiter of every count`() {
    let signal = Signal()
    let count: UInt64 = 300
    let waiting = (0..<3).map { _ in
      TestThread { for next in 1...count { signal.wait(until: next) } }
    }
    let increasing = (0..<3 as Range<UInt64>).map { _ in
      TestThread { for _ in 0..<count / 3 { signal.increase() } }
    }
    for thread in increasing + waiting { thread.value() }
    #expect(signal.count == count)
  }
}
