import DaybookJournal

/// Everything that rows are read from, as of one moment: a value that keeps it all alive.
package struct RowMemory: Sendable {
  /// The journal's file from its beginning to the end of what this moment knows.
  package var file: ByteView
  /// What stands in the store's memory.
  package var memory: PayloadHeap
  /// What stands in a context's.
  package var draft: PayloadHeap
  /// Payloads that have a place in the file and may not have got there yet.
  package var onTheWay: [(location: RowLocation, sequence: UInt64, payload: [UInt8])] = []

  package init(file: ByteView = ByteView()) {
    self.file = file
    memory = PayloadHeap(.memory)
    draft = PayloadHeap(.draft)
  }

  /// The bytes from a location on; a row that has been found whole there is at their beginning.
  @inline(__always)
  package func withBytes<Result, Failure: Error>(
    at location: RowLocation, _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    if location.rawValue < UInt64(file.count) {
      return try file.withSpan { (bytes) throws(Failure) in
        try body(bytes.extracting(Int(location.rawValue)..<bytes.byteCount))
      }
    }
    return try withOtherBytes(at: location, body)
  }

  private func withOtherBytes<Result, Failure: Error>(
    at location: RowLocation, _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    switch location.region {
    case .memory: return try memory.withBytes(at: location, body)
    case .draft: return try draft.withBytes(at: location, body)
    case .file:
      guard let payload = onTheWay.last(where: { $0.location.rawValue <= location.rawValue }) else {
        return try body(RawSpan())
      }
      let offset = Int(location.rawValue - payload.location.rawValue)
      let bytes = payload.payload.span.bytes
      return try body(bytes.extracting(min(offset, bytes.byteCount)..<bytes.byteCount))
    }
  }

  /// Which change wrote the row at a location.
  package func place(of location: RowLocation) -> ChangePlace {
    let offset = withBytes(at: location) { Layout.payloadOffset(of: $0) }
    let start = RowLocation(rawValue: location.rawValue &- UInt64(offset))
    return ChangePlace(sequence: sequence(ofPayloadAt: start), payloadOffset: offset)
  }

  /// The number of the transaction whose payload begins at a location; 0 if it has none.
  private func sequence(ofPayloadAt location: RowLocation) -> UInt64 {
    switch location.region {
    case .file where location.rawValue < UInt64(file.count):
      let head = Int(location.rawValue) - Frame.headerByteCount
      return file.withSpan { $0.number(at: head + 8, as: UInt64.self) ?? 0 }
    case .file: return onTheWay.first { $0.location == location }?.sequence ?? 0
    case .memory:
      return memory.withBytes(at: location, back: PayloadHeap.headByteCount) {
        $0.number(at: 0, as: UInt64.self) ?? 0
      }
    case .draft: return 0
    }
  }
}
