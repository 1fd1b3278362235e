import DaybookJournal
import Glibc
import Synchronization

/// One row of the fault matrix: how many cases it runs, and what it prints when they are done.
///
/// The counts are those for the release build; a debug build runs a tenth of them, and
/// `DAYBOOK_SOAK=1` the full ones. Rows that enumerate everything do so in every build.
package struct FaultRow {
  package enum Scale {
    case tenth, usual, full

    package static let current: Scale =
      if getenv("DAYBOOK_SOAK") != nil {
        .full
      } else {
        #if DEBUG
          .tenth
        #else
          .usual
        #endif
      }
  }

  /// How many cases to run.
  package static func count(_ usual: Int, full: Int) -> Int {
    switch Scale.current {
    case .tenth: max(1, usual / 10)
    case .usual: usual
    case .full: full
    }
  }

  /// Runs a row and prints how many cases it had and how long they took.
  package static func run(_ number: Int, _ fault: String, _ body: (inout Int) throws -> Void)
    rethrows
  {
    var count = 0
    let start = MachineClock().uptimeNanoseconds
    defer {
      let milliseconds = (MachineClock().uptimeNanoseconds - start) / 1_000_000
      print("row \(number), \(fault): \(count) cases in \(milliseconds) ms")
    }
    try body(&count)
  }
}
