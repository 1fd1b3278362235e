import DaybookEssentials
import DaybookJournal
import DaybookPlatform
@_spi(Tools) import DaybookStore

extension OpenJournal {
  /// Returns the state at a moment that the user typed.
  ///
  /// Digits are the number of a transaction, `last` is the last transaction, and `-2` is the second
  /// transaction before it. Any other text is a time: `2h ago`, `today`, `yesterday`, a month as in
  /// `2012-03`, or a date or time in ISO 8601. Text of no such form is the name of a tag.
  ///
  /// - Parameters:
  ///   - argument: The moment.
  ///   - flag: The name of the option whose value is the moment, for the error.
  func snapshot(at argument: String, for flag: String) throws(ToolError) -> StoreSnapshot {
    let moment = try moment(argument, for: flag)
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
  ///   - argument: The moment.
  ///   - flag: The option of the moment, for the error.
  func sequence(at argument: String, for flag: String) throws(ToolError) -> SequenceNumber {
    switch try moment(argument, for: flag) {
    case .transaction(let sequence): return sequence
    case .time(let time):
      do throws(StoreError) { return try store.sequence(at: time) } catch {
        throw self.error(error)
      }
    }
  }

  /// Returns the transaction of a moment that the user typed. Throws an error if the journal does
  /// not contain the transaction.
  func knownSequence(at argument: String, for flag: String) throws(ToolError) -> SequenceNumber {
    let sequence = try sequence(at: argument, for: flag)
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
  func moment(_ argument: String, for flag: String) throws(ToolError) -> Moment {
    if let moment = try namedMoment(argument, for: flag) {
      MomentText.explain(argument, as: moment, for: flag)
      return moment
    }
    let time = MomentText.isMonth(argument) ? argument + "-01" : argument
    do throws(TextError) {
      let moment = Moment.time(try JournalTime(time))
      if MomentText.isMonth(argument) { MomentText.explain(argument, as: moment, for: flag) }
      return moment
    } catch {
      if let tag = try tag(named: argument) { return .transaction(tag.sequence) }
      throw ToolError(
        .usage,
        sentence:
          "\(flag) needs a transaction number, a time like 2015-10-27T12:10:26Z, or a tag; "
          + "found '\(argument)'"
          + (argument.first?.isNumber ?? false
            ? ": \(error.sentence)" : ", and no tag has this name."))
    }
  }

  /// Returns whether a text is a moment in every journal, so that it cannot be the name of a tag.
  func isMoment(_ string: String) -> Bool {
    do throws(ToolError) {
      if try namedMoment(string, for: "T") != nil { return true }
    } catch {
      // The text has the form of a moment.
      return true
    }
    return MomentText.isMonth(string) || (try? JournalTime(string)) != nil
  }

  /// Returns the moment of a text such as `7`, `last`, `-1`, `yesterday` or `2h ago`; nil if the
  /// text has another form.
  private func namedMoment(_ argument: String, for flag: String) throws(ToolError) -> Moment? {
    if let moment = try numberedMoment(argument, for: flag) { return moment }
    return try relativeTime(argument, for: flag).map { .time($0) }
  }

  private func tag(named name: String) throws(ToolError) -> JournalTag? {
    do throws(StoreError) { return try store.tag(named: name) } catch { throw self.error(error) }
  }

  /// Returns the transaction of a text such as `7`, `last` or `-1`; nil if the text has another
  /// form.
  private func numberedMoment(_ argument: String, for flag: String) throws(ToolError) -> Moment? {
    let last = store.snapshot.sequence
    if argument == "last" { return .transaction(last) }
    let isBackward = argument.hasPrefix("-")
    let digits = argument.dropFirst(isBackward ? 1 : 0)
    guard !digits.isEmpty, digits.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }) else { return nil }
    guard let number = UInt64(digits) else {
      throw ToolError(
        .usage,
        sentence: "\(flag) needs a transaction number up to \(UInt64.max); found \(digits).")
    }
    guard isBackward else { return .transaction(SequenceNumber(number)) }
    guard number <= last.rawValue else {
      throw ToolError(
        .usage,
        sentence:
          "\(flag) \(argument) is before the start of \(name): its last transaction is \(last)."
      )
    }
    return .transaction(SequenceNumber(last.rawValue - number))
  }

  /// Returns the time of a text such as `today`, `yesterday` or `2h ago`; nil if the text has
  /// another form. Days are those of UTC.
  private func relativeTime(_ argument: String, for flag: String) throws(ToolError) -> JournalTime?
  {
    let day: Int64 = 86_400_000_000_000
    func midnight(daysAgo days: Int64) throws(ToolError) -> JournalTime {
      let now = try MomentText.now()
      return now - .nanoseconds((now.nanoseconds % day + day) % day + days * day)
    }
    switch argument {
    case "today": return try midnight(daysAgo: 0)
    case "yesterday": return try midnight(daysAgo: 1)
    default: break
    }
    guard let duration = MomentText.duration(argument) else { return nil }
    return try MomentText.now() - duration
  }
}

/// The forms of moments that do not depend on a journal.
enum MomentText {
  /// Prints the time that a typed moment means. The user may expect a different time, for example
  /// the current time for `today`.
  fileprivate static func explain(
    _ argument: String, as moment: OpenJournal.Moment, for flag: String
  ) {
    guard case .time(let time) = moment else { return }
    let start =
      isMonth(argument)
      ? ", the start of the month in UTC"
      : argument.hasSuffix("ago") ? "" : ", the start of the day in UTC"
    StandardError.write("\(flag) \(argument) means \(time.shownString)\(start).")
  }

  /// Returns whether a text is a month, such as `2012-03`.
  static func isMonth(_ string: String) -> Bool {
    string.utf8.count == 7
      && string.utf8.enumerated().allSatisfy { index, byte in
        index == 4 ? byte == UInt8(ascii: "-") : byte >= 48 && byte <= 57
      }
  }

  /// Returns the duration of a text such as `90s ago` or `2 h ago`; nil if the text has another
  /// form.
  static func duration(_ string: String) -> Duration? {
    guard string.hasSuffix("ago") else { return nil }
    let amount = string.dropLast(3).filter { $0 != " " }
    guard let unit = amount.last, let seconds = secondsByUnit[unit] else { return nil }
    let digits = amount.dropLast()
    guard digits.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }), let number = Int64(digits) else {
      return nil
    }
    let (product, overflowed) = number.multipliedReportingOverflow(by: seconds)
    return overflowed ? nil : .seconds(product)
  }

  private static let secondsByUnit: [Character: Int64] = [
    "s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800,
  ]

  /// Returns the time of the system's clock, or the time in the environment variable `DAYBOOK_NOW`.
  static func now() throws(ToolError) -> JournalTime {
    guard let value = CurrentProcess.environment("DAYBOOK_NOW"), !value.isEmpty else {
      return JournalTime(clamping: Date())
    }
    do throws(TextError) { return try JournalTime(value) } catch {
      throw ToolError(
        .usage,
        sentence: "DAYBOOK_NOW needs a time like 2015-10-27T12:10:26Z; found '\(value)': "
          + error.sentence)
    }
  }
}
