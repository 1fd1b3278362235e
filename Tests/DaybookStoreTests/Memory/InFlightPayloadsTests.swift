import DaybookSimulation
import TestSupport
import Testing

@testable import DaybookStore

@Suite struct `Payloads in flight` {
  /// Compares the payloads with an array through random additions, removals at either end, and
  /// copies, which stay unchanged.
  @Test(arguments: 1...UInt64(FaultRow.count(20, full: 200)))
  func `payloads in flight are those added and neither written nor rolled back`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var payloads = InFlightPayloads()
    var model: [InFlightPayloads.Entry] = []
    var (next, end): (UInt64, UInt64) = (1, 0)
    var copies: [(InFlightPayloads, [InFlightPayloads.Entry])] = []
    for _ in 0..<200 {
      switch random.next() % 10 {
      case ..<7:
        let payload = [UInt8](repeating: UInt8(next & 255), count: 1 + Int(random.next() % 9))
        payloads.append(payload, sequence: next, at: RowLocation(rawValue: end))
        model.append(
          InFlightPayloads.Entry(
            location: RowLocation(rawValue: end), sequence: next, payload: payload))
        (next, end) = (next + 1, end + UInt64(payload.count))
      case 7:
        let last = (model.first?.sequence ?? next) + random.next() % 20
        #expect(payloads.has(through: last) == model.contains { $0.sequence <= last })
        payloads.remove(through: last)
        model.removeAll { $0.sequence <= last }
      case 8 where random.next() % 3 == 0:
        guard let last = model.last?.sequence else { continue }
        next = last - min(random.next() % 40, UInt64(model.count) - 1)
        payloads.cut(from: next)
        model.removeAll { $0.sequence >= next }
      default: copies.append((payloads, model))
      }
      expectSame(payloads, model, through: end)
    }
    for (payloads, model) in copies { expectSame(payloads, model, through: end) }
  }

  private func expectSame(
    _ payloads: InFlightPayloads, _ model: [InFlightPayloads.Entry], through end: UInt64
  ) {
    #expect(
      (0...end).allSatisfy { offset in
        let found = payloads.payload(around: RowLocation(rawValue: offset))
        let known = model.last { $0.location.rawValue <= offset }
        return found?.sequence == known?.sequence && found?.payload == known?.payload
      })
  }
}
