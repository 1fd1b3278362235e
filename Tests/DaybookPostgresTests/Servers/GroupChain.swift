#if Postgres
  import DaybookJournal

  extension FrameGroup {
    /// The first group of a log.
    static func header(_ seed: UInt8 = 0) -> FrameGroup {
      let bytes = [UInt8](repeating: seed, count: 64)
      let checksum = XXH64.checksum(bytes.span.bytes, seed: 0)
      return FrameGroup(
        first: 0, next: 1, previousChecksum: 0, checksum: checksum, bytes: bytes, nonce: 1)
    }

    /// A group after an end of a log. Groups with different seeds differ.
    static func after(
      _ head: SharedHead, count: Int = 1, byteCount: Int = 100, seed: Int = 0
    ) -> FrameGroup {
      var state = UInt64(bitPattern: Int64(seed)) &+ head.checksum
      let bytes = (0..<byteCount).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 56)
      }
      return FrameGroup(
        first: head.next, next: head.next + count, previousChecksum: head.checksum,
        checksum: XXH64.checksum(bytes.span.bytes, seed: head.checksum), bytes: bytes, nonce: 1)
    }

    /// A base that ends where a group of the log ends. Bases with different seeds differ.
    static func base(at end: SharedHead, byteCount: Int, seed: Int) -> FrameGroup {
      FrameGroup(
        first: 0, next: end.next, previousChecksum: 0, checksum: end.checksum,
        bytes: FrameGroup.after(end, byteCount: byteCount, seed: seed).bytes,
        nonce: UInt64(seed))
    }
  }

  extension SharedLog {
    /// Appends a header and further groups, which must succeed, and returns all of them.
    func fill(_ count: Int, byteCount: Int = 100) async throws -> [FrameGroup] {
      var groups = [FrameGroup.header()]
      for _ in 0..<count {
        groups.append(.after(groups[groups.count - 1].end, byteCount: byteCount))
      }
      for group in groups { _ = try await append(group) }
      return groups
    }

    /// Reads the whole log.
    func readAll(byteCount: Int = 1 << 20) async throws -> [FrameGroup] {
      var groups: [FrameGroup] = []
      while true {
        let more = try await read(from: groups.last?.next ?? 0, byteCount: byteCount)
        if more.isEmpty { return groups }
        groups += more
      }
    }

    /// Repeats an append until its outcome is known.
    func appendUntilKnown(_ group: FrameGroup) async throws -> SharedAppendOutcome {
      var lastError: SharedLogError?
      for _ in 0..<12_000 {
        do {
          return try await append(group)
        } catch let error {
          lastError = error
          // The log connects again after a pause. The tasks of other tests run meanwhile.
          try await Task.sleep(for: .milliseconds(5))
        }
      }
      throw lastError ?? SharedLogError(.closed, log: name)
    }
  }

  /// Returns the description of the error that a body throws, or of its result.
  func sentence<Value>(_ body: () async throws -> Value) async -> String {
    do { return "no error, but \(try await body())" } catch { return "\(error)" }
  }
#endif
