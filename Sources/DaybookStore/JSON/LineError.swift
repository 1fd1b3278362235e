import DaybookJournal

/// Why the next line of a text could not be read.
package struct LineError: Error, Hashable, Sendable {
  /// What is the matter, for programs.
  package enum Reason: Hashable, Sendable {
    /// The line is longer than a line may be.
    case tooLong(byteCountMax: Int)
    /// The operating system refused a call.
    case disk(DiskError)
  }

  /// What is the matter, for programs.
  package let reason: Reason
  /// The line, from 1.
  package let line: Int

  init(_ reason: Reason, line: Int) {
    self.reason = reason
    self.line = line
  }
}

extension LineError: CustomStringConvertible {
  /// Where and what.
  package var description: String { "line \(line): \(sentence)" }

  /// What is the matter, without the place.
  package var sentence: String {
    switch reason {
    case .tooLong(let byteCountMax):
      "a line has at most \(byteCountMax) bytes, and this one has more."
    case .disk(let error): "\(error.operation.rawValue): \(error.reasonPhrase)."
    }
  }
}
