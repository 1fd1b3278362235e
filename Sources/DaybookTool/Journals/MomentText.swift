import DaybookJournal
import DaybookStore

extension OpenJournal {
  /// Returns the state at a moment that the user typed. Only digits mean a transaction, and any
  /// other text is a time in ISO 8601.
  ///
  /// - Parameters:
  ///   - text: The moment.
  ///   - flag: The name of the option whose value is the moment, for the error.
  func snapshot(at text: String, for flag: String) throws(ToolError) -> StoreSnapshot {
    let moment = try moment(text, for: flag)
    do throws(StoreError) {
      switch moment {
      case .transaction(let sequence): return try store.snapshot(at: sequence)
      case .time(let time): return try store.snapshot(at: time)
      }
    } catch { throw self.error(error) }
  }

  /// Returns the transaction of a moment that the user typed. A time means the last transaction at
  /// or before that time. The method does not check whether the journal contains a transaction with
  /// a typed number.
  ///
  /// - Parameters:
  ///   - text: The moment.
  ///   - flag: The option of the moment, for the error.
  func sequence(at text: String, for flag: String) throws(ToolError) -> SequenceNumber {
    switch try moment(text, for: flag) {
    case .transaction(let sequence): return sequence
    case .time(let time):
      do throws(StoreError) { return try store.sequence(at: time) } catch {
        throw self.error(error)
      }
    }
  }

  /// Returns the transaction of a moment that the user typed. Throws an error if the journal does
  /// not contain the transaction.
  func knownSequence(at text: String, for flag: String) throws(ToolError) -> SequenceNumber {
    let sequence = try sequence(at: text, for: flag)
    let (first, last) = (store.base, store.snapshot.sequence)
    guard sequence >= first, sequence <= last else {
      throw error(StoreError(.noSuchMoment(sequence, first: first, last: last), path: name))
    }
    return sequence
  }

  /// A moment that the user typed, as a transaction number or as a time.
  enum Moment: Hashable {
    case transaction(SequenceNumber)
    case time(JournalTime)
  }

  /// Parses a moment that the user typed.
  func moment(_ text: String, for flag: String) throws(ToolError) -> Moment {
    if !text.isEmpty, text.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }) {
      guard let number = UInt64(text) else {
        throw ToolError(
          .misunderstood,
          sentence: "\(flag) needs a transaction number up to \(UInt64.max); found \(text).")
      }
      return .transaction(SequenceNumber(number))
    }
    do throws(TextError) { return .time(try JournalTime(text)) } catch {
      throw ToolError(
        .misunderstood,
        sentence:
          "\(flag) needs a transaction number, or a time like 2015-10-27T12:10:26Z; found '\(text)': "
          + error.sentence)
    }
  }
}
