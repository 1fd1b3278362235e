import DaybookStore

/// The way in which a fetch finds the rows of a request.
///
/// ```swift
/// let request = ListRequest<Issue>(
///   filter: \Issue.project == "Daybook", sortedBy: [.descending(\.created)], limit: 20)
/// print(try store.plan(for: request))
/// // index project, created of Issue: equality on project; 20 of 120 rows, in order
/// ```
///
/// The plan is made for one state of the store. A later fetch makes its own plan.
public struct FetchPlan: Hashable, Sendable {
  /// The access to the rows.
  public enum Access: Hashable, Sendable {
    /// All records of the entity are examined.
    case scan
    /// The identifier leads to the record.
    case identifier
    /// The values of unique attributes lead to the record.
    case unique([String])
    /// The index that a schema declares on these attributes leads to the records.
    case index([String])
    /// The words in these attributes, which a schema declares as searchable, lead to the records.
    /// If there are several attributes, the filter joins searches in them by `OR`.
    case words([String])
  }

  /// The entity of the rows.
  public let entity: String
  /// The access to the rows.
  public let access: Access
  /// The attributes of the index that the filter requires to have one value.
  public let equalities: [String]
  /// The attribute of the index that follows ``equalities``, if the filter requires it to be in a
  /// range; otherwise nil.
  public let range: String?
  /// The number of rows that the access leads to.
  public let rowCount: Int
  /// The offset plus the limit of the request, but at most ``rowCount``; nil for a request without
  /// a limit. Rows that do not match are read in addition.
  public let limit: Int?
  /// A Boolean value that indicates whether the access leads to the rows in the order of the
  /// request. Otherwise the rows that match are sorted.
  public let isInOrder: Bool
  /// A Boolean value that indicates whether the filter may reject rows. It is true for an access by
  /// identifier, unique values or words, even if the access implies the filter.
  public let hasOtherConditions: Bool
  /// The attributes of an index that fits the request but cannot be used for this state. It is nil
  /// if there is no such index, and if the access is not a scan.
  public let unavailableIndex: [String]?
}

extension FetchPlan {
  init<R: FetchableRecord>(_ access: RowAccess, for request: ListRequest<R>) {
    entity = request.entity
    var match: IndexMatch?
    switch access.kind {
    case .scan: self.access = .scan
    case .slots(_, names: ["id"]): self.access = .identifier
    case .slots(_, let names): self.access = .unique(names)
    case .words(_, let names): self.access = .words(names)
    case .index(_, let found, _, _):
      self.access = .index(found.names)
      match = found
    }
    equalities = match.map { Array($0.names[..<$0.equalCount]) } ?? []
    range = match?.rangeName
    rowCount = access.rowCount
    limit = request.limit.map { _ in request.window.range(of: access.rowCount).upperBound }
    isInOrder = match.map { $0.order != .other } ?? (access.rowCount < 2)
    hasOtherConditions = match?.hasOtherConditions ?? (request.filter != nil)
    unavailableIndex = access.unavailableIndex
  }
}

extension FetchPlan: CustomStringConvertible {
  /// The plan in one line: `scan of 1000 records of Issue, sorted`.
  public var description: String {
    guard case .scan = access else { return indexLine }
    let records = rowCount == 1 ? "1 record" : "\(rowCount) records"
    var line = "scan of \(records) of \(entity)"
    if hasOtherConditions { line += ", filtered" }
    line += limit.map { ", the first \($0) selected" } ?? ", sorted"
    if let names = unavailableIndex {
      line += "; the index \(names.joined(separator: ", ")) does not contain this moment"
    }
    return line
  }

  private var indexLine: String {
    var line =
      switch access {
      case .scan: ""
      case .identifier: "identifier of \(entity)"
      case .unique(let names): "unique \(names.joined(separator: ", ")) of \(entity)"
      case .index(let names): "index \(names.joined(separator: ", ")) of \(entity)"
      case .words(let names): "words in \(names.joined(separator: ", ")) of \(entity)"
      }
    var uses: [String] = []
    if !equalities.isEmpty { uses.append("equality on \(equalities.joined(separator: ", "))") }
    if let range { uses.append("range on \(range)") }
    if !uses.isEmpty { line += ": " + uses.joined(separator: ", ") }
    let rows = rowCount == 1 ? "1 row" : "\(rowCount) rows"
    if let limit, isInOrder, limit < rowCount {
      line += "; \(limit) of \(rows)"
    } else {
      line += "; \(rows)"
    }
    if rowCount > 1 { line += isInOrder ? ", in order" : ", sorted" }
    if hasOtherConditions, case .index = access { line += ", other conditions checked" }
    return line
  }
}
