import DaybookJournal
import Synchronization
import TestSupport
import Testing

@testable import DaybookTool

/// The line that shows the progress of an operation.
@Suite struct `Progress on a terminal` {
  private final class Line: Sendable {
    private let bytes = Mutex<[UInt8]>([])

    func add(_ more: [UInt8]) { bytes.withLock { $0 += more } }

    /// The text that was written since the last access.
    var text: String {
      bytes.withLock { bytes in
        defer { bytes = [] }
        return String(decoding: bytes, as: UTF8.self)
      }
    }
  }

  private let clock = TestClock()
  private let line = Line()

  private func progress(columnCount: Int = 80) -> Progress {
    Progress(columnCount: columnCount, clock: clock) { [line] in line.add($0) }
  }

  @Test func `progress appears after a second and then ten times a second`() {
    let progress = progress()
    for _ in 0..<10 {
      progress.show("reading a", done: 1, of: 4)
      clock.advance(milliseconds: 99)
    }
    #expect(line.text == "")
    clock.advance(milliseconds: 10)
    progress.show("reading a", done: 1, of: 4)
    progress.show("reading a", done: 2, of: 4)
    #expect(line.text == "\rreading a: 25 %\u{1B}[K")
    clock.advance(milliseconds: 100)
    progress.show("reading a", done: 3, of: 4)
    #expect(line.text == "\rreading a: 75 %\u{1B}[K")
  }

  @Test func `progress is cleared only if it is shown`() {
    let progress = progress()
    progress.clear()
    #expect(line.text == "")
    clock.advance(milliseconds: 1000)
    progress.show("a", done: 4, of: 4)
    #expect(line.text == "\ra: 100 %\u{1B}[K")
    progress.clear()
    progress.clear()
    #expect(line.text == "\r\u{1B}[K")
  }

  @Test func `progress fits the terminal and contains no control characters`() {
    let progress = progress(columnCount: 20)
    clock.advance(milliseconds: 1000)
    progress.show("reading a journal with a long name", done: 1, of: 2)
    #expect(line.text == "\rreading a journal …\u{1B}[K")
    clock.advance(milliseconds: 1000)
    progress.show("a\rb", done: 0, of: 0)
    #expect(line.text == "\ra\\rb: 100 %\u{1B}[K")
  }

  @Test func `progress is not written without a terminal`() {
    let progress = Progress(columnCount: 80, clock: clock, write: nil)
    clock.advance(milliseconds: 5000)
    progress.show("a", done: 1, of: 2)
    progress.clear()
    #expect(progress.reading("a") == nil)
  }

  @Test func `progress names the journal that is read`() throws {
    clock.advance(milliseconds: 1)
    let progress = progress()
    clock.advance(milliseconds: 2000)
    var steps = try #require(progress.reading("j.daybook")).steps(.checking, of: 10 << 20)
    steps.pass(5)
    steps.pass(5 << 20)
    #expect(line.text == "\rchecking j.daybook: 50 %\u{1B}[K")
  }
}
