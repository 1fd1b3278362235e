import DaybookPlatform
import Synchronization
import Testing

@Suite struct `Threads of the operating system` {
  @Test func `join waits until the closure of the thread has returned`() {
    let count = Atomic(0)
    for _ in 0..<50 {
      let thread = SystemThread(stackByteCount: 128 << 10) { count.add(1, ordering: .relaxed) }
      thread?.join()
    }
    #expect(count.load(ordering: .relaxed) == 50)
  }

  @Test func `a wait for a condition ends at its deadline`() {
    let condition = ConditionVariable()
    condition.lock()
    let deadline = SystemClock.uptimeNanoseconds + 1_000_000
    while SystemClock.uptimeNanoseconds < deadline {
      condition.wait(untilUptimeNanoseconds: deadline)
    }
    condition.unlock()
  }

  @Test func `a thread flag that one thread sets is unset on another`() {
    let flag = ThreadFlag()
    #expect(!flag.isSet)
    flag.isSet = true
    let isSetElsewhere = Atomic(true)
    let thread = SystemThread(stackByteCount: 128 << 10) {
      isSetElsewhere.store(flag.isSet, ordering: .relaxed)
    }
    thread?.join()
    #expect(!isSetElsewhere.load(ordering: .relaxed) && flag.isSet)
    flag.isSet = false
    #expect(!flag.isSet)
  }
}
