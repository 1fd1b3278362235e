/// A buffer that builds consecutive frames, so that one call can write them to the journal.
///
/// Emptying the buffer keeps its memory, so that the next group of frames does not allocate.
package struct FrameWriter: ~Copyable, Sendable {
  // This value alone owns the memory. The memory has `capacity` bytes, and the first `byteCount` of
  // them are initialized.
  private nonisolated(unsafe) var memory: UnsafeMutableRawPointer
  private var capacity: Int
  package private(set) var byteCount = 0

  package init() {
    capacity = 4096
    memory = .allocate(byteCount: capacity, alignment: Frame.alignment)
  }

  deinit { memory.deallocate() }

  /// Appends a frame and returns its checksum, which the next frame contains.
  ///
  /// - Precondition: The payload has from 1 to ``Frame/payloadByteCountMax`` bytes, and the header
  ///   contains this size.
  /// - Complexity: O(*n*) in the size of the payload
  package mutating func append(_ header: FrameHeader, payload: RawSpan, salt: UInt64) -> UInt64 {
    let payloadByteCount = payload.byteCount
    precondition(
      payloadByteCount > 0 && payloadByteCount <= Frame.payloadByteCountMax
        && payloadByteCount == header.payloadByteCount,
      "the payload has \(payloadByteCount) bytes, but its header records \(header.payloadByteCount)"
    )
    let frameByteCount = Frame.byteCount(payload: payloadByteCount)
    reserve(byteCount + frameByteCount)

    let start = memory + byteCount
    func store<Number: FixedWidthInteger & BitwiseCopyable>(_ value: Number, at offset: Int) {
      start.storeBytes(of: value.littleEndian, toByteOffset: offset, as: Number.self)
    }
    func checksum(_ count: Int) -> UInt64 {
      XXH64.checksum(UnsafeRawBufferPointer(start: start, count: count).bytes, seed: salt)
    }

    store(UInt32(payloadByteCount), at: 0)
    store(header.kind.rawValue, at: 4)
    store(header.flags, at: 5)
    store(header.reserved, at: 6)
    store(header.sequence.rawValue, at: 8)
    store(header.time.nanoseconds, at: 16)
    store(header.durable.rawValue, at: 24)
    store(header.previousChecksum, at: 32)
    store(checksum(Frame.checkedHeaderByteCount), at: Frame.checkedHeaderByteCount)

    payload.withUnsafeBytes { source in
      if let address = source.baseAddress {
        (start + Frame.headerByteCount).copyMemory(from: address, byteCount: source.count)
      }
    }
    let padded = Frame.paddedByteCount(payloadByteCount)
    for index in payloadByteCount..<padded {
      store(0 as UInt8, at: Frame.headerByteCount + index)
    }

    let checkedByteCount = Frame.headerByteCount + padded
    let frameChecksum = checksum(checkedByteCount)
    store(frameChecksum, at: checkedByteCount)
    byteCount += frameByteCount
    return frameChecksum
  }

  /// Appends the frame that ends the base of a shared log.
  ///
  /// - Parameters:
  ///   - frameCount: The number of base frames.
  ///   - previousCheck: The check of the last base frame.
  /// - Returns: The header of the frame. Its check is the base check of the journal's header.
  package mutating func appendSharedBaseEnd(
    of header: JournalHeader, frameCount: UInt64, after previousChecksum: UInt64
  ) -> FrameHeader {
    var payload = PageWriter()
    payload.append(frameCount)
    payload.append(0 as UInt64)
    let frame = FrameHeader(
      payloadByteCount: payload.bytes.count, kind: .sharedBaseEnd, sequence: header.base.sequence,
      time: header.base.time, durable: .zero, previousChecksum: previousChecksum)
    _ = append(frame, payload: payload.bytes.span.bytes, salt: header.salt)
    let start = memory + (byteCount - frame.frameByteCount)
    let endChecksumOffset = Frame.headerByteCount + Frame.checksumByteCount
    let endChecksum = XXH64.checksum(
      UnsafeRawBufferPointer(start: start, count: endChecksumOffset).bytes, seed: header.salt)
    for (offset, value) in [
      (endChecksumOffset, endChecksum),
      (endChecksumOffset + Frame.checksumByteCount, header.base.checksum),
    ] {
      start.storeBytes(of: value.littleEndian, toByteOffset: offset, as: UInt64.self)
    }
    return frame
  }

  /// Appends the bytes of frames that were built elsewhere.
  package mutating func append(frames bytes: RawSpan) {
    reserve(byteCount + bytes.byteCount)
    bytes.withUnsafeBytes { source in
      if let address = source.baseAddress {
        (memory + byteCount).copyMemory(from: address, byteCount: source.count)
      }
    }
    byteCount += bytes.byteCount
  }

  /// Removes the frames. Keeps the memory, unless it has grown to more than 4 MiB.
  package mutating func removeAll() {
    byteCount = 0
    guard capacity > 4 << 20 else { return }
    memory.deallocate()
    capacity = 4096
    memory = .allocate(byteCount: capacity, alignment: Frame.alignment)
  }

  /// Calls a closure with the bytes of the frames.
  package func withBytes<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(start: memory, count: byteCount).bytes)
  }

  private mutating func reserve(_ minimum: Int) {
    guard minimum > capacity else { return }
    let grownCapacity = max(minimum, capacity * 2)
    let grown = UnsafeMutableRawPointer.allocate(
      byteCount: grownCapacity, alignment: Frame.alignment)
    grown.copyMemory(from: memory, byteCount: byteCount)
    memory.deallocate()
    memory = grown
    capacity = grownCapacity
  }
}
