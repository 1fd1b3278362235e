/// A correction of a mistake in a command line: the wrong text, and the text that the user probably
/// meant.
struct Correction: Hashable {
  /// The kind of the text that is wrong.
  enum Subject: Hashable {
    /// The name of an entity.
    case entity
    /// A name in a list of keys or columns.
    case key
    /// A moment.
    case moment
    /// A name in a filter. The column of its start is counted from 1 in Unicode scalars.
    case filter(column: Int)
  }

  var subject: Subject
  var written: String
  var meant: String
}
