import DaybookJournal
import DaybookSimulation
import TestSupport

/// A journal of `Journal/Samples`: its bytes, made here, and the report stored with it.
///
/// Identities, salts and times are fixed, so the bytes are the same on every machine and the files
/// in the folder can be compared with them.
struct Sample {
  let name: String
  let bytes: [UInt8]
  /// The derived file of the journal: its suffix and its bytes.
  var companion: (suffix: String, bytes: [UInt8])?

  var journalName: String { name + ".daybook" }
  var textName: String { name + ".txt" }

  /// Returns a disk with the journal and its derived file.
  func disk() -> SimulatedDisk {
    let disk = SimulatedDisk()
    disk.setContents(bytes, at: journalName)
    if let companion { disk.setContents(companion.bytes, at: journalName + companion.suffix) }
    return disk
  }

  /// Returns the reports of opening and verifying, in the format of `Journal/Samples/README.md`.
  func text() -> String {
    """
    # open read-only
    \(openedReadOnly())

    # open for writing
    \(openedForWriting())

    # verify
    \(verified())

    """
  }

  private func openedReadOnly() -> String {
    do throws(JournalError) {
      return try JournalReader(at: journalName, on: disk(), reading: .copied).report.description
    } catch {
      return error.description
    }
  }

  private func openedForWriting() -> String {
    do throws(JournalError) {
      let journal = try FileJournal(at: journalName, options: FixedJournal.options(on: disk()))
      // A derived file is named by its whole path. The sample's own directory is omitted.
      let said = journal.report.description
        .split(separator: SimulatedDisk.workingDirectory + "/", omittingEmptySubsequences: false)
        .joined()
      try journal.closeAndWait()
      return said
    } catch {
      return error.description
    }
  }

  private func verified() -> String {
    var lines: [String] = []
    do throws(JournalError) {
      let summary = try FileJournal.verify(at: journalName, options: .simulated(disk())) {
        lines.append($0.description)
      }
      let verdict = summary.problemCount == 0 ? "OK" : "problems: \(summary.problemCount)"
      let readable = summary.readable.map { "\($0.lowerBound) to \($0.upperBound)" }
      lines.append(
        """
        \(verdict); intact through \(summary.intactThrough); readable: \
        \(readable.isEmpty ? "none" : readable.joined(separator: ", ")); \
        transactions: \(summary.transactionCount); payload bytes: \(summary.payloadByteCount)
        """)
    } catch {
      lines.append(error.description)
    }
    return lines.joined(separator: "\n")
  }
}
