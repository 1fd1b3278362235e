import DaybookJournal

/// The storage of all rows of a state: the mapped file, the payloads in memory, and the index of
/// transactions. States and contexts use it to read the row at a ``RowLocation``. A copy keeps the
/// storage alive.
///
/// Every state and every context has a copy, so the struct is one reference to an object with its
/// parts. While several copies share the object, the object never changes: an edit creates a new
/// object. Only the notes of transactions can change in place, while no second copy shares the
/// object. Therefore a store applies many transactions in sequence without copying the object for
/// each of them.
package struct RowMemory: Sendable {
  // Shared state: `notes`, which change only while a single reference to the object exists.
  private final class Parts: @unchecked Sendable {
    let sources: Sources
    var notes: Notes
    let checked: CheckedRange

    init(_ sources: Sources, notes: Notes) {
      self.sources = sources
      self.notes = notes
      checked = CheckedRange(of: sources.file, lateChecks: sources.lateRows?.checks)
    }
  }

  /// The sources of row bytes.
  private struct Sources {
    var file = ByteView()
    var memory = PayloadHeap(.memory)
    var draft = PayloadHeap(.draft)
    var earlierDraft: PayloadHeap?
    var lateRows: LateRows?
    var values = CheckedValues()
  }

  /// The locations of transactions, and the payloads that the file may not contain.
  private struct Notes {
    var locator = PayloadLocator()
    var inFlight = InFlightPayloads()

    mutating func record(_ sequence: UInt64, at location: RowLocation, inFlight payload: [UInt8]?) {
      locator.record(sequence, at: location)
      if let payload { inFlight.append(payload, sequence: sequence, at: location) }
    }
  }

  private var parts: Parts

  package init(file: ByteView = ByteView()) {
    parts = Parts(Sources(file: file), notes: Notes())
  }

  /// Creates the memory of a store that was opened with a checkpoint. The frames before the
  /// checkpoint are verified when they are read.
  init(file: ByteView, locator: PayloadLocator, lateRows: LateRows?) {
    parts = Parts(Sources(file: file, lateRows: lateRows), notes: Notes(locator: locator))
  }

  /// Replaces the object by a changed copy.
  private mutating func edit(_ body: (inout Sources, inout Notes) -> Void) {
    var (sources, notes) = (parts.sources, parts.notes)
    body(&sources, &notes)
    parts = Parts(sources, notes: notes)
  }

  /// The mapped bytes of the journal's file, from its start. If the mapping ends before a
  /// transaction, readers get the rows of this transaction from the payloads in flight.
  package var file: ByteView {
    get { parts.sources.file }
    set { edit { sources, _ in sources.file = newValue } }
  }

  /// The payloads in the store's memory, if the store does not read rows from a mapped file.
  package var memory: PayloadHeap {
    get { parts.sources.memory }
    set { edit { sources, _ in sources.memory = newValue } }
  }

  /// The rows of a context's drafts.
  package var draft: PayloadHeap {
    get { parts.sources.draft }
    set { edit { sources, _ in sources.draft = newValue } }
  }

  /// The rows of a context's drafts before its last merge. Observers of the merge use them to read
  /// the values before each change.
  var earlierDraft: PayloadHeap? {
    get { parts.sources.earlierDraft }
    set { edit { sources, _ in sources.earlierDraft = newValue } }
  }

  /// The index of the transactions' payloads.
  var locator: PayloadLocator { parts.notes.locator }

  /// The stored values that were verified against their checksums.
  var checkedValues: CheckedValues { parts.sources.values }

  /// The part of the file whose rows need no verification when they are read.
  @inline(__always)
  var checked: CheckedRange { parts.checked }

  /// Records the location of the next transaction. If the file may not contain the transaction, the
  /// caller also passes the payload.
  package mutating func record(
    _ sequence: UInt64, at location: RowLocation, inFlight payload: [UInt8]? = nil
  ) {
    guard payload != nil || parts.notes.locator.wants(location) else { return }
    if isKnownUniquelyReferenced(&parts) {
      parts.notes.record(sequence, at: location, inFlight: payload)
    } else {
      edit { _, notes in notes.record(sequence, at: location, inFlight: payload) }
    }
  }

  /// Records the location of the base's next payload.
  ///
  /// - Parameter dropped: The dropped transaction of a shared log whose parts the payload contains;
  ///   0 if it contains none.
  package mutating func recordBase(at location: RowLocation, of dropped: UInt64 = 0) {
    func record(in notes: inout Notes) {
      notes.locator.recordBase(at: location)
      if dropped > 0 { notes.locator.record(dropped, at: location) }
    }
    // A copy for each payload would make the replay of a base quadratic.
    if isKnownUniquelyReferenced(&parts) {
      record(in: &parts.notes)
    } else {
      edit { _, notes in record(in: &notes) }
    }
  }

  /// Replaces the mapping of the file, and removes the payloads that the new mapping contains.
  ///
  /// - Parameters:
  ///   - file: A mapping that contains the new transactions; nil if rows are not read from the
  ///     file, or if the file could not be mapped.
  ///   - fileEnd: The offset of the end of the last of these transactions. If the mapping ends
  ///     before this offset, all payloads are kept.
  mutating func moveToFile(through sequence: UInt64, file: ByteView?, fileEnd: UInt64) {
    let file = file.flatMap { $0.count > self.file.count ? $0 : nil }
    guard file != nil || parts.notes.inFlight.has(through: sequence) else { return }
    edit { sources, notes in
      if let file { sources.file = file }
      if UInt64(sources.file.count) >= fileEnd { notes.inFlight.remove(through: sequence) }
    }
  }

  /// Removes the transactions from a number on, which a rollback undoes.
  mutating func cut(from sequence: UInt64) {
    edit { sources, notes in
      sources.values = CheckedValues()
      notes.locator.cut(from: sequence)
      notes.inFlight.cut(from: sequence)
    }
  }

  /// Calls a closure with the bytes from a location on. The bytes start with the row at the
  /// location, and continue after the end of the row. The row was verified before, or is verified
  /// by this call.
  @inline(__always)
  package func withBytes<Result, Failure: Error>(
    at location: RowLocation, _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    if parts.checked.contains(location) { return try withFileBytes(at: location, body) }
    return try withOtherBytes(at: location, body)
  }

  @inline(__always)
  private func withFileBytes<Result, Failure: Error>(
    at location: RowLocation, _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try parts.sources.file.withSpan { (bytes) throws(Failure) in
      try body(bytes.extracting(Int(location.rawValue)..<bytes.byteCount))
    }
  }

  private func withOtherBytes<Result, Failure: Error>(
    at location: RowLocation, _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    switch location.region {
    case .memory: return try parts.sources.memory.withBytes(at: location, body)
    case .draft: return try parts.sources.draft.withBytes(at: location, body)
    case .earlierDraft:
      guard let earlierDraft = parts.sources.earlierDraft else { return try body(RawSpan()) }
      return try earlierDraft.withBytes(at: location, body)
    case .file where location.rawValue < UInt64(file.count):
      guard isUndamaged(location) else {
        guard let lateRows = parts.sources.lateRows else { return try body(RawSpan()) }
        return try body(lateRows.substitute(at: location).bytes)
      }
      return try withFileBytes(at: location, body)
    case .file:
      guard let payload = parts.notes.inFlight.payload(around: location) else {
        return try body(RawSpan())
      }
      let offset = Int(location.rawValue - payload.location.rawValue)
      let bytes = payload.payload.span.bytes
      return try body(bytes.extracting(min(offset, bytes.byteCount)..<bytes.byteCount))
    }
  }

  /// Returns whether the bytes at a location are undamaged. If the location is before the
  /// checkpoint, this call verifies the bytes, unless they were verified before. All other bytes
  /// are undamaged, because the store verified them earlier.
  package func isUndamaged(_ location: RowLocation) -> Bool {
    guard location.region == .file, let checks = parts.sources.lateRows?.checks else { return true }
    return checks.isIntact(at: location.rawValue)
  }

  /// Returns whether two copies share one object. If so, they have the same contents.
  func isSame(as other: RowMemory) -> Bool { parts === other.parts }

  /// The checks of the frames before the checkpoint; nil if the store was opened without a
  /// checkpoint.
  var lateChecks: LateChecks? { parts.sources.lateRows?.checks }

  /// A Boolean value that indicates whether the rows before a checkpoint are verified when they are
  /// read.
  var hasLateRows: Bool { parts.sources.lateRows != nil }

  /// The damage that reads of late rows have found; nil if they have found none.
  package var damage: JournalError? { parts.sources.lateRows?.checks.error }

  /// Returns the position of the change that wrote the row at a location.
  package func position(of location: RowLocation) -> ChangePosition {
    let offset = withBytes(at: location) { Layout.payloadOffset(of: $0) }
    let start = RowLocation(rawValue: location.rawValue &- UInt64(offset))
    return ChangePosition(sequence: sequence(ofPayloadAt: start), payloadOffset: offset)
  }

  /// Returns the number of the transaction whose payload is at a location, or the number that
  /// identifies a payload of the base; 0 for a draft.
  private func sequence(ofPayloadAt location: RowLocation) -> UInt64 {
    let sequence = payloadHead(at: location)?.sequence ?? 0
    return sequence == 0 ? parts.notes.locator.base(at: location) : sequence
  }

  /// The parts of the header before a payload that walks and readers need.
  struct PayloadHead {
    var sequence: UInt64
    var time: JournalTime
    var byteCount: Int
    /// The distance from this payload to the next one, in bytes.
    var byteCountToNext: Int
    /// A Boolean value that indicates whether it is neither a transaction nor a part of a base. In
    /// a base, the number of such a frame is that of the base. A walk passes over it.
    var isWithoutRows = false
  }

  /// Returns the header before the payload at a location; nil if no payload starts there, if its
  /// header is damaged, or if it is the payload of a draft.
  func payloadHead(at location: RowLocation) -> PayloadHead? {
    switch location.region {
    case .file where location.rawValue < UInt64(file.count):
      guard isUndamaged(location) else { return nil }
      return file.withSpan { bytes in
        let head = Int(location.rawValue) - Frame.headerByteCount
        guard head >= 0, head + Frame.headerByteCount <= bytes.byteCount else { return nil }
        let header = FrameHeader(bytes, at: head)
        return PayloadHead(
          sequence: header.sequence.rawValue, time: header.time,
          byteCount: header.payloadByteCount, byteCountToNext: header.frameByteCount,
          isWithoutRows: header.kind != .transaction && header.kind != .base)
      }
    case .file:
      guard let payload = parts.notes.inFlight.payload(around: location),
        payload.location == location
      else { return nil }
      return PayloadHead(
        sequence: payload.sequence, time: .distantPast, byteCount: payload.payload.count,
        byteCountToNext: Frame.byteCount(payload: payload.payload.count))
    case .memory:
      return memory.withBytes(at: location, back: PayloadHeap.headByteCount) { bytes in
        guard let sequence = bytes.number(at: 0, as: UInt64.self),
          let length = bytes.number(at: 8, as: UInt64.self),
          let time = bytes.number(at: 16, as: Int64.self)
        else { return nil }
        // If the location is after the last payload of its chunk, these bytes have no meaning. The
        // comparison of the length prevents a read outside of the chunk.
        guard let byteCount = Int(exactly: length),
          byteCount <= bytes.byteCount - PayloadHeap.headByteCount
        else { return nil }
        return PayloadHead(
          sequence: sequence, time: JournalTime(nanoseconds: time), byteCount: byteCount,
          byteCountToNext: (PayloadHeap.headByteCount + byteCount + 7) / 8 * 8)
      }
    case .draft, .earlierDraft: return nil
    }
  }

  /// Returns the location of the row that a change wrote; `none` if the journal does not contain
  /// the transaction.
  package func location(of position: ChangePosition) -> RowLocation {
    let payload = locator.location(of: position.sequence, in: self)
    return payload == .none ? .none : payload + Int(position.payloadOffset)
  }
}
