/// The observers of a context. A *wide* observer is notified of every boundary. A *narrow* observer
/// is notified only of changes of records that have, or had, one value of one attribute. An example
/// is a list of the tasks of one project.
///
/// A narrow observer declares its attribute and the *word* of the value: the value reduced to 64
/// bits; see ``NarrowInterest``. The table finds the narrow observers of a change by the words in
/// the record's old and new row. The cost depends on the number of observers that are notified, and
/// not on the number of all observers.
struct ObserverTable {
  /// A registered observer.
  struct Observer {
    var id: Int
    var interest: NarrowInterest?
    var onChange: (ContextEvent) -> Void
    var onNewBase: () -> Void
  }

  /// The narrow observers with an interest in the same attribute.
  private struct Group {
    /// A closure that reads the word of the attribute from a row.
    let read: @Sendable (RawSpan) -> NarrowInterest.Word
    /// The number of layouts that the entity had when the group was created. The interests of the
    /// group cannot read rows of later layouts.
    let layoutCount: Int
    /// The observers by the word of their value.
    var ids: [UInt64: Set<Int>] = [:]
    var count = 0
  }

  /// All observers, by the numbers that they got at their registration.
  private var observers: [Int: Observer] = [:]
  /// The wide observers, in the order of their registration.
  private var wide: [Int] = []
  /// The narrow observers, by attribute.
  private var groups: [NarrowInterest.Subject: Group] = [:]
  /// The narrow observers that were notified of a boundary after the last notification of a new
  /// base state. Only these can show unsaved records, so only these need the next notification.
  private var unnotified: Set<Int> = []
  private var lastID = 0

  var isEmpty: Bool { observers.isEmpty }

  /// The number of words that have at least one observer.
  var wordCount: Int { groups.values.reduce(0) { $0 + $1.ids.count } }

  /// Adds an observer, and returns its number.
  mutating func add(
    _ interest: NarrowInterest?, catalog: Catalog, onChange: @escaping (ContextEvent) -> Void,
    onNewBase: @escaping () -> Void
  ) -> Int {
    lastID += 1
    observers[lastID] = Observer(
      id: lastID, interest: interest, onChange: onChange, onNewBase: onNewBase)
    guard let interest else {
      wide.append(lastID)
      return lastID
    }
    // The observer may show unsaved records from the start, so it needs the next notification of a
    // new base.
    unnotified.insert(lastID)
    let subject = interest.subject
    let layoutCount = catalog.history[subject.entity].count
    groups[subject, default: Group(read: interest.read, layoutCount: layoutCount)]
      .ids[interest.word, default: []].insert(lastID)
    groups[subject]?.count += 1
    return lastID
  }

  mutating func remove(_ id: Int) {
    guard let observer = observers.removeValue(forKey: id) else { return }
    unnotified.remove(id)
    guard let interest = observer.interest else { return wide.removeAll { $0 == id } }
    groups[interest.subject]?.ids[interest.word]?.remove(id)
    if groups[interest.subject]?.ids[interest.word]?.isEmpty == true {
      groups[interest.subject]?.ids[interest.word] = nil
    }
    groups[interest.subject]?.count -= 1
    if groups[interest.subject]?.count == 0 { groups[interest.subject] = nil }
  }

  /// Returns the observers to notify of an event, in the order of their registration.
  ///
  /// - Complexity: O(*o* + *c* × *a*) in the returned observers, the changes, and the attributes
  ///   with narrow observers
  mutating func observers(of event: ContextEvent) -> [Observer] {
    guard case .transaction(let transaction) = event else {
      return observers.values.sorted { $0.id < $1.id }
    }
    var found: Set<Int> = []
    for (subject, group) in groups {
      let catalog = transaction.catalog
      guard subject.entity < catalog.history.count,
        catalog.history[subject.entity].count == group.layoutCount
      else {
        // In the new layout the attribute may have a different field, so the group cannot read its
        // word. All observers of the group are notified.
        for ids in group.ids.values { found.formUnion(ids) }
        continue
      }
      for change in transaction.rowChanges where change.entity == subject.entity {
        let words = (
          word(at: change.old, of: transaction, by: group),
          word(at: change.new, of: transaction, by: group)
        )
        for word in words.0 == words.1 ? [words.0] : [words.0, words.1] {
          switch word {
          case .none: break
          case .word(let word): found.formUnion(group.ids[word] ?? [])
          case .unknown: for ids in group.ids.values { found.formUnion(ids) }
          }
        }
      }
    }
    unnotified.formUnion(found)
    return inOrder(with: found)
  }

  private func word(
    at location: RowLocation, of transaction: StoreTransaction, by group: Group
  ) -> NarrowInterest.Word {
    location == .none ? .none : transaction.memory.withBytes(at: location) { group.read($0) }
  }

  /// Returns the observers to notify of a new base state: all wide observers, and the narrow
  /// observers that may show unsaved records.
  mutating func observersOfBase() -> [Observer] {
    defer { unnotified = [] }
    return inOrder(with: unnotified)
  }

  /// Returns all wide observers and some narrow ones, in the order of their registration.
  private func inOrder(with narrow: Set<Int>) -> [Observer] {
    (narrow.isEmpty ? wide : (wide + narrow).sorted()).compactMap { observers[$0] }
  }
}
