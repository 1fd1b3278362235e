import DaybookSimulation
import Testing

@testable import DaybookStore

@Suite("The memory of rows") struct RowMemoryBytesTests {
  /// A copy of the memory keeps its transactions, whatever is added, written or rolled back in the
  /// original afterwards.
  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `a copy of the row memory keeps its transactions`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var memory = RowMemory()
    var model: [UInt64: (location: RowLocation, payload: [UInt8])] = [:]
    var copies: [(RowMemory, [UInt64: (location: RowLocation, payload: [UInt8])])] = []
    // Location 0 means no location, so no payload starts there.
    var (next, end): (UInt64, UInt64) = (1, 64)
    for _ in 0..<150 {
      switch random.next() % 10 {
      case ..<7:
        let payload = [UInt8](repeating: UInt8(next & 255), count: 1 + Int(random.next() % 40))
        let location = RowLocation(rawValue: end)
        memory.record(next, at: location, inFlight: payload)
        model[next] = (location, payload)
        (next, end) = (next + 1, end + UInt64(payload.count))
      case 7:
        let last = (model.keys.min() ?? next) + random.next() % 10
        // Payloads stay while a part of the written file is not mapped.
        let isMapped = random.next() % 4 > 0
        memory.moveToFile(through: last, file: nil, fileEnd: isMapped ? 0 : .max)
        if isMapped { model = model.filter { $0.key > last } }
      case 8:
        guard let last = model.keys.max() else { continue }
        next = last - min(random.next() % 5, UInt64(model.count) - 1)
        memory.cut(from: next)
        model = model.filter { $0.key < next }
      default: copies.append((memory, model))
      }
      expectSame(memory, model, through: next)
    }
    #expect(copies.count > 5)
    for (memory, model) in copies { expectSame(memory, model, through: next) }
  }

  private func expectSame(
    _ memory: RowMemory, _ model: [UInt64: (location: RowLocation, payload: [UInt8])],
    through next: UInt64
  ) {
    #expect(
      model.allSatisfy { sequence, noted in
        memory.payloadHead(at: noted.location)?.sequence == sequence
          && memory.withBytes(at: noted.location) { row in
            row.withUnsafeBytes { [UInt8]($0) } == noted.payload
          }
      })
    let last = model.keys.max().flatMap { model[$0] }
    let end = last.map { $0.location + $0.payload.count } ?? RowLocation(rawValue: 64)
    // Later transactions are not in the copy.
    #expect(memory.payloadHead(at: end) == nil, "behind \(model.count) transactions of \(next)")
  }
}
