import Glibc

/// Mistakes in how a program calls Daybook, which end it.
///
/// The sentence is printed in every build: a release build prints nothing of a failed precondition.
package enum Misuse {
  /// Prints a sentence on standard error: what was done, and what to do.
  package static func report(_ sentence: String) {
    let line = Array("Daybook: \(sentence)\n".utf8)
    try? FileDescriptor.standardError.writeAll(line.span.bytes)
  }

  /// Prints a sentence on standard error, and ends the program.
  package static func stop(_ sentence: String) -> Never {
    report(sentence)
    abort()
  }
}
