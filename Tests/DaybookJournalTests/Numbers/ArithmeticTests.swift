import DaybookJournal
import Testing

@Suite struct `Arithmetic with moments` {
  private let numbers: [SequenceNumber] = [0, 1, 2, 41, 57, 1_000_000_000]
  private let times = [Int64.min, -1_000_000_001, -1, 0, 1, 999_999_999, .max]
    .map { JournalTime(nanoseconds: $0) }

  @Test func `the distance between two sequence numbers leads from one to the other`() {
    for one in numbers {
      for other in numbers {
        #expect(one + (other - one) == other)
        #expect(other - (other - one) == one)
        #expect((one < other) == (other - one > 0))
      }
    }
  }

  @Test func `sequence numbers stop at zero and at the largest number`() {
    let last = SequenceNumber(.max)
    #expect(SequenceNumber.zero - 1 == 0)
    #expect(SequenceNumber(7) + -9 == 0)
    #expect(last + 1 == last)
    #expect(last - SequenceNumber.zero == .max)
    #expect(SequenceNumber.zero - last == -.max)
    #expect(SequenceNumber.zero - .min == SequenceNumber(1 << 63))
    #expect(last - Int.min == last)
  }

  @Test func `a range of sequence numbers contains each transaction once`() {
    let (first, last): (SequenceNumber, SequenceNumber) = (41, 44)
    #expect(Array(first...last) == [41, 42, 43, 44])
    #expect(Array(first..<last).count == last - first)
  }

  @Test func `the duration between two journal times leads from one to the other`() {
    for one in times {
      for other in times {
        #expect(one + (other - one) == other)
        #expect((one < other) == (other - one > .zero))
      }
    }
    #expect(times[6] - times[0] == .nanoseconds(Int64.max) * 2 + .nanoseconds(1))
  }

  @Test func `journal times stop at the earliest and the latest`() {
    #expect(JournalTime.distantPast - .nanoseconds(1) == .distantPast)
    #expect(times[6] + .seconds(Int64.max) == times[6])
    #expect(times[3] - .seconds(Int64.max) == .distantPast)
    #expect(times[3] - .seconds(Int64.min) == times[6])
  }

  @Test func `a duration is added to a journal time in whole nanoseconds`() {
    let start = JournalTime(nanoseconds: 5)
    #expect(start + .milliseconds(2) == JournalTime(nanoseconds: 2_000_005))
    #expect(start - .seconds(1) == JournalTime(nanoseconds: -999_999_995))
    let part = Duration(secondsComponent: 0, attosecondsComponent: 1_999_999_999)
    #expect(start + part == JournalTime(nanoseconds: 6))
  }
}
