/// How far the reading of something large is, for whoever tells a person who waits.
public struct ReadingProgress: Sendable {
  /// A part of the work that counts its bytes from zero.
  public enum Phase: Hashable, Sendable, CaseIterable {
    /// Bytes are compared with their checks, or a text is checked for its form.
    case checking
    /// The contents are read, or written again.
    case reading
  }

  private let body: @Sendable (_ phase: Phase, _ done: UInt64, _ all: UInt64) -> Void

  /// Creates a progress that calls a closure.
  ///
  /// - Parameter body: A closure that is called with the number of bytes that are done, in ascending order in each
  ///   phase, and the number of all.
  public init(
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
