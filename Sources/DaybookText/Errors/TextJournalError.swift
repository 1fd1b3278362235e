import DaybookJournal
import DaybookStore

/// The error of an import or an export of a text journal.
///
/// An import that throws has imported nothing. ``reason`` is for programs to switch on; ``description`` is for
/// people: the file, the line, the column and a sentence.
public struct TextJournalError: Error, Hashable, Sendable {
  /// The reasons of errors, for programs to switch on.
  @nonexhaustive
  public enum Reason: Hashable, Sendable {
    /// A line is not JSON, or other JSON than belongs there.
    case json
    /// A line is longer than a line may be.
    case lineTooLong
    /// The header says a version that this build does not know.
    case version
    /// A key that there is not.
    case unknownKey
    /// A key is missing that must be there.
    case missingKey
    /// A type, a kind of identifier or a delete rule that there is not.
    case unknownType
    /// A reference to an entity that the header does not name.
    case unknownEntity
    /// An attribute that the header does not name.
    case unknownAttribute
    /// An attribute that cannot be called so.
    case attributeName
    /// An inverse, a delete rule or a demand for unique values that does not fit.
    case relationship
    /// What a base says of itself does not fit what follows.
    case base
    /// A transaction is not the one that comes next.
    case sequence
    /// A time cannot be read, or lies outside what there is.
    case time
    /// An operation that there is not.
    case unknownOperation
    /// A value is not one of its type.
    case value
    /// An identifier is not one of its kind.
    case identifier
    /// Values of an attribute that no header names are of types that do not go together.
    case mixedTypes
    /// A record is inserted that is there.
    case alreadyThere
    /// A record is updated or deleted that is not there.
    case notThere
    /// A record is left without a value that it must have.
    case required
    /// A creation number that cannot be given.
    case creation
    /// More entities, a larger schema or a larger transaction than a journal can hold.
    case tooLarge
    /// The text is another one than when it was checked.
    case changed
    /// The journal could not be read or made.
    case journal(JournalError)
    /// What a transaction of the journal says cannot be.
    case payload(StoreError)
    /// The text could not be read or written.
    case disk(DiskError)
  }

  /// The reason, for programs to switch on.
  public let reason: Reason
  /// The text, as the caller named it.
  public let path: String
  /// The line, from 1; 0 if the error is not at a line.
  public let line: Int
  /// The column in the line, from 1, in Unicode scalars.
  public let column: Int
  /// The expected and the found text, without the place.
  public let sentence: String

  init(_ reason: Reason, path: String, line: Int, column: Int, sentence: String) {
    self.reason = reason
    self.path = path
    self.line = line
    self.column = column
    self.sentence = sentence
  }

  init(_ error: JournalError, path: String) {
    self.init(.journal(error), path: path, line: 0, column: 0, sentence: "\(error)")
  }

  init(_ error: StoreError, path: String) {
    self.init(.payload(error), path: path, line: 0, column: 0, sentence: "\(error)")
  }

  init(_ error: DiskError, path: String) {
    self.init(
      .disk(error), path: path, line: 0, column: 0,
      sentence: "\(error.operation.rawValue): \(error.reasonPhrase).")
  }
}

extension TextJournalError: CustomStringConvertible {
  /// `food.jsonl:3:17: Food f1 is there already.`
  public var description: String {
    switch reason {
    case .journal, .payload: sentence
    case .disk: "\(path): \(sentence)"
    default: "\(path):\(line):\(column): \(sentence)"
    }
  }
}

/// A place in a text, for a sentence that names two.
struct TextPlace: Hashable, Sendable, CustomStringConvertible {
  var line: Int
  var column: Int

  var description: String { "line \(line), column \(column)" }
}
