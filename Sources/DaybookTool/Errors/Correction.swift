/// A correction of one part of a command line.
struct Correction: Hashable {
  /// The kind of the part.
  enum Place: Hashable {
    /// A word that is the name of an entity.
    case entity
    /// One of the names in a list of keys or columns.
    case key
    /// A word that is a moment.
    case moment
    /// A position in a filter, counted from 1 in Unicode scalars.
    case filter(column: Int)
  }

  var place: Place
  var written: String
  var meant: String
}
