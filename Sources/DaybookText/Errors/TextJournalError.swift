import DaybookJournal
import DaybookStore

/// The error of an import or an export of a text journal.
///
/// An import that throws has imported nothing. Programs switch on ``reason``. ``description`` is
/// for people: it contains the file, the line, the column and a sentence.
public struct TextJournalError: Error, Hashable, Sendable {
  /// The reasons for an error. Programs can switch on them.
  @nonexhaustive
  public enum Reason: Hashable, Sendable {
    /// A line is not JSON, or a JSON value has an unexpected kind, for example a number and not a
    /// string.
    case json
    /// The text is compressed, and its bytes are damaged.
    case compressed
    /// A table is not valid CSV, or not a JSON array of objects.
    case table
    /// A line is longer than the limit.
    case lineTooLong
    /// The header has a version that this build cannot read.
    case version
    /// A key does not exist in this kind of object.
    case unknownKey
    /// A required key is missing.
    case missingKey
    /// A type, a kind of identifier or a delete rule does not exist.
    case unknownType
    /// A reference has a target entity that the header does not declare.
    case unknownEntity
    /// The header does not declare the attribute.
    case unknownAttribute
    /// The name is not allowed for an attribute.
    case attributeName
    /// An inverse, a delete rule, a check or a unique list is not valid for its attributes.
    case relationship
    /// The declaration of a base is invalid, or no line after the header contains the state of the
    /// base.
    case base
    /// The number of a transaction is not the next one.
    case sequence
    /// A time is malformed or out of range.
    case time
    /// The operation of a change does not exist.
    case unknownOperation
    /// A value does not have the type of its attribute.
    case value
    /// An identifier does not have the kind of its entity.
    case identifier
    /// The values of an attribute without a declared type have types that cannot be combined.
    case mixedTypes
    /// An insert has the identifier of a record that exists.
    case alreadyExists
    /// An updated or deleted record does not exist.
    case notFound
    /// After the changes of a line, a record has no value for a required attribute.
    case required
    /// A creation number is out of range, or is in use.
    case creation
    /// A transaction, the schema or the number of entities exceeds a limit of journals.
    case tooLarge
    /// The text has changed between the two passes of the import.
    case changed
    /// The store refused the changes of an appended line, or could not save them.
    case refused(StoreError)
    /// The journal could not be read or created.
    case journal(JournalError)
    /// The payload of a transaction in the journal is invalid.
    case payload(StoreError)
    /// The text could not be read or written.
    case disk(DiskError)
  }

  /// The reason for the error. Programs can switch on it.
  public let reason: Reason
  /// The path of the text, as the caller passed it.
  public let path: String
  /// The number of the line, starting at 1; 0 if the error does not belong to a line.
  public let line: Int
  /// The column in the line, starting at 1, counted in Unicode scalars.
  public let column: Int
  /// A sentence with the expected and the found value, without the position.
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
  /// A description such as `food.jsonl:3:17: Food f1 already exists.`
  public var description: String {
    switch reason {
    case .journal, .payload: sentence
    case .disk: "\(path): \(sentence)"
    default: "\(path):\(line):\(column): \(sentence)"
    }
  }
}

/// A position in a text. A message that refers to a second position contains it.
struct TextPosition: Hashable, Sendable, CustomStringConvertible {
  var line: Int
  var column: Int

  var description: String { "line \(line), column \(column)" }
}
