import DaybookEssentials
import DaybookJournal

/// The bytes of an identifier, with the hash that finds its record. Integers and UUIDs are in
/// `words`, strings in `stringBytes`.
package struct IdentifierBytes {
  package let hash: UInt64
  let words: PagePair
  let stringBytes: [UInt8]

  /// Creates an identifier of a kind from its bytes; nil if the kind has a fixed width and the
  /// bytes have another one.
  package init?(_ kind: IdentifierKind, bytes: RawSpan) {
    guard let hash = IdentifierBytes.hash(of: bytes, kind: kind) else { return nil }
    self.hash = hash
    words = PagePair(
      kind == .string ? 0 : bytes.number(at: 0, as: UInt64.self) ?? 0,
      second: kind == .uuid ? bytes.number(at: 8, as: UInt64.self) ?? 0 : 0)
    stringBytes = kind == .string ? bytes.withUnsafeBytes { [UInt8]($0) } : []
  }

  /// Returns the hash of an identifier of a kind from its bytes; nil if the kind has a fixed width
  /// and the bytes have another one.
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
    case .string: return XXH64.checksum(bytes, seed: 0)
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

  /// Returns the two words that contain the bytes of a UUID.
  private static func words(_ uuid: UUID) -> PagePair {
    withUnsafeBytes(of: uuid.uuid) { bytes in
      PagePair(
        UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)),
        second: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }
  }

  /// Returns the UUID that two words contain.
  //
  // A UUID consists of its sixteen bytes only. The cast is inlined, and stops the program if the
  // sizes differ. `UUID.init(uuid:)` would be a function call.
  @inline(__always)
  static func uuid(_ words: PagePair) -> UUID {
    unsafeBitCast((words.first.littleEndian, words.second.littleEndian), to: UUID.self)
  }

  private init(words: PagePair) {
    self.words = words
    hash = SlotHash.hash(words.first, and: words.second)
    stringBytes = []
  }

  private init(word: UInt64) {
    words = PagePair(word, second: 0)
    hash = SlotHash.hash(near: word)
    stringBytes = []
  }
}

/// The key of a record: the index of its entity in the catalog, and its identifier.
package struct EntityKey: Hashable, Sendable {
  package var entity: Int
  package var id: RecordIdentifier

  package init(_ entity: Int, id: RecordIdentifier) {
    self.entity = entity
    self.id = id
  }

  // Every changed record is looked up by its key. For an integer identifier, the hasher gets one
  // word.
  // The synthesized code would pass three: the entity, the case, and the number.
  package func hash(into hasher: inout Hasher) {
    switch id {
    case .int(let number): hasher.combine(UInt64(bitPattern: number) ^ salt)
    case .uint(let number): hasher.combine(number ^ salt)
    case .string(let string):
      hasher.combine(salt)
      hasher.combine(string)
    case .uuid(let uuid):
      hasher.combine(salt)
      hasher.combine(uuid)
    }
  }

  /// The entity's index in the high bits, which integer identifiers seldom use.
  private var salt: UInt64 { UInt64(truncatingIfNeeded: entity).byteSwapped }
}

/// Fixed-width identifiers of several records of one entity, in the form that ``EntityTable``
/// stores.
struct IdentifierWords {
  /// The integer identifiers, of one word each.
  private(set) var words: [UInt64] = []
  /// The UUIDs, of two words each.
  private(set) var pairs: [PagePair] = []

  var count: Int { max(words.count, pairs.count) }

  /// Appends the identifier that is stored at an offset.
  ///
  /// - Parameter byteCount: The width of the entity's identifiers: 8 or 16 bytes.
  /// - Returns: False if the bytes end inside the identifier.
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

  /// Returns the identifier at an index as two words. The second word of an integer is 0.
  @inline(__always)
  subscript(index: Int) -> PagePair {
    pairs.isEmpty ? PagePair(words[index], second: 0) : pairs[index]
  }

  /// Returns the hash of the identifier at an index, which finds the record.
  @inline(__always)
  func hash(_ index: Int) -> UInt64 {
    pairs.isEmpty
      ? SlotHash.hash(near: words[index])
      : SlotHash.hash(pairs[index].first, and: pairs[index].second)
  }

  mutating func removeAll() {
    words.removeAll(keepingCapacity: true)
    pairs.removeAll(keepingCapacity: true)
  }
}

/// A number greater than all integer identifiers that an entity has used.
///
/// Bulk inserts mostly use ascending identifiers. A record with an identifier at or above the bound
/// is new, so the table need not look it up.
struct IdentifierBound: Sendable {
  /// The smallest rank above the ranks of all used identifiers; 0 if none was used.
  ///
  /// The rank of `.max` has no successor. If it was used, the bound is `UInt64.max` and gives no
  /// information.
  private(set) var rawValue: UInt64
  private let kind: IdentifierKind

  init(_ kind: IdentifierKind) { self.init(kind, rawValue: 0) }

  init(_ kind: IdentifierKind, rawValue: UInt64) {
    self.kind = kind
    self.rawValue = rawValue
  }

  /// Returns the rank of an integer: its position among all integers of its kind, from 0.
  @inline(__always)
  private func rank(_ word: UInt64) -> UInt64 { kind == .int ? word ^ 1 << 63 : word }

  private var isOfNumbers: Bool { kind == .int || kind == .uint }

  /// Raises the bound above an integer identifier. Identifiers of other kinds are ignored.
  mutating func include(_ word: UInt64) {
    guard isOfNumbers else { return }
    let rank = rank(word)
    if rank >= rawValue { rawValue = rank == .max ? rank : rank + 1 }
  }

  mutating func include(_ words: [UInt64]) {
    guard isOfNumbers, let greatest = words.max(by: { rank($0) < rank($1) }) else { return }
    include(greatest)
  }

  /// Returns whether all identifiers are at or above the bound, and ascend without duplicates.
  ///
  /// Returns false if identifiers are not integers, if the bound gives no information, or if the
  /// array is empty.
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

/// Reads the identifiers of many records.
extension EntityTable {
  /// Returns the identifiers of the records in slots, in the order of the slots; nil if they are
  /// strings.
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

  /// Returns the identifiers of the records in slots as an array of the records' identifier type.
  /// Nil if the type is not `Int`, `Int64`, `UInt`, `UInt64` or `UUID`, or if the entity has
  /// identifiers of a different kind.
  func identifiers<ID>(of slots: [UInt32], as type: ID.Type, in space: PageSpace) -> [ID]? {
    // `as? [ID]` casts a value of type `Any` once. From `[Int]`, it would cast each element.
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

/// The position of a record in a state: its slot, and the location of its row.
package struct RecordPosition: Hashable, Sendable {
  package var slot: UInt32
  package var location: RowLocation

  package init(_ slot: UInt32, at location: RowLocation) {
    self.slot = slot
    self.location = location
  }

  /// The position of a record that does not exist.
  static var none: RecordPosition { RecordPosition(.max, at: .none) }
}

extension EntityTable {
  /// Returns whether a position is current: its slot contains the row at its location.
  func isRow(_ position: RecordPosition, in space: PageSpace) -> Bool {
    position.location != .none && Int(position.slot) < slotCount
      && row(position.slot, in: space).location == position.location
  }
}
