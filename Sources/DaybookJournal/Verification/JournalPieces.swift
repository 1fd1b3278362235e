import DaybookPlatform

/// A sequence of all readable parts of a journal, which may be damaged: the whole frames, and the
/// gaps between them. Salvage copies these parts to a new journal.
///
/// ```swift
/// var pieces = try JournalPieces(of: "banks.daybook")
/// while let piece = try pieces.next() { … }
/// ```
///
/// The sequence takes no lock, and never changes the file.
package struct JournalPieces {
  package enum Piece {
    /// A piece of the state that a compacted journal starts with. If the piece is a part of a
    /// dropped transaction of a shared log, the number is that of the transaction; otherwise it is
    /// 0.
    case base(ByteView, ChainPoint, of: SequenceNumber)
    case transaction(JournalTransaction)
    /// Transactions that are not readable: those after the first number and before the second. If
    /// the second number is nil, they are all transactions up to the end.
    case gap(after: SequenceNumber, before: SequenceNumber?)
  }

  private let file: JournalFile
  private let header: JournalHeader
  private let path: String
  private var reader: FrameReader
  private var isAtEnd = false

  /// Creates the sequence of the parts of a journal.
  ///
  /// - Throws: ``JournalError`` if the file is not readable, or is not a journal: neither copy of
  ///   the header is usable.
  package init(of path: String, on disk: any Disk = SystemDisk()) throws(JournalError) {
    let location = try JournalLocation(path, on: disk)
    let opened = try JournalOpening.open(location, for: .reading, on: disk)
    let (file, choice) = try JournalError.translating(path) { () throws(DiskError) in
      let file = try JournalFile(opened, reading: .copied)
      return (file, try RecoveryDecision.chooseHeader(file))
    }
    switch choice {
    case .success(let chosen): header = chosen.header
    case .failure(let none):
      _ = try none.verdict.journal(at: location)
      preconditionFailure("\(location.resolvedPath): expected an unwritten journal, found a header")
    }
    self.file = file
    self.path = path
    reader = FrameReader(file, header: header)
  }

  /// Returns the next piece; nil after the last.
  package mutating func next() throws(JournalError) -> Piece? {
    do throws(DiskError) { return try nextPiece() } catch { throw JournalError(error, path: path) }
  }

  private mutating func nextPiece() throws(DiskError) -> Piece? {
    while !isAtEnd {
      if try reader.advance() {
        switch reader.header.kind {
        case .transaction: return .transaction(reader.transaction)
        case .base:
          return .base(reader.payload, reader.chain.point, of: reader.header.sequence)
        default: continue
        }
      }
      let last = reader.chain.sequence
      guard let next = try reader.resume(in: file, salt: header.salt) else {
        isAtEnd = true
        // Only the marks prove that transactions are missing at the end of the file.
        let marks = try RecoveryDecision.readMarks(file, of: header).good
        let highest = DurableMark.newest(of: marks)?.sequence ?? .zero
        return highest > last ? .gap(after: last, before: nil) : nil
      }
      if next.sequence > last.next { return .gap(after: last, before: next.sequence) }
    }
    return nil
  }
}

extension FrameReader {
  /// Moves the reader over damaged bytes to the next header of a frame.
  ///
  /// - Returns: The header of that frame; nil if no later header follows.
  mutating func resume(
    in file: JournalFile, salt: UInt64
  ) throws(DiskError) -> FrameHeader? {
    let last = chain.sequence
    guard
      let next = try LaterFrames.next(
        file, salt: salt, from: offset + UInt64(Frame.alignment), above: last)
    else { return nil }
    let head = try file.view(at: next, atLeast: Frame.headerByteCount)
    let header = head.withSpan { FrameHeader($0, at: 0) }
    var chain = chain
    chain.part = .transactions
    chain.point = ChainPoint(
      sequence: SequenceNumber(header.sequence.rawValue - 1),
      time: min(header.time, chain.point.time), checksum: header.previousChecksum)
    self = FrameReader(file, salt: salt, at: FramePosition(chain: chain, endOffset: next))
    return header
  }
}
