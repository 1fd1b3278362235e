import DaybookJournal

/// The storage of all rows as of a moment. The value keeps the storage alive.
///
/// Every state and every context has a copy, so the value is one reference to its parts. Parts that
/// have several owners never change: an edit creates new parts. Only the notes of transactions are
/// changed in place, and only while the parts have one owner, for example while many transactions
/// are saved together.
package struct RowMemory: Sendable {
  // Shared state: `notes`, which change only while a single reference to the parts exists.
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

  /// The notes of transactions.
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

  /// Creates a memory for a file whose first frames are verified when they are read.
  init(file: ByteView, locator: PayloadLocator, lateRows: LateRows?) {
    parts = Parts(Sources(file: file, lateRows: lateRows), notes: Notes(locator: locator))
  }

  private mutating func edit(_ body: (inout Sources, inout Notes) -> Void) {
    var (sources, notes) = (parts.sources, parts.notes)
    body(&sources, &notes)
    parts = Parts(sources, notes: notes)
  }

  /// The bytes of the journal's file, from its start to the end of what this moment covers.
  package var file: ByteView {
    get { parts.sources.file }
    set { edit { sources, _ in sources.file = newValue } }
  }

  /// The rows in the store's memory.
  package var memory: PayloadHeap {
    get { parts.sources.memory }
    set { edit { sources, _ in sources.memory = newValue } }
  }

  /// The rows in a context's memory.
  package var draft: PayloadHeap {
    get { parts.sources.draft }
    set { edit { sources, _ in sources.draft = newValue } }
  }

  /// The rows in a context's memory before its last merge, for observers that receive the changes
  /// of the merge.
  var earlierDraft: PayloadHeap? {
    get { parts.sources.earlierDraft }
    set { edit { sources, _ in sources.earlierDraft = newValue } }
  }

  /// The locations of the payloads of transactions.
  var locator: PayloadLocator { parts.notes.locator }

  /// The values of earlier transactions that match their checksums.
  var checkedValues: CheckedValues { parts.sources.values }

  /// The part of the file whose rows can be read without verification.
  @inline(__always)
  var checked: CheckedRange { parts.checked }

  /// Notes the location of the next transaction, and its payload if that is not written yet.
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

  /// Notes the location of the next piece of the base.
  package mutating func recordBase(at location: RowLocation) {
    edit { _, notes in notes.locator.recordBase(at: location) }
  }

  /// Notes that the transactions through one are in the file.
  ///
  /// - Parameters:
  ///   - file: The file, if rows are read from it and it can be mapped.
  ///   - fileEnd: The end of the transactions in the file. Payloads are kept while less of the file
  ///     is mapped.
  mutating func moveToFile(through sequence: UInt64, file: ByteView?, fileEnd: UInt64) {
    let file = file.flatMap { $0.count > self.file.count ? $0 : nil }
    guard file != nil || parts.notes.inFlight.has(through: sequence) else { return }
    edit { sources, notes in
      if let file { sources.file = file }
      if UInt64(sources.file.count) >= fileEnd { notes.inFlight.remove(through: sequence) }
    }
  }

  /// Removes the transactions from a number on.
  mutating func cut(from sequence: UInt64) {
    edit { sources, notes in
      sources.values = CheckedValues()
      notes.locator.cut(from: sequence)
      notes.inFlight.cut(from: sequence)
    }
  }

  /// Calls a closure with the bytes from a location on. They start with the row that was verified
  /// there.
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
      guard isWhole(location) else {
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

  /// Returns whether the bytes at a location are undamaged, if they are in the part that is
  /// verified late.
  package func isWhole(_ location: RowLocation) -> Bool {
    guard location.region == .file, let checks = parts.sources.lateRows?.checks else { return true }
    return checks.isWhole(at: location.rawValue)
  }

  /// Returns whether two memories are the same value.
  func isSame(as other: RowMemory) -> Bool { parts === other.parts }

  /// The checks of the rows that are verified late.
  var lateChecks: LateChecks? { parts.sources.lateRows?.checks }

  /// A Boolean value that indicates whether rows are verified when they are read.
  var hasLateRows: Bool { parts.sources.lateRows != nil }

  /// The damage that reads have found; nil if they have found none.
  package var damage: JournalError? { parts.sources.lateRows?.checks.error }

  /// Returns the identity of the change that wrote the row at a location.
  package func place(of location: RowLocation) -> ChangePlace {
    let offset = withBytes(at: location) { Layout.payloadOffset(of: $0) }
    let start = RowLocation(rawValue: location.rawValue &- UInt64(offset))
    return ChangePlace(sequence: sequence(ofPayloadAt: start), payloadOffset: offset)
  }

  /// Returns the number of the transaction with a payload at a location; 0 if it has no number.
  private func sequence(ofPayloadAt location: RowLocation) -> UInt64 {
    let sequence = payloadHead(at: location)?.sequence ?? 0
    return sequence == 0 ? parts.notes.locator.base(at: location) : sequence
  }

  /// The header before a payload.
  struct PayloadHead {
    var sequence: UInt64
    var time: JournalTime
    var byteCount: Int
    /// The distance to the next payload.
    var byteCountToNext: Int
  }

  /// Returns the header before the payload at a location; nil if there is none, or the payload has
  /// no number.
  func payloadHead(at location: RowLocation) -> PayloadHead? {
    switch location.region {
    case .file where location.rawValue < UInt64(file.count):
      guard isWhole(location) else { return nil }
      return file.withSpan { bytes in
        let head = Int(location.rawValue) - Frame.headerByteCount
        guard head >= 0, head + Frame.headerByteCount <= bytes.byteCount else { return nil }
        let header = FrameHeader(bytes, at: head)
        return PayloadHead(
          sequence: header.sequence.rawValue, time: header.time,
          byteCount: header.payloadByteCount, byteCountToNext: header.frameByteCount)
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
        // After the last payload the bytes have no meaning, so the length is checked.
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

  /// Returns the location of the row that a change wrote; none if it is not known.
  package func location(of place: ChangePlace) -> RowLocation {
    let payload = locator.location(of: place.sequence, in: self)
    return payload == .none ? .none : payload + Int(place.payloadOffset)
  }
}
