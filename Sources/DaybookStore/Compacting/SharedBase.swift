import DaybookJournal

/// The base of a shared log: the parts of its first transactions that are still needed.
///
/// Later transactions refer to earlier ones by their numbers, and by offsets in their payloads. The
/// log does not rewrite the later transactions. So the base keeps payloads at their offsets, and
/// replaces the parts that nothing needs by zeros:
///
/// ```
///   payload       head │ layouts │ stored values │ update 1 │ delete 2 │ insert 3 │ metadata
///   in the base   head │ layouts │ stored v000es │ 0000000000000000000 │ insert 3
/// ```
///
/// - A row is needed if its record exists after the last dropped transaction. It becomes an insert.
/// - A stored value is needed if such a row refers to it.
/// - A payload that defines a layout, or that records a version of the data, keeps this part.
/// - The last transaction is kept, at least without its changes. It gets the version of the data,
///   and the idempotency keys of the dropped transactions.
/// - The creation number of the next record follows the last change, because deleted records can
///   have had the highest numbers.
struct SharedBase {
  /// The parts of a payload that are needed.
  private struct Parts {
    /// The offsets of rows.
    var rows: Set<Int> = []
    /// The ranges of stored values.
    var values: [Range<Int>] = []
  }

  private let file: Replay.ReplayedFile
  private let logName: String
  private var nextCreation: UInt64 = 0
  private let keys: [RetainedKey]
  private let version: DataVersion
  /// The needed parts, by the number of the payload.
  private var parts: [UInt64: Parts] = [:]

  /// Reads a replica up to a transaction, and finds the needed parts.
  init(_ journal: FileJournal, through last: SequenceNumber) throws(StoreError) {
    file = Replay.ReplayedFile(journal, through: last)
    logName = journal.link?.name ?? ""
    var core = StoreCore()
    core.startReplay(isBlind: false)
    let defect: PayloadDefect?
    do throws(JournalError) { defect = try Replay.run(file, from: 1, into: &core) } catch {
      throw StoreError(.journal(error), path: file.path)
    }
    core.endReplay()
    if let defect {
      throw StoreError(defect, in: core.editor.state.sequence.next, path: file.path)
    }
    let state = core.accepted()
    keys = core.retainedKeys(through: last)
    version = core.versions.newest
    nextCreation = state.state.nextCreation
    for table in state.state.tables {
      table.forEach(in: state.space) { _, location, _ in
        find(location, in: state)
      }
    }
  }

  /// Records that the row at a location is needed, and the values that it refers to.
  private mutating func find(_ location: RowLocation, in state: FrozenState) {
    let position = state.memory.position(of: location)
    parts[position.sequence, default: Parts()].rows.insert(Int(position.payloadOffset))
    let values = state.memory.withBytes(at: location) { row -> [StoredValue] in
      guard Layout.hasStoredValues(row), let number = Layout.number(of: row),
        let layout = state.catalog.layouts[number], let byteCount = layout.rowByteCount(row)
      else { return [] }
      return layout.storedValues(in: row.extracting(0..<byteCount)).map(\.2)
    }
    for value in values {
      let number = value.sequence == 0 ? position.sequence : value.sequence
      parts[number, default: Parts()].values
        .append(Int(value.offset)..<Int(value.offset) + Int(value.length))
    }
  }

