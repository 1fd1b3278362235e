/// What somebody meant by a part of a command.
struct Correction: Hashable {
  /// Where the part stands.
  enum Place: Hashable {
    /// A word that names an entity.
    case entity
    /// One of the names in keys and columns.
    case key
    /// A word that is a moment.
    case moment
    /// A place of a filter: from 1, in Unicode scalars.
    case filter(column: Int)
  }

  var place: Place
  var written: String
  var meant: String
}
