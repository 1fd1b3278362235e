import DaybookCLibrary
import DaybookJournal
import DaybookSimulation

/// A process that acts on a journal for a test of several processes, and that the test may kill.
///
/// ```
/// JournalChild append <path> <full|batched|none> <seed> <submitters> <count>
/// JournalChild open <path> <wait|refuse>
/// JournalChild look <path>
/// JournalChild follow <path> <count>
/// ```
///
/// It reports on its standard output. Where it waits, it waits for a byte or the end of its
/// standard input.
@main
struct JournalChild {
  static func main() throws {
    let arguments = CommandLine.arguments
    switch (arguments.dropFirst().first, arguments.count) {
    case ("append", 7): try Appending(arguments).run()
    case ("open", 4): open(arguments[2], waits: arguments[3] == "wait")
    case ("look", 3): look(arguments[2])
    case ("follow", 4): try follow(arguments[2], count: Int(arguments[3]) ?? 0)
    default:
      say("what is wanted of this process is not known: \(arguments)")
      exit(2)
    }
  }

  /// Writes a line for the test to read.
  static func say(_ line: String) {
    put(Array((line + "\n").utf8))
  }

  /// Writes bytes for the test to read, in one call.
  static func put(_ bytes: [UInt8]) {
    let count = bytes.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    // Without a test that reads the output, the process ends.
    if count != bytes.count { exit(3) }
  }

  /// Waits until the test sends a byte or closes its end, and returns whether a byte was sent.
  @discardableResult
  static func waitForByte() -> Bool {
    var byte: UInt8 = 0
    return read(STDIN_FILENO, &byte, 1) == 1
  }

  /// A Boolean value that indicates whether the test has sent a byte or closed its end.
  static var isCalled: Bool {
    var polled = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    return poll(&polled, 1, 0) != 0
  }

  /// Opens a journal on command, reports the outcome, and keeps it open until the test sends a
  /// byte.
  private static func open(_ path: String, waits: Bool) {
    say("ready")
    guard waitForByte() else { return }
    var options = JournalOptions()
    options.waitsForLock = waits
    do {
      let journal = try FileJournal(at: path, options: options)
      say("opened \(journal.identity) \(journal.head.sequence)")
      waitForByte()
      try journal.closeAndWait()
      say("closed")
    } catch {
      say("refused \(error)")
      waitForByte()
    }
  }

  /// Opens a journal for reading and for writing repeatedly until the test calls, and reports
  /// problems. Whichever file has the name, it must contain all transactions from its base to 20.
  private static func look(_ path: String) {
    say("ready")
    var count = 0
    repeat {
      count += 1
      do {
        let reader = try JournalReader(at: path)
        let base = try reader.base()
        var next = base.isEmpty ? 1 : SequenceNumber(UInt64(base[0][0])).next
        var transactions = try reader.transactions(from: next)
        while let transaction = try transactions.next() {
          if transaction.sequence != next { say("\(transaction.sequence) where \(next) should be") }
          next = transaction.sequence.next
        }
        if next != 21 || !reader.report.isUneventful { say("through \(next): \(reader.report)") }
      } catch {
        say("reading: \(error)")
      }
      do {
        var options = JournalOptions()
        options.createsIfMissing = false
        let journal = try FileJournal(at: path, options: options)
        if journal.head.sequence != 20 || !journal.report.isUneventful { say("\(journal.report)") }
        try journal.closeAndWait()
      } catch {
        if case .locked = error.reason { continue }
        say("writing: \(error)")
      }
    } while !isCalled
    say("looked \(count > 0 ? "often" : "never")")
  }

  /// Follows a journal up to a transaction, and reports each number with the word of its payload.
  private static func follow(_ path: String, count: Int) throws {
    let follower = try FileFollower(at: path)
    say("ready")
    var seen = 0
    while seen < count {
      do {
        switch try follower.next() {
        case .transaction(let transaction)?:
          seen = Int(transaction.sequence.rawValue)
          let payload = SeededPayload(transaction.payload.copy())
          say("\(seen) \(payload?.word ?? .max) \(transaction.payload.count)")
        case .reset(let head, let base)?:
          seen = Int(head.sequence.rawValue)
          say("reset \(seen) \(base.count)")
        case nil:
          follower.wait(milliseconds: 1000)
        }
      } catch {
        say("\(error)")
        return
      }
    }
  }
}
