/// An append that has yet to be made, by the thread that leads a journal, when it comes to it.
///
/// What many append while a thread leads is made by that thread, one behind the other: it is the only one
/// then that needs what they all would have to wait for, and goes through the same instructions again and again,
/// so that they are at hand. It does so while the disk writes the group before. While it sleeps in the sync behind that,
/// what comes is begun by whoever brings it, who is in nobody's way then.
package protocol EnlistedAppend: AnyObject, Sendable {
  /// Begins it, on the thread that leads.
  ///
  /// - Returns: The append, of which whoever enlisted it hears when it is settled; nil if there is nothing to wait for.
  func begin() -> BegunAppend?
}

/// An append that waits to be made, and who waits for what comes of it.
struct Enlistment: Sendable {
  let append: any EnlistedAppend
  let waiter: UnsafeContinuation<Bool, Never>

  /// Begins it, and has whoever waits resumed behind it.
  func begin() {
    guard let begun = append.begin(), begun.latch.leave(.enlisted(waiter)) else {
      return waiter.resume(returning: true)
    }
  }
}

/// Appends that wait to be made, in the order in which they came.
struct Enlistments {
  private var waiting: [Enlistment] = []

  var count: Int { waiting.count }

  mutating func add(_ enlistment: Enlistment) { waiting.append(enlistment) }

  /// Removes and returns all of them.
  mutating func take() -> [Enlistment] {
    defer { waiting = [] }
    return waiting
  }

  /// Puts back those that were taken last and have not begun.
  mutating func putBack(_ rest: ArraySlice<Enlistment>) { waiting.insert(contentsOf: rest, at: 0) }
}
