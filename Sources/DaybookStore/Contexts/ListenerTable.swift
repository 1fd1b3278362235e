/// Who listens to a context: those that hear of every boundary, and those that hear of few.
///
/// A change of a record is told to those who have no narrow interest, and to those whose word the record has or
/// had: so it costs what they cost, however many others there are.
struct ListenerTable {
  struct Listener {
    var id: Int
    var interest: NarrowInterest?
    var hear: (ContextEvent) -> Void
    var settle: () -> Void
  }

  private struct Group {
    let read: @Sendable (RawSpan) -> NarrowInterest.Word
    /// How many layouts the entity had: rows of a later one are read by nobody here.
    let layoutCount: Int
    var ids: [UInt64: Set<Int>] = [:]
    var count = 0
  }

  private var listeners: [Int: Listener] = [:]
  /// Those who hear of everything, in order.
  private var wide: [Int] = []
  private var groups: [NarrowInterest.Subject: Group] = [:]
  /// Those with a narrow interest who have heard something since they were last on what is saved.
  private var unsettled: Set<Int> = []
  private var lastID = 0

  var isEmpty: Bool { listeners.isEmpty }

  /// How many words anybody listens to: those of who has gone are forgotten.
  var wordCount: Int { groups.values.reduce(0) { $0 + $1.ids.count } }

  /// Adds a listener, and says under which number.
  mutating func add(
    _ interest: NarrowInterest?, catalog: Catalog, hear: @escaping (ContextEvent) -> Void,
    settle: @escaping () -> Void
  ) -> Int {
    lastID += 1
    listeners[lastID] = Listener(id: lastID, interest: interest, hear: hear, settle: settle)
    guard let interest else {
      wide.append(lastID)
      return lastID
    }
    // It may show what is not saved already.
    unsettled.insert(lastID)
    let subject = interest.subject
    let layoutCount = catalog.history[subject.entity].count
    groups[subject, default: Group(read: interest.read, layoutCount: layoutCount)]
      .ids[interest.word, default: []].insert(lastID)
    groups[subject]?.count += 1
    return lastID
  }

  mutating func remove(_ id: Int) {
    guard let listener = listeners.removeValue(forKey: id) else { return }
    unsettled.remove(id)
    guard let interest = listener.interest else { return wide.removeAll { $0 == id } }
    groups[interest.subject]?.ids[interest.word]?.remove(id)
    if groups[interest.subject]?.ids[interest.word]?.isEmpty == true {
      groups[interest.subject]?.ids[interest.word] = nil
    }
    groups[interest.subject]?.count -= 1
    if groups[interest.subject]?.count == 0 { groups[interest.subject] = nil }
  }

  /// Who is to hear an event, in the order in which they came.
  ///
  /// - Complexity: O(those who hear it, and changes by attributes that matter to anybody)
  mutating func hearing(_ event: ContextEvent) -> [Listener] {
    guard case .transaction(let transaction) = event else {
      return listeners.values.sorted { $0.id < $1.id }
    }
    var found: Set<Int> = []
    for (subject, group) in groups {
      let catalog = transaction.catalog
      guard subject.entity < catalog.history.count,
        catalog.history[subject.entity].count == group.layoutCount
      else {
        // What they go by may be read otherwise from now on.
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
    unsettled.formUnion(found)
    return inOrder(with: found)
  }

  private func word(
    at location: RowLocation, of transaction: StoreTransaction, by group: Group
  ) -> NarrowInterest.Word {
    location == .none ? .none : transaction.memory.withBytes(at: location) { group.read($0) }
  }

  /// Who is to hear that the state below is another: those who hear of everything, and those who have heard
  /// anything since that was told last.
  mutating func settling() -> [Listener] {
    defer { unsettled = [] }
    return inOrder(with: unsettled)
  }

  /// Those who hear of everything, and some of the others.
  private func inOrder(with narrow: Set<Int>) -> [Listener] {
    (narrow.isEmpty ? wide : (wide + narrow).sorted()).compactMap { listeners[$0] }
  }
}
