/// What a listener wants to hear of alone: records of an entity of which one attribute has a certain value, or
/// had it.
package struct NarrowInterest: Sendable {
  /// What the attribute of a row is, as one word.
  package enum Word: Hashable, Sendable {
    case none
    case word(UInt64)
    /// It would have to be looked up elsewhere.
    case unknown
  }

  /// Which attribute of which entity it is: all that have the same read the same words.
  package struct Subject: Hashable, Sendable {
    package var entity: Int
    package var layout: UInt16
    package var place: Int
    package var kind: UInt8

    package init(entity: Int, layout: UInt16, place: Int, kind: UInt8) {
      self.entity = entity
      self.layout = layout
      self.place = place
      self.kind = kind
    }
  }

  package let subject: Subject
  /// The word of the value. Other values may have the same.
  package let word: UInt64
  package let read: @Sendable (RawSpan) -> Word

  package init(_ subject: Subject, word: UInt64, read: @escaping @Sendable (RawSpan) -> Word) {
    self.subject = subject
    self.word = word
    self.read = read
  }
}

extension NarrowInterest: Equatable {
  package static func == (one: NarrowInterest, other: NarrowInterest) -> Bool {
    one.subject == other.subject && one.word == other.word
  }
}
