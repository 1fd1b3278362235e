/// How far the reading of something large is, for whoever tells a person who waits.
package struct ReadingProgress: Sendable {
  /// What is being done.
  package enum Phase: Hashable, Sendable, CaseIterable {
    /// Bytes are held against their checks, or a text against its form.
    case checking
    /// What they say is taken in, or written again.
    case reading
  }

  private let body: @Sendable (_ phase: Phase, _ done: UInt64, _ all: UInt64) -> Void

  /// - Parameter body: Is told how many bytes of how many are done, in ascending order in each phase.
  package init(
    _ body: @escaping @Sendable (_ phase: Phase, _ done: UInt64, _ all: UInt64) -> Void
  ) {
    self.body = body
  }

  /// After how many bytes somebody is told.
  package static let stepByteCount: UInt64 = 1 << 20

  /// Those of one pass.
  package func steps(_ phase: Phase, of all: UInt64) -> Steps {
    // What is written again may come out longer than it was.
    Steps(body: { [body] in body(phase, min($0, all), all) })
  }

  /// One pass over the bytes: to say where it is costs nothing but a comparison.
  package struct Steps {
    fileprivate let body: (UInt64) -> Void
    private var next = ReadingProgress.stepByteCount

    fileprivate init(body: @escaping (UInt64) -> Void) { self.body = body }

    package mutating func pass(_ done: UInt64) {
      guard done >= next else { return }
      next = done + ReadingProgress.stepByteCount
      body(done)
    }
  }
}
