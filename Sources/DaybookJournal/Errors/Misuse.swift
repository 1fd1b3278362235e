import Glibc

/// Mistakes in how a program calls Daybook, which end it.
///
/// The sentence is printed in every build: a release build prints nothing of a failed precondition.
package enum Misuse {
  /// Prints a sentence on standard error: what was done, and what to do.
  package static func report(_ sentence: String) {
    var line = "Daybook: \(sentence)\n"
    line.withUTF8 { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = write(
          STDERR_FILENO, UnsafeBufferPointer(rebasing: rest).baseAddress, rest.count)
        guard count > 0 else { return }
        rest = rest.dropFirst(count)
      }
    }
  }

  /// Prints a sentence on standard error, and ends the program.
  package static func stop(_ sentence: String) -> Never {
    report(sentence)
    abort()
  }
}
