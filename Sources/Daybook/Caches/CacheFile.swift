import DaybookJournal
import DaybookResults
import DaybookStore

/// A cache file: the definition of a list, a moment of a journal, and the rows and sections of the
/// list at that moment.
///
/// A `ListCache` reads the file, and a `CacheKeeper` writes it. `Journal/CACHES.md` describes every
/// byte. The file is derived from the journal and can be deleted at any time.
package struct CacheFile: Equatable, Sendable {
  package var moment: JournalMoment
  /// The name of the cache and the definition of the list, as lines of text.
  package var definition: String
  package var entries: ListEntries

  package init(moment: JournalMoment, definition: String, entries: ListEntries) {
    self.moment = moment
    self.definition = definition
    self.entries = entries
  }

  private static let magic = DerivedFiles.cacheMagic
  private static let version: UInt32 = 1
  private static let headByteCount = 80

  // MARK: Names

  /// The maximum number of bytes that an escaped cache name has in a file name. Most file systems
  /// allow 255 bytes for the whole file name.
  private static let nameByteCountMax = 128

  /// Returns the end of a cache's file name, which follows the name of the journal.
  ///
  /// Lowercase letters, digits, `-`, `_` and `.` are written as they are. Every other byte is
  /// written as `%` and two hexadecimal digits, because a file system may treat it specially. So
  /// `my banks` becomes `my%20banks`. A long name is cut, and its checksum is added, so that two
  /// long names have different file names.
  static func suffix(of name: String) -> String {
    var fileName = ""
    for byte in name.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
        fileName.unicodeScalars.append(Unicode.Scalar(byte))
      // Capitals are escaped too: the names of two caches may differ in case only, and some file
      // systems ignore case.
      default: fileName += "%" + Hexadecimal.digits(UInt64(byte)).suffix(2)
      }
    }
    guard fileName.utf8.count > nameByteCountMax else { return DerivedFiles.cachePrefix + fileName }
    let checksum = XXH64.checksum(Array(name.utf8).span.bytes, seed: 0)
    return DerivedFiles.cachePrefix + fileName.prefix(nameByteCountMax) + "~"
      + Hexadecimal.digits(checksum)
  }

  // MARK: Writing

  /// The bytes of the file.
  package var bytes: [UInt8] {
    var buffer = RowBuffer()
    buffer.append(CacheFile.magic)
    buffer.append(CacheFile.version)
    buffer.append(UInt32(definition.utf8.count))
    buffer.append(moment.identity.high)
    buffer.append(moment.identity.low)
    buffer.append(moment.salt)
    buffer.append(moment.sequence.rawValue)
    buffer.append(moment.checksum)
    buffer.append(UInt64(entries.rows.count))
    buffer.append(UInt64(entries.sections.count))
    let headChecksum = XXH64.checksum(buffer.bytes.span.bytes, seed: moment.salt)
    buffer.append(headChecksum)
    buffer.append(definition)
    pad(&buffer)
    for entry in entries.rows { buffer.append(entry.key) }
    for entry in entries.sections { buffer.append(entry.key) }
    for entry in entries.rows { buffer.append(entry.value) }
    for entry in entries.sections { buffer.append(entry.value) }
    pad(&buffer)
    let range = CacheFile.headByteCount..<buffer.count
    let checksum = XXH64.checksum(buffer.bytes.span.bytes.extracting(range), seed: headChecksum)
    buffer.append(checksum)
    return buffer.bytes
  }

  private func pad(_ buffer: inout RowBuffer) {
    buffer.appendZeros(CacheFile.padded(buffer.count) - buffer.count)
  }

  private static func padded(_ byteCount: Int) -> Int { (byteCount + 7) & ~7 }

  // MARK: Reading

  /// Returns the number of bytes that contain the header and the definition.
  static func headByteCount(definition: String) -> Int { headByteCount + definition.utf8.count }

  /// Returns the largest possible size of a cache file with a definition and at most a given number
  /// of rows. A list has at most as many sections as rows.
  static func byteCountMax(definition: String, rowCountMax: Int) -> Int {
    headByteCount + padded(definition.utf8.count) + 24 * rowCountMax + 8
  }

  /// Returns the definition in the bytes of a cache file; nil if the bytes are not a cache in this
  /// format.
  package static func definition(in bytes: [UInt8]) -> String? {
    let span = bytes.span.bytes
    guard let byteCount = span.number(at: 12, as: UInt32.self), bytes.count >= headByteCount,
      span.number(at: 0, as: UInt64.self) == magic,
      span.number(at: 8, as: UInt32.self) == version,
      headByteCount + Int(byteCount) <= bytes.count
    else { return nil }
    return String(validating: bytes[headByteCount..<headByteCount + Int(byteCount)], as: UTF8.self)
  }

  /// Returns the moment in the header of a cache, or the reason that the cache cannot be used. The
  /// function makes the first checks of the table in `Journal/CACHES.md`.
  ///
  /// - Parameters:
  ///   - bytes: The start of the file. The bytes contain at least the header and the definition,
  ///     unless the file is shorter.
  ///   - definition: The expected definition.
  ///   - journal: A moment of the journal. The function compares only the identity and the salt of
  ///     the journal, so any moment is suitable.
  package static func readHead(
    _ bytes: [UInt8], definition: String, of journal: JournalMoment
  ) -> Result<JournalMoment, CacheDefect> {
    let span = bytes.span.bytes
    func number(_ offset: Int) -> UInt64 { span.number(at: offset, as: UInt64.self) ?? 0 }
    guard bytes.count >= headByteCount, number(0) == magic else { return defect(.damaged) }
    // The fields after the version may differ in a newer format, so the version is checked before
    // them.
    let versionAndCount = number(8)
    guard UInt32(truncatingIfNeeded: versionAndCount) <= version else {
      return defect(.newerFormat)
    }
    let salt = number(32)
    let headChecksum = number(72)
    guard headChecksum == XXH64.checksum(span.extracting(0..<72), seed: salt),
      UInt32(truncatingIfNeeded: versionAndCount) == version
    else { return defect(.damaged) }
    let moment = JournalMoment(
      identity: JournalIdentity(high: number(16), low: number(24)), salt: salt,
      sequence: SequenceNumber(number(40)), checksum: number(48))
    guard moment.identity == journal.identity, salt == journal.salt else {
      return defect(.otherJournal)
    }
    let byteCount = Int(versionAndCount >> 32)
    guard byteCount == definition.utf8.count else { return defect(.otherDefinition) }
    let definitionEnd = headByteCount + byteCount
    guard bytes.count >= definitionEnd else { return defect(.damaged) }
    guard bytes[headByteCount..<definitionEnd].elementsEqual(definition.utf8) else {
      return defect(.otherDefinition)
    }
    return .success(moment)
  }

  /// Returns the list in the bytes of a cache, or the reason that the cache cannot be used.
  ///
  /// - Parameters:
  ///   - bytes: The file.
  ///   - definition: The expected definition.
  ///   - journal: A moment of the journal. The function compares only the identity and the salt of
  ///     the journal, so any moment is suitable.
  package static func read(
    _ bytes: [UInt8], definition: String, of journal: JournalMoment
  ) -> Result<CacheFile, CacheDefect> {
    let moment: JournalMoment
    switch readHead(bytes, definition: definition, of: journal) {
    case .success(let known): moment = known
    case .failure(let other): return .failure(other)
    }
    let span = bytes.span.bytes
    func number(_ offset: Int) -> UInt64 { span.number(at: offset, as: UInt64.self) ?? 0 }
    let definitionEnd = headByteCount + definition.utf8.count
    guard
      let entries = entries(
        in: bytes, from: padded(definitionEnd), rowCount: number(56), sectionCount: number(64)),
      number(bytes.count - 8)
        == XXH64.checksum(span.extracting(headByteCount..<bytes.count - 8), seed: number(72))
    else { return defect(.damaged) }
    return .success(CacheFile(moment: moment, definition: definition, entries: entries))
  }

  private static func defect<Success>(
    _ reason: CacheRebuildReason
  ) -> Result<Success, CacheDefect> {
    .failure(CacheDefect(reason: reason))
  }

  /// Returns the rows and sections at an offset; nil if the size of the file does not match their
  /// counts.
  private static func entries(
    in bytes: [UInt8], from offset: Int, rowCount: UInt64, sectionCount: UInt64
  ) -> ListEntries? {
    let limit = UInt64(bytes.count / 12)
    guard rowCount <= limit, sectionCount <= limit else { return nil }
    let (rowCount, sectionCount) = (Int(rowCount), Int(sectionCount))
    let count = rowCount + sectionCount
    let values = offset + 8 * count
    guard padded(values + 4 * count) + 8 == bytes.count else { return nil }
    return ListEntries(
      rows: RankEntries(rowCount, in: bytes, keysAt: offset, valuesAt: values),
      sections: RankEntries(
        sectionCount, in: bytes, keysAt: offset + 8 * rowCount, valuesAt: values + 4 * rowCount))
  }
}

/// The reason that a cache file cannot be used.
package struct CacheDefect: Error, Hashable {
  package var reason: CacheRebuildReason
}
