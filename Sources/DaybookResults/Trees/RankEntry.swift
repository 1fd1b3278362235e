/// One entry of a ``RankTree``.
package struct RankEntry: Hashable, Sendable, BitwiseCopyable {
  package var key: UInt64
  package var value: UInt32

  package init(_ key: UInt64, _ value: UInt32) {
    self.key = key
    self.value = value
  }
}
