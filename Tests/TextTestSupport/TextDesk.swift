import DaybookJournal
import DaybookSimulation
import DaybookStore
import DaybookText
import StoreTestSupport
import Testing

/// A disk for imports and exports of text journals. The default name of a journal is `j`.
package struct TextDesk {
  package var disk: SimulatedDisk

  package init(disk: SimulatedDisk = SimulatedDisk()) { self.disk = disk }

  @discardableResult
  package func importing(_ text: String, to path: String = "j") throws(TextJournalError)
    -> TextImportReport
  {
    try importing(Array(text.utf8), to: path)
  }

  @discardableResult
  package func importing(_ text: [UInt8], to path: String = "j") throws(TextJournalError)
    -> TextImportReport
  {
    try TextJournal.import(.bytes(text, path: "t"), to: path, options: .simulated(disk))
  }

  package func exported(_ path: String = "j") throws -> String {
    try exported(JournalReader(at: path, options: .simulated(disk)))
  }

  package func exported(_ reader: JournalReader) throws -> String {
    var bytes: [UInt8] = []
    try TextJournal.export(reader) { (piece) throws(DiskError) in
      piece.withUnsafeBytes { bytes.append(contentsOf: $0) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  package func exported(_ store: Store) throws -> String {
    var bytes: [UInt8] = []
    try TextJournal.export(store) { (piece) throws(DiskError) in
      piece.withUnsafeBytes { bytes.append(contentsOf: $0) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the message of the tool for a text journal that cannot be imported; nil if it can.
  package func problem(_ text: String) -> String? {
    do {
      try importing(text)
      try? disk.remove("j")
      return nil
    } catch { return "\(error)" }
  }

  /// The names of all files on the disk.
  package var names: [String] { (try? disk.list(SimulatedDisk.workingDirectory)) ?? [] }

  /// Returns the export of an imported text journal.
  package func passage(_ text: String) throws -> String {
    try importing(text)
    let exported = try exported()
    try disk.remove("j")
    return exported
  }
}

/// Returns lines, each with a line feed.
package func lines(_ lines: String...) -> String { lines.map { $0 + "\n" }.joined() }

/// Returns the line of a transaction with its number as the second of its time.
package func line(_ sequence: Int, _ changes: String...) -> String {
  let second = String(sequence).count == 1 ? "0\(sequence)" : "\(sequence)"
  let list = changes.joined(separator: ",")
  return #"{"tx":\#(sequence),"time":"2020-01-01T00:00:\#(second)Z","changes":[\#(list)]}"#
}
