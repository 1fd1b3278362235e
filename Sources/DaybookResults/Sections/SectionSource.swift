import DaybookStore

/// What a request makes its sections of, by which one is found again in another request.
///
/// Requests that make sections of the same value in the same way have sections in common, in
/// whatever order these stand: comparator and direction make the lead of a section's key, and what is
/// its own behind that is the same bytes.
package struct SectionSource: Sendable {
  /// The names that lead to the value; none for a closure.
  private let names: [String]
  private let closure: SectionClosure?
  private let key: SectionKey

  init(_ names: [String], key: SectionKey) {
    self.names = names
    closure = nil
    self.key = key
  }

  init(_ closure: SectionClosure, key: SectionKey) {
    names = []
    self.closure = closure
    self.key = key
  }

  /// Whether sections are what a closure says, which nobody can compare with what it said before.
  var isClosure: Bool { closure != nil }

  /// What is the section's own in its key: equal in two requests if and only if the section is the
  /// same, where their sources are.
  func own(in key: [UInt8]) -> [UInt8] {
    Array(key[self.key.ownRange(in: key.span.bytes)])
  }

  /// Returns the name of the section of a key.
  func name(of key: [UInt8]) -> String { self.key.name(of: key.span.bytes) }
}

/// Two are equal if sections are made of the same in the same way, of one entity.
extension SectionSource: Hashable {
  package static func == (one: SectionSource, other: SectionSource) -> Bool {
    one.names == other.names && one.closure == other.closure
      && one.key.makesSameSections(as: other.key)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(names)
    hasher.combine(closure)
  }
}
