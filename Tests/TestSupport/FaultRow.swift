import DaybookCLibrary
import DaybookJournal
import Synchronization

/// One row of the fault matrix: the number of its cases, and a report after the last one.
///
/// | build or environment | random cases | enumerated cases |
/// | --- | --- | --- |
/// | debug | a hundredth of the usual count, at least two | each n-th case |
/// | `DAYBOOK_BRIEF=1` in release | a quarter of the usual count, at least two | all |
/// | release | the usual count | all |
/// | `DAYBOOK_SOAK=1` | the full count | all |
package struct FaultRow {
  package enum Scale {
    case small, brief, usual, full

    package static let current: Scale =
      if getenv("DAYBOOK_SOAK") != nil {
        .full
      } else {
        #if DEBUG
          .small
        #else
          getenv("DAYBOOK_BRIEF") != nil ? .brief : .usual
        #endif
      }
  }

  /// Returns the number of cases to run.
  ///
  /// - Parameter least: The minimum below the usual count, for tests that expect certain results
  ///   to occur.
  package static func count(_ usual: Int, full: Int, least: Int = 2) -> Int {
    switch Scale.current {
    case .small: max(min(usual, least), usual / 100)
    case .brief: max(min(usual, least), usual / 4)
    case .usual: usual
    case .full: full
    }
  }

  /// Returns the distance between the cases of an enumeration: 1, or the given one in a debug
  /// build. A prime distance selects different kinds of cases.
  package static func step(_ small: Int) -> Int {
    Scale.current == .small ? small : 1
  }

  /// Returns all cases of a list; in a debug build every eighth case and the last.
  package static func some<Case>(_ cases: [Case]) -> [Case] {
    guard Scale.current == .small else { return cases }
    return cases.indices.filter { $0 % 8 == 0 || $0 == cases.count - 1 }.map { cases[$0] }
  }

  /// Runs a row and prints the number of its cases and their duration.
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
