/// A defect of a payload, and its offset.
package struct PayloadDefect: Hashable, Sendable {
  /// The kinds of defects.
  package enum Kind: Hashable, Sendable {
    /// The version or a flag is unknown to this build.
    case version(UInt8)
    /// A layout is incomplete, or contradicts an earlier layout.
    case layout
    /// A layout exceeds a limit. The bytes are valid.
    case limit(SchemaExcess)
    case storedValues
    case changeCount
    /// A change is incomplete or breaks a rule, or its kind or layout is unknown.
    case change
    case metadata
    /// Bytes follow the last change, but the flags indicate no metadata.
    case end
  }

  package var offset: Int
  package var kind: Kind

  package init(offset: Int, kind: Kind) {
    self.offset = offset
    self.kind = kind
  }
}
