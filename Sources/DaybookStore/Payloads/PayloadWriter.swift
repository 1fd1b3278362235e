/// Encodes the content of a transaction as the payload of its frame. The creator passes the number
/// of changes, then calls `insert`, `update` or `delete` for each change, and then `finish()`.
///
/// ```
///   version           u8    the lowest of these that allows the content: 1; 2 for a layout with a
///                           rule for deletions of the target of a reference; 3 for metadata that
///                           records a version of the data, or a layout of a renamed entity; 4 for
///                           gaps, which only the base of a shared log contains
///   flags             u8    bit 0 layouts, 1 stored values, 2 metadata, 3 all layouts, 4 a key,
///                           5 gaps
///   layouts           if flagged: their count, and each layout
///   stored values     if flagged: their byte count, and the bytes of values too large for a row
///   changes           their count, and each; if flagged, gaps before and between them:
///     insert          u8 1, row
///     update          u8 2, previous, row, a bit for each attribute that changed
///     delete          u8 3, previous, layout number u16, identifier
///   metadata          if flagged: a JSON object, to the end of the payload
/// ```
///
/// Numbers, lengths and counts without a width are variable-length numbers. *Previous* identifies
/// the change that last wrote the record: the number of its transaction, and the offset of its row
/// in that payload. An identifier has the same bytes as in a row; if it is a string, its length
/// precedes it.
package struct PayloadWriter {
  package static let version: UInt8 = 1
  /// The version of a payload that contains a layout with delete rules for the deletion of a
  /// reference's target. An older program does not know these rules. Such a program refuses the
  /// version, instead of deleting records without applying the rules.
  package static let versionWithTargetRules: UInt8 = 2

  /// The version of a payload with metadata that records a version of the data, or with a layout of
  /// a renamed entity. A program that knows neither refuses it, instead of changing data that it
  /// does not understand.
  package static let versionWithMigrations: UInt8 = 3

  /// The version of a payload with gaps, which only the base of a shared log contains.
  package static let versionWithGaps: UInt8 = 4

  /// The flags in the second byte of a payload. The drawing above names the bits.
  struct Flags: OptionSet {
    var rawValue: UInt8
    static let layouts = Flags(rawValue: 1)
    static let storedValues = Flags(rawValue: 2)
    static let metadata = Flags(rawValue: 4)
    static let allLayouts = Flags(rawValue: 8)
    static let key = Flags(rawValue: 16)
    /// Zeros before and between the changes, in place of those that the base of a shared log omits.
    /// The creation number of the next record follows the last change.
    static let gaps = Flags(rawValue: 32)
    static let known: Flags = [.layouts, .storedValues, .metadata, .allLayouts, .key, .gaps]
  }

  private(set) var buffer = RowBuffer()
  /// The offset of the last row in the payload; nil before the first row.
  private var lastRowOffset: Int?

  /// Creates a payload without its changes.
  ///
  /// - Parameters:
  ///   - layouts: The layouts that no earlier transaction contains, or all layouts.
  ///   - storedValues: The bytes of values that are too large for their rows.
  ///   - changeCount: The number of changes that will be appended.
  ///   - rowByteCount: The total byte count of the rows of the changes, if it is known. The count
  ///     determines the reserved memory. A large value counts as the reference to it.
  ///   - metadata: The metadata of the transaction.
  package init(
    layouts: PayloadLayouts = PayloadLayouts([]), storedValues: [UInt8] = [], changeCount: Int,
    rowByteCount: Int = 0, metadata: TransactionMetadata = TransactionMetadata()
  ) {
    let (layouts, isComplete) = (layouts.layouts, layouts.isComplete)
    // The first number is the smallest possible size. The second number adds space for two parts of
    // updates: the identity of the previous change, in its longest encoding, and the bits of the
    // changed attributes.
    buffer.layOutZeros(
      2 + PayloadWriter.variableByteCount(changeCount) + rowByteCount + changeCount,
      more: 16 + storedValues.count + changeCount * 24)
    var flags: Flags = []
    if !layouts.isEmpty { flags.insert(.layouts) }
    if isComplete { flags.insert(.allLayouts) }
    if !storedValues.isEmpty { flags.insert(.storedValues) }
    flags.formUnion(PayloadWriter.flags(of: metadata))
    buffer.append(PayloadWriter.version(of: layouts, metadata: metadata))
    buffer.append(flags.rawValue)
    if !layouts.isEmpty {
      buffer.appendVariable(UInt64(layouts.count))
      for layout in layouts { layout.append(to: &buffer) }
    }
    if !storedValues.isEmpty {
      buffer.appendVariable(UInt64(storedValues.count))
      storedValuesOffset = buffer.count
      buffer.append(storedValues)
    }
    buffer.appendVariable(UInt64(changeCount))
    self.metadata = metadata
    remaining = changeCount
  }

  /// Returns the flags that describe the metadata of a payload.
  static func flags(of metadata: TransactionMetadata) -> Flags {
    if metadata.isEmpty { return [] }
    return metadata.idempotencyKey != nil || metadata.hasRetainedKeys
      ? [.metadata, .key] : .metadata
  }

  /// Returns the lowest version that a payload can have.
  private static func version(of layouts: [Layout], metadata: TransactionMetadata) -> UInt8 {
    if metadata.dataVersion != nil || layouts.contains(where: { $0.entity.earlierName != nil }) {
      return versionWithMigrations
    }
    return layouts.contains { $0.entity.hasTargetDeleteRules } ? versionWithTargetRules : version
  }

  /// Returns the byte count of a variable-length number. Each of its bytes contains seven bits.
  private static func variableByteCount(_ number: Int) -> Int {
    max(1, (Int.bitWidth - number.leadingZeroBitCount + 6) / 7)
  }

  private let metadata: TransactionMetadata
  /// The number of changes that must still be written.
  private var remaining: Int
  /// The offset of the stored values in the payload.
  package private(set) var storedValuesOffset = 0

  package mutating func insert(_ row: RawSpan, creation: UInt64) {
    buffer.append(ChangeKind.insert.rawValue)
    append(row, creation: creation)
  }

  package mutating func update(
    _ row: RawSpan, creation: UInt64, after previous: ChangePosition, changed: AttributeSet
  ) {
    buffer.append(ChangeKind.update.rawValue)
    append(previous)
    append(row, creation: creation)
    for index in 0..<changed.byteCount { buffer.append(changed.byte(index)) }
  }

  /// Adjusts the references of the last row to stored values of this payload.
  ///
  /// Before the call their offsets are relative to the start of the stored values. After the call
  /// they are relative to the start of the payload, which is the stored form.
  mutating func shiftStoredValues(of layout: Layout, by byteCount: UInt32) {
    guard let start = lastRowOffset else { preconditionFailure("no row was written") }
    let values = layout.storedValues(in: buffer.room.span.bytes.extracting(start..<buffer.count))
    for (_, offset, value) in values where value.sequence == 0 {
      buffer.put(value.offset + byteCount, at: start + offset + 8)
    }
  }

  package mutating func delete(
    _ identifier: RecordIdentifier, in layout: Layout, after previous: ChangePosition
  ) {
    countChange()
    buffer.append(ChangeKind.delete.rawValue)
    append(previous)
    buffer.append(layout.number)
    if case .string(let string) = identifier {
      buffer.appendString(NormalizedText.text(of: string))
    } else {
      identifier.append(to: &buffer)
    }
  }

  private mutating func append(_ row: RawSpan, creation: UInt64) {
    countChange()
    let offset = buffer.count
    lastRowOffset = offset
    buffer.append(row)
    buffer.put(UInt32(offset), at: offset + 2)
    buffer.put(creation, at: offset + 6)
  }

  private mutating func append(_ previous: ChangePosition) {
    buffer.appendVariable(previous.sequence)
    buffer.appendVariable(UInt64(previous.payloadOffset))
  }

  private mutating func countChange() {
    precondition(remaining > 0, "more changes were written than declared")
    remaining -= 1
  }

  /// Finishes the payload and returns its bytes.
  package consuming func finish() -> [UInt8] {
    precondition(remaining == 0, "\(remaining) changes are missing")
    if !metadata.isEmpty { buffer.append(metadata.text) }
    buffer.trim()
    return buffer.bytes
  }
}

/// The layouts to write into a payload.
package struct PayloadLayouts {
  package var layouts: [Layout]
  /// A Boolean value that indicates whether the array contains all layouts of the journal. Such
  /// payloads are repeated at intervals, so that a salvage finds the layouts if the start of the
  /// journal is lost.
  package var isComplete: Bool

  package init(_ layouts: [Layout], isComplete: Bool = false) {
    self.layouts = layouts
    self.isComplete = isComplete
  }
}

/// The kinds of changes to a record.
package enum ChangeKind: UInt8, Sendable {
  case insert = 1
  case update = 2
  case delete = 3
}
