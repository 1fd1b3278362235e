/// A copy-on-write value of the size of one reference.
///
/// Reading it is one load. A stored property of a class would be checked for exclusive access at each
/// read.
struct SharedValue<Value: Sendable>: Sendable {
  // The memory is changed only while one reference to the storage is all there is.
  private final class Storage: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<Value>

    init(_ value: Value) {
      pointer = .allocate(capacity: 1)
      pointer.initialize(to: value)
    }

    deinit {
      pointer.deinitialize(count: 1)
      pointer.deallocate()
    }
  }

  private var storage: Storage

  init(_ value: Value) { storage = Storage(value) }

  @inline(__always)
  var value: Value {
    _read {
      // The storage must live for as long as the caller reads the value.
      defer { withExtendedLifetime(storage) {} }
      yield storage.pointer.pointee
    }
  }

  /// Changes the value.
  mutating func edit<Result>(_ body: (inout Value) -> Result) -> Result {
    if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.pointer.pointee) }
    return body(&storage.pointer.pointee)
  }
}
