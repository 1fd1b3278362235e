import DaybookJournal
import DaybookEssentials

/// The bytes of an identifier, and the hash by which its record is found.
package struct IdentifierBytes {
  package let hash: UInt64
  let words: PagePair
  let text: [UInt8]

  /// The identifier of a kind in these bytes, or nil if they are not of its width.
  package init?(_ kind: IdentifierKind, _ bytes: RawSpan) {
    guard let hash = IdentifierBytes.hash(kind, bytes) else { return nil }
    self.hash = hash
    words = PagePair(
      kind == .string ? 0 : bytes.number(at: 0, as: UInt64.self) ?? 0,
      kind == .uuid ? bytes.number(at: 8, as: UInt64.self) ?? 0 : 0)
    text = kind == .string ? bytes.withUnsafeBytes { [UInt8]($0) } : []
  }

  /// The hash by which the record is found whose identifier of a kind is in these bytes, or nil if
  /// they are not of its width.
  @inline(__always)
  static func hash(_ kind: IdentifierKind, _ bytes: RawSpan) -> UInt64? {
    switch kind {
    case .int, .uint:
      guard let word = bytes.wholeNumber(as: UInt64.self) else { return nil }
      return SlotHash.hash(near: word)
    case .uuid:
      guard bytes.byteCount == 16, let first = bytes.number(at: 0, as: UInt64.self),
        let second = bytes.number(at: 8, as: UInt64.self)
      else { return nil }
      return SlotHash.hash(first, second)
    case .string: return XXH64.check(bytes, seed: 0)
    }
  }

  package init(_ identifier: RecordIdentifier) {
    switch identifier {
    case .int(let number): self.init(word: UInt64(bitPattern: number))
    case .uint(let number): self.init(word: number)
    case .uuid(let uuid):
      self.init(words: IdentifierBytes.words(uuid))
    case .string:
      var buffer = RowBuffer()
      identifier.append(to: &buffer)
      guard let bytes = IdentifierBytes(identifier.kind, buffer.bytes.span.bytes) else {
        preconditionFailure("the identifier \(identifier) has \(buffer.count) bytes")
      }
      self = bytes
    }
  }

  /// The words in which the bytes of a UUID stand.
  private static func words(_ uuid: UUID) -> PagePair {
    withUnsafeBytes(of: uuid.uuid) { bytes in
      PagePair(
        UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)),
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }
  }

  /// The UUID whose bytes stand in two words.
  //
  // It is its sixteen bytes and nothing else, which the cast checks as far as it can; to initialize one is a call.
  @inline(__always)
  static func uuid(_ words: PagePair) -> UUID {
    unsafeBitCast((words.first.littleEndian, words.second.littleEndian), to: UUID.self)
  }

  private init(words: PagePair) {
    self.words = words
    hash = SlotHash.hash(words.first, words.second)
    text = []
  }

  private init(word: UInt64) {
    words = PagePair(word, 0)
    hash = SlotHash.hash(near: word)
    text = []
  }
}
