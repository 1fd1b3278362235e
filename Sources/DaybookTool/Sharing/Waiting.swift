import DaybookPlatform

/// Waits of the main thread for asynchronous calls.
enum Waiting {
  /// Blocks the thread until an asynchronous call has returned.
  static func value<Value: Sendable, Failure: Error>(
    of call: @escaping @Sendable () async throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let promise = Promise<Result<Value, Failure>>()
    Task.detached {
      do throws(Failure) {
        promise.fulfill(.success(try await call()))
      } catch {
        promise.fulfill(.failure(error))
      }
    }
    return try promise.wait().get()
  }
}
