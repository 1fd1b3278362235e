/// The interest of an observer in one value of an attribute: in the records of an entity that have
/// the value, or had it before a change.
package struct NarrowInterest: Sendable {
  /// The value of an attribute in a row, reduced to one word.
  package enum Word: Hashable, Sendable {
    case none
    case word(UInt64)
    /// The value is not stored in the row itself.
    case unknown
  }

  /// The identity of an attribute. Interests with equal subjects read equal words from a row, so
  /// one
  /// read of a row serves all of them.
  package struct Subject: Hashable, Sendable {
    package var entity: Int
    package var layout: UInt16
    package var field: Int
    package var kind: UInt8

    package init(entity: Int, layout: UInt16, field: Int, kind: UInt8) {
      self.entity = entity
      self.layout = layout
      self.field = field
      self.kind = kind
    }
  }

  package let subject: Subject
  /// The word of the value. Different values can have equal words.
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