  /// Writes the needed parts.
  func write(to frames: inout SharedBaseFrames) throws(StoreError) {
    var reader = file.frames
    var layouts = Catalog()
    var baseIndex = 0
    while reader.chain.sequence < file.last || !reader.chain.isPastBase {
      let isUndamaged: Bool
      do throws(DiskError) { isUndamaged = try reader.advance() } catch {
        throw StoreError(.journal(JournalError(error, path: file.path)), path: file.path)
      }
      guard isUndamaged else {
        throw StoreError(
          .journal(
            JournalError(
              .damagedFrame, path: file.path, offset: reader.offset,
              lastReadable: reader.chain.lastReadable)), path: file.path)
      }
      let header = reader.header
      guard header.kind == .transaction || header.kind == .base else { continue }
      // A payload of an earlier base is identified by its index, so it stays.
      var (number, isNeeded) = (header.sequence.rawValue, header.sequence == file.last)
      if header.sequence == .zero {
        (number, isNeeded) = (PayloadLocator.number(ofBase: baseIndex), true)
        baseIndex += 1
      }
      let payload = reader.payload.withSpan { bytes -> [UInt8]? in
        for layout in PayloadReader.layouts(in: bytes)
        where layouts.layouts[layout.number] == nil {
          _ = layouts.add(layout)
          isNeeded = true
        }
        let metadata = self.metadata(
          of: bytes, layouts: layouts.layouts, isLast: header.sequence == file.last)
        guard isNeeded || !metadata.isEmpty || parts[number] != nil else { return nil }
        return self.payload(
          bytes, layouts: layouts.layouts, keeping: parts[number] ?? Parts(), metadata: metadata)
      }
      if let payload { frames.append(payload.span.bytes, of: header.sequence) }
    }
    // A repair can have replaced the file between the two reads of it.
    guard reader.chain.point == frames.base else {
      let error = SharedLogError(
        .unavailable("the replica was repaired during the compaction"), log: logName)
      throw StoreError(.journal(JournalError(.sharedLog(error), path: file.path)), path: file.path)
    }
  }

  /// Returns the metadata that a payload has in the base. A reader of the base uses the metadata of
  /// its last payload.
  private func metadata(
    of payload: RawSpan, layouts: LayoutTable, isLast: Bool
  ) -> TransactionMetadata {
    var metadata = TransactionMetadata()
    if PayloadReader.mayHaveDataVersion(payload),
      let said = PayloadReader.metadata(in: payload, layouts: layouts), said.dataVersion != nil
    {
      metadata = said
    }
    metadata.retainedKeys = isLast ? keys : []
    if isLast, version.number > 0, metadata.dataVersion == nil { metadata.record(version) }
    return metadata
  }

  /// Returns a payload with different metadata, and with zeros in place of the parts that are not
  /// needed.
  private func payload(
    _ bytes: RawSpan, layouts: LayoutTable, keeping parts: Parts, metadata: TransactionMetadata
  ) -> [UInt8] {
    var reader = PayloadReader(bytes, layouts: layouts)
    var payload = bytes.withUnsafeBytes { [UInt8]($0) }
    func clear(_ range: Range<Int>) {
      for offset in range { payload[offset] = 0 }
    }
    let section = reader.storedValues
    clear(section)
    for value in parts.values where section.lowerBound <= value.lowerBound {
      for offset in value where offset < section.upperBound {
        payload[offset] = bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
      }
    }
    let first = reader.endOffset
    var (start, end, count) = (first, first, 0)
    while let change = reader.next(in: bytes) {
      if change.kind != .delete, parts.rows.contains(change.row.lowerBound) {
        clear(start..<change.row.lowerBound)
        payload[change.row.lowerBound - 1] = ChangeKind.insert.rawValue
        clear(change.row.upperBound..<reader.endOffset)
        end = change.row.upperBound
        count += 1
      } else {
        clear(start..<reader.endOffset)
      }
      start = reader.endOffset
    }
    precondition(reader.defect == nil, "a payload that was replayed is invalid")
    // The number of changes has as many bytes as before.
    for offset in reader.changeCountOffset..<first {
      let isLast = offset == first - 1
      payload[offset] = UInt8(count & 0x7F) | (isLast ? 0 : 0x80)
      count >>= 7
    }
    let flags = PayloadWriter.Flags(rawValue: payload[1])
      .subtracting([.metadata, .key]).union(.gaps).union(PayloadWriter.flags(of: metadata))
    var tail = RowBuffer()
    tail.appendVariable(nextCreation)
    if !metadata.isEmpty { tail.append(metadata.text) }
    payload.replaceSubrange(end..., with: tail.bytes)
    payload[0] = PayloadWriter.versionWithGaps
    payload[1] = flags.rawValue
    return payload
  }
}
