import DaybookJournal
import DaybookStore

/// The payloads of a journal in a file or in memory. The last one is the last payload of the
/// journal at the time of creating this value.
struct JournalContents {
  struct Payload {
    var bytes: ByteView
    /// The number of the transaction; for a piece of a base, the number of the base.
    var sequence: SequenceNumber
    var time: JournalTime
    /// The offset of the bytes in the file; 0 for a journal in memory.
    var offset: UInt64
    /// The number of the base frame, if the payload is a part of the base; see `SharedBaseFrames`.
    var base: SequenceNumber?

    var isBase: Bool { base != nil }
  }

  private let file: JournalFile?
  private let header: JournalHeader?
  private let memory: MemoryJournal?
  private let last: SequenceNumber
  let path: String

  init(file: JournalFile, header: JournalHeader, last: SequenceNumber, path: String) {
    self.file = file
    self.header = header
    self.last = last
    self.path = path
    memory = nil
  }

  init(memory: MemoryJournal, path: String) {
    self.memory = memory
    self.path = path
    last = memory.head.sequence
    file = nil
    header = nil
  }

  /// The base of the journal, which is the last transaction that compaction dropped; 0 if the
  /// journal contains the complete history.
  var base: SequenceNumber { header?.base.sequence ?? .zero }

  /// Returns the bytes of the file up to an offset, or nil if the journal is not a mapped file.
  func mapped(through end: UInt64) -> ByteView? { file?.mapped(through: end) }

  /// Calls a closure with each payload, in order.
  func forEach(
    _ body: (Payload) throws(TextJournalError) -> Void
  ) throws(TextJournalError) {
    if let memory {
      var reader = memory.transactions(from: 1)
      while let transaction = try translating({ () throws(JournalError) in try reader.next() }),
        transaction.sequence <= last
      {
        try body(
          Payload(
            bytes: transaction.payload, sequence: transaction.sequence, time: transaction.time,
            offset: 0))
      }
    }
    guard let file, let header else { return }
    var reader = FrameReader(file, header: header)
    while reader.chain.sequence < last || !reader.chain.isPastBase {
      try translating { () throws(JournalError) in try advance(&reader) }
      let frame = reader.header
      guard frame.kind == .transaction || frame.kind == .base else { continue }
      let isBase = frame.kind == .base
      try body(
        Payload(
          bytes: reader.payload, sequence: isBase ? header.base.sequence : frame.sequence,
          time: isBase ? header.base.time : frame.time,
          offset: reader.headerOffset + UInt64(Frame.headerByteCount),
          base: isBase ? frame.sequence : nil))
    }
  }

  /// Advances over the next frame, which must be whole.
  private func advance(_ reader: inout FrameReader) throws(JournalError) {
    let hasAdvanced: Bool
    do { hasAdvanced = try reader.advance() } catch { throw JournalError(error, path: path) }
    guard !hasAdvanced else { return }
    throw JournalError(
      .damagedFrame, path: path, offset: reader.offset, lastReadable: reader.chain.lastReadable)
  }

  private func translating<Result>(
    _ body: () throws(JournalError) -> Result
  ) throws(TextJournalError) -> Result {
    do { return try body() } catch { throw TextJournalError(error, path: path) }
  }

  func error(_ defect: PayloadDefect, in sequence: SequenceNumber) -> TextJournalError {
    TextJournalError(StoreError(defect, in: sequence, path: path), path: path)
  }
}
