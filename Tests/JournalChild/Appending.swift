import DaybookCLibrary
import DaybookJournal
import DaybookSimulation

/// Appends from several threads at once, and acknowledges each transaction to the test after the
/// journal has acknowledged it.
///
/// An acknowledgement has 16 bytes: the transaction's number and the word of its payload.
struct Appending {
  private let journal: FileJournal
  private let seed: UInt64
  private let submitterCount: UInt32
  private let count: UInt32

  init(_ arguments: [String]) throws {
    var options = JournalOptions()
    options.durability =
      switch arguments[3] {
      case "full": .full
      case "none": .none
      default: .batched(interval: .milliseconds(1))
      }
    journal = try FileJournal(at: arguments[2], options: options)
    seed = UInt64(arguments[4]) ?? 0
    submitterCount = UInt32(arguments[5]) ?? 1
    count = UInt32(arguments[6]) ?? 0
  }

  /// Submits all payloads and closes the journal.
  func run() throws {
    var threads: [pthread_t] = []
    for submitter in 0..<submitterCount {
      var thread = pthread_t()
      let box = Unmanaged.passRetained(Submitter(number: submitter, appending: self))
      let status = pthread_create(
        &thread, nil,
        { argument in
          guard let argument else { return nil }
          Unmanaged<Submitter>.fromOpaque(argument).takeRetainedValue().run()
          return nil
        }, box.toOpaque())
      precondition(status == 0, "a thread cannot be made: errno \(status)")
      threads.append(thread)
    }
    for thread in threads { pthread_join(thread, nil) }
    try journal.closeAndWait()
  }

  fileprivate func submit(as submitter: UInt32) {
    for number in 0..<count {
      let payload = SeededPayload(submitter: submitter, number: number)
      do {
        guard case .appended(let receipt) = try journal.appendAndWait(payload.bytes(seed: seed))
        else {
          exit(4)
        }
        JournalChild.put(bytes(of: receipt.sequence.rawValue) + bytes(of: payload.word))
      } catch {
        exit(5)
      }
    }
  }

  private func bytes(of word: UInt64) -> [UInt8] {
    withUnsafeBytes(of: word.littleEndian) { [UInt8]($0) }
  }
}

/// One of the threads that append.
private final class Submitter: Sendable {
  private let number: UInt32
  private let appending: Appending

  init(number: UInt32, appending: Appending) {
    self.number = number
    self.appending = appending
  }

  func run() { appending.submit(as: number) }
}
