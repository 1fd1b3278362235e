import DaybookEssentials
import DaybookJournal

/// The bytes of an identifier, and the hash by which its record is found.
package struct IdentifierBytes {
  package let hash: UInt64
  let words: PagePair
  let text: [UInt8]

  /// The identifier of a kind in these bytes, or nil if they are not of its width.
  package init?(_ kind: IdentifierKind, bytes: RawSpan) {
    guard let hash = IdentifierBytes.hash(of: bytes, kind: kind) else { return nil }
    self.hash = hash
    words = PagePair(
      kind == .string ? 0 : bytes.number(at: 0, as: UInt64.self) ?? 0,
      second: kind == .uuid ? bytes.number(at: 8, as: UInt64.self) ?? 0 : 0)
    text = kind == .string ? bytes.withUnsafeBytes { [UInt8]($0) } : []
  }

  /// The hash by which the record is found whose identifier of a kind is in these bytes, or nil if
  /// they are not of its width.
  @inline(__always)
  static func hash(of bytes: RawSpan, kind: IdentifierKind) -> UInt64? {
    switch kind {
    case .int, .uint:
      guard let word = bytes.wholeNumber(as: UInt64.self) else { return nil }
      return SlotHash.hash(near: word)
    case .uuid:
      guard bytes.byteCount == 16, let first = bytes.number(at: 0, as: UInt64.self),
        let second = bytes.number(at: 8, as: UInt64.self)
      else { return nil }
      return SlotHash.hash(first, and: second)
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
      guard let bytes = IdentifierBytes(identifier.kind, bytes: buffer.bytes.span.bytes) else {
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
        second: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
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
    hash = SlotHash.hash(words.first, and: words.second)
    text = []
  }

  private init(word: UInt64) {
    words = PagePair(word, second: 0)
    hash = SlotHash.hash(near: word)
    text = []
  }
}

/// Which record: its entity's place in the catalog, and its identifier.
package struct EntityKey: Hashable, Sendable {
  package var entity: Int
  package var id: RecordIdentifier

  package init(_ entity: Int, id: RecordIdentifier) {
    self.entity = entity
    self.id = id
  }

  // Records are looked for by their keys wherever they are changed: numbers are one word to be mixed, not three.
  package func hash(into hasher: inout Hasher) {
    switch id {
    case .int(let number): hasher.combine(UInt64(bitPattern: number) ^ salt)
    case .uint(let number): hasher.combine(number ^ salt)
    case .string(let text):
      hasher.combine(salt)
      hasher.combine(text)
    case .uuid(let uuid):
      hasher.combine(salt)
      hasher.combine(uuid)
    }
  }

  /// The entity in bits that numbers seldom have.
  private var salt: UInt64 { UInt64(truncatingIfNeeded: entity).byteSwapped }
}

/// Identifiers of one width of the records of one entity, as its table has them.
struct IdentifierWords {
  /// Those of one word.
  private(set) var words: [UInt64] = []
  /// Those of two.
  private(set) var pairs: [PagePair] = []

  var count: Int { max(words.count, pairs.count) }

  /// Adds the identifier that stands at an offset.
  ///
  /// - Parameter byteCount: How wide those of the entity are: 8 or 16 bytes.
  /// - Returns: False if the bytes end before it does.
  @inline(__always)
  mutating func append(_ bytes: RawSpan, at offset: Int, byteCount: Int) -> Bool {
    guard let first = bytes.number(at: offset, as: UInt64.self) else { return false }
    if byteCount == 8 {
      words.append(first)
      return true
    }
    guard let second = bytes.number(at: offset &+ 8, as: UInt64.self) else { return false }
    pairs.append(PagePair(first, second: second))
    return true
  }

  /// An identifier as a pair, the second word being 0 if it has one.
  @inline(__always)
  subscript(place: Int) -> PagePair {
    pairs.isEmpty ? PagePair(words[place], second: 0) : pairs[place]
  }

  /// The hash by which the record is found.
  @inline(__always)
  func hash(_ place: Int) -> UInt64 {
    pairs.isEmpty
      ? SlotHash.hash(near: words[place])
      : SlotHash.hash(pairs[place].first, and: pairs[place].second)
  }

  mutating func removeAll() {
    words.removeAll(keepingCapacity: true)
    pairs.removeAll(keepingCapacity: true)
  }
}

/// The greatest number that has identified a record of an entity: records that are numbered one behind the other, as
/// most are that come in great number, need not be looked for.
struct IdentifierBound: Sendable {
  /// Greater than the number of any record, in the order of numbers; or the greatest there is, which means nothing.
  private(set) var rawValue: UInt64
  private let kind: IdentifierKind

  init(_ kind: IdentifierKind) { self.init(kind, rawValue: 0) }

  init(_ kind: IdentifierKind, rawValue: UInt64) {
    self.kind = kind
    self.rawValue = rawValue
  }

  /// Where a number is in the order of all, from 0.
  @inline(__always)
  private func rank(_ word: UInt64) -> UInt64 { kind == .int ? word ^ 1 << 63 : word }

  private var isOfNumbers: Bool { kind == .int || kind == .uint }

  /// Takes note of a record. Nothing is known of those whose identifiers are no numbers.
  mutating func include(_ word: UInt64) {
    guard isOfNumbers else { return }
    let rank = rank(word)
    if rank >= rawValue { rawValue = rank == .max ? rank : rank + 1 }
  }

  mutating func include(_ words: [UInt64]) {
    guard isOfNumbers, let greatest = words.max(by: { rank($0) < rank($1) }) else { return }
    include(greatest)
  }

  /// Whether some numbers are beyond all that have identified a record, and no two of them are the same. False also
  /// where that would take a search.
  func isBefore(_ words: [UInt64]) -> Bool {
    guard isOfNumbers, rawValue < .max, let first = words.first else { return false }
    var last = rank(first)
    if last < rawValue { return false }
    for word in words.dropFirst() {
      let rank = rank(word)
      if rank <= last { return false }
      last = rank
    }
    return true
  }
}

/// Reading the identifiers of many records.
extension EntityTable {
  /// The identifiers of the records in some slots, in their order; nil if they are texts.
  func identifiers(of slots: [UInt32], in space: PageSpace) -> [RecordIdentifier]? {
    switch kind {
    case .int:
      return identifiers.elements(at: slots, as: UInt64.self, in: space)
        .map { .int(Int64(bitPattern: $0)) }
    case .uint: return identifiers.elements(at: slots, as: UInt64.self, in: space).map { .uint($0) }
    case .uuid:
      return identifiers.elements(at: slots, as: PagePair.self, in: space)
        .map { .uuid(IdentifierBytes.uuid($0)) }
    case .string: return nil
    }
  }

  /// The same as an array of the type that records have; nil if they do not stand in pages as such.
  func identifiers<ID>(of slots: [UInt32], as type: ID.Type, in space: PageSpace) -> [ID]? {
    // Of what is known to be an array each element would be cast.
    let found: Any?
    switch kind {
    case .int where type == Int.self:
      found = identifiers.elements(at: slots, as: Int.self, in: space)
    case .int where type == Int64.self:
      found = identifiers.elements(at: slots, as: Int64.self, in: space)
    case .uint where type == UInt.self:
      found = identifiers.elements(at: slots, as: UInt.self, in: space)
    case .uint where type == UInt64.self:
      found = identifiers.elements(at: slots, as: UInt64.self, in: space)
    case .uuid where type == UUID.self:
      found = identifiers.elements(at: slots, as: PagePair.self, in: space) {
        IdentifierBytes.uuid($0)
      }
    default: found = nil
    }
    return found as? [ID]
  }
}

/// Where a record is in a state: in which slot, and where its row stands.
package struct RecordPlace: Hashable, Sendable {
  package var slot: UInt32
  package var location: RowLocation

  package init(_ slot: UInt32, at location: RowLocation) {
    self.slot = slot
    self.location = location
  }

  /// Where a record is that is not there.
  static var none: RecordPlace { RecordPlace(.max, at: .none) }
}

extension EntityTable {
  /// Whether a row stands in a slot: then the record is there whose row it is.
  func isRow(_ place: RecordPlace, in space: PageSpace) -> Bool {
    place.location != .none && Int(place.slot) < slotCount
      && row(place.slot, in: space).location == place.location
  }
}
