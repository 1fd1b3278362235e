/// What keeps everything that could be reached in a space at a moment as it was.
///
/// Whoever copies a root together with the pin reads through that root, from any thread, what was
/// there when the pin was taken. The pin is given up when the last reference to it goes, on
/// whatever thread that happens, and keeps its space alive until then.
package final class PagePin: Sendable {
  /// The space whose pages it keeps.
  package let space: PageSpace
  private let place: Int

  init(_ space: PageSpace, place: Int) {
    self.space = space
    self.place = place
  }

  deinit { space.release(place) }
}
