import DaybookJournal
import DaybookStore

extension OpenJournal {
  /// The state at a moment as the command line has it: digits are a transaction, anything else is ISO 8601.
  ///
  /// - Parameter flag: Who asks, for the sentence of an error.
  func snapshot(at text: String, for flag: String) throws(ToolError) -> StoreSnapshot {
    let moment = try moment(text, for: flag)
    do throws(StoreError) {
      switch moment {
      case .transaction(let sequence): return try store.snapshot(at: sequence)
      case .time(let time): return try store.snapshot(at: time)
      }
    } catch { throw self.error(error) }
  }

  /// The transaction of a moment as the command line has it: that of a time is the last at or before it.
  /// Whether the journal knows a number is for whoever uses it to find out.
  ///
  /// - Parameter flag: Who asks, for the sentence of an error.
  func sequence(at text: String, for flag: String) throws(ToolError) -> SequenceNumber {
    switch try moment(text, for: flag) {
    case .transaction(let sequence): return sequence
    case .time(let time):
      do throws(StoreError) { return try store.sequence(at: time) } catch {
        throw self.error(error)
      }
    }
  }

  /// The same, of a moment that the journal knows.
  func knownSequence(at text: String, for flag: String) throws(ToolError) -> SequenceNumber {
    let sequence = try sequence(at: text, for: flag)
    let (first, last) = (store.base, store.snapshot.sequence)
    guard sequence >= first, sequence <= last else {
      throw error(StoreError(.noSuchMoment(sequence, first: first, last: last), path: name))
    }
    return sequence
  }

  enum Moment: Hashable {
    case transaction(SequenceNumber)
    case time(JournalTime)
  }

  /// What a text says.
  func moment(_ text: String, for flag: String) throws(ToolError) -> Moment {
    if !text.isEmpty, text.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }) {
      guard let number = UInt64(text) else {
        throw ToolError(
          .misunderstood, sentence: "'\(flag)': transactions have 64 bits, and \(text) has more.")
      }
      return .transaction(SequenceNumber(number))
    }
    do throws(TextError) { return .time(try JournalTime(text)) } catch {
      throw ToolError(
        .misunderstood,
        sentence:
          "'\(flag)' takes a transaction's number, or a time as 2015-10-27T12:10:26Z: '\(text)': "
          + error.sentence)
    }
  }
}
