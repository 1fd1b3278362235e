/// Places of attributes that can be read without anything being retained: an array would be, for each look at it.
///
/// Whoever made it gives its memory back, and has it no longer than that.
struct PlaceList: @unchecked Sendable, BitwiseCopyable {
  // Nothing is stored into it after it was made, so that all threads may read it: that is the reason for
  // `@unchecked`.
  private let start: UnsafeMutablePointer<AttributePlace>
  let count: Int

  init(_ places: [AttributePlace]) {
    count = places.count
    start = .allocate(capacity: max(count, 1))
    start.initialize(from: places, count: count)
  }

  func deallocate() { start.deallocate() }

  @inline(__always)
  subscript(index: Int) -> AttributePlace {
    precondition(index >= 0 && index < count, "place \(index) of \(count)")
    return start[index]
  }
}
