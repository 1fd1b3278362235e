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
      progress.show("reading a", done: 1, of: 4, in: .things("rows"))
      clock.advance(milliseconds: 99)
    }
    #expect(line.text == "")
    clock.advance(milliseconds: 10)
    progress.show("reading a", done: 1, of: 4, in: .things("rows"))
    progress.show("reading a", done: 2, of: 4, in: .things("rows"))
    #expect(line.text == "\rreading a: 25 %  [=====               ]\u{1B}[K")
    clock.advance(milliseconds: 100)
    progress.show("reading a", done: 3, of: 4, in: .things("rows"))
    #expect(line.text == "\rreading a: 75 %  [===============     ]  1 rows/s  0:01 left\u{1B}[K")
  }

  @Test func `progress is cleared only if it is shown`() {
    let progress = progress()
    progress.clear()
    #expect(line.text == "")
    clock.advance(milliseconds: 1000)
    progress.show("a", done: 4, of: 4, in: .things("rows"))
    #expect(line.text == "\ra: 100 %  [====================]\u{1B}[K")
    progress.clear()
    progress.clear()
    #expect(line.text == "\r\u{1B}[K")
  }

  @Test func `progress fits the terminal and contains no control characters`() {
    let progress = progress(columnCount: 20)
    clock.advance(milliseconds: 1000)
    progress.show("reading a journal with a long name", done: 1, of: 2, in: .things("rows"))
    #expect(line.text == "\rreading a journal …\u{1B}[K")
    clock.advance(milliseconds: 1000)
    progress.show("a\rb", done: 0, of: 0, in: .things("rows"))
    #expect(line.text == "\ra\\rb: 100 %\u{1B}[K")
  }

  @Test func `progress shows the rate and the time that is left`() {
    let progress = progress()
    func line(_ done: UInt64, of all: UInt64, in unit: Progress.Unit) -> String {
      clock.advance(milliseconds: 2000)
      progress.show("a", done: done, of: all, in: unit)
      return self.line.text
    }
    let bar = "  [==                  ]"
    progress.show("a", done: 0, of: 100, in: .bytes)
    #expect(
      line(10, of: 100, in: .things("rows")) == "\ra: 10 %\(bar)  5 rows/s  0:18 left\u{1B}[K")
    #expect(
      line(4000 << 10, of: 40_000 << 10, in: .bytes)
        == "\ra: 10 %\(bar)  1000.0 KiB/s  0:36 left\u{1B}[K")
    #expect(
      line(90 << 20, of: 900 << 20, in: .bytes)
        == "\ra: 10 %\(bar)  15.0 MiB/s  0:54 left\u{1B}[K")
    #expect(
      line(80, of: 8000, in: .things("rows"))
        == "\ra: 1 %  [                    ]  10 rows/s  13:12 left\u{1B}[K")
    #expect(
      line(100, of: 1_000_100, in: .things("rows"))
        == "\ra: 0 %  [                    ]  10 rows/s  27:46:40 left\u{1B}[K")
    // The rate of a second operation does not contain the first one.
    progress.show("b", done: 7, of: 8, in: .bytes)
    #expect(self.line.text == "")
    clock.advance(milliseconds: 100)
    progress.show("b", done: 7, of: 8, in: .bytes)
    #expect(self.line.text == "\rb: 87 %  [=================   ]\u{1B}[K")
  }

  @Test func `a narrow terminal shows progress without a bar`() {
    let progress = progress(columnCount: 30)
    progress.show("a", done: 0, of: 10, in: .bytes)
    clock.advance(milliseconds: 2000)
    progress.show("a", done: 4, of: 10, in: .things("rows"))
    #expect(line.text == "\ra: 40 %  2 rows/s  0:03 left\u{1B}[K")
  }

  @Test func `suspended progress is not written`() {
    let progress = progress()
    clock.advance(milliseconds: 1000)
    progress.show("a", done: 1, of: 2, in: .bytes)
    progress.suspend()
    #expect(line.text.hasSuffix("\r\u{1B}[K"))
    clock.advance(milliseconds: 1000)
    progress.show("a", done: 2, of: 2, in: .bytes)
    #expect(line.text == "")
  }

  @Test func `progress is not written without a terminal`() {
    let progress = Progress(columnCount: 80, clock: clock, write: nil)
    clock.advance(milliseconds: 5000)
    progress.show("a", done: 1, of: 2, in: .things("rows"))
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
    #expect(line.text == "\rchecking j.daybook: 50 %  [==========          ]\u{1B}[K")
  }
}
