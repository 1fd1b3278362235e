import DaybookJournal
import DaybookPlatform

/// The result of the comparison of a checkpoint with the state of the journal.
@_spi(Tools) public enum CheckpointVerdict: Hashable, Sendable {
  /// The checkpoint is equal to the state after the transaction.
  case same(SequenceNumber)
  /// An opening would not use the checkpoint. The string contains the reason.
  case useless(String)
  /// The checkpoint differs from the state after its transaction, and an opening would use it. The
  /// string describes the first difference.
  case different(String)
  /// The checkpoint was not compared. The string contains the reason.
  case unknown(String)
}

extension Store {
  /// Compares each checkpoint beside the journal with the state after the same transaction, which
  /// is computed from the journal.
  ///
  /// - Precondition: The store was opened by `Store(reading:)`.
  /// - Returns: The name of each checkpoint file, with the result of its comparison.
  /// - Throws: ``StoreError``, with the reasons of `snapshot(at:)`
  /// - Complexity: O(*n*) in the number of records, for each checkpoint
  @_spi(Tools) public func inspectedCheckpoints() throws(StoreError) -> [(
    fileName: String, verdict: CheckpointVerdict
  )] {
    guard case .reading(let journal) = log else {
      Misuse.stop(
        """
        only a store that reads its journal can inspect checkpoints; \(path) does not. Open it with \
        Store(reading:).
        """)
    }
    guard let files = filesBeside else { return [] }
    var found: [(fileName: String, verdict: CheckpointVerdict)] = []
    for name in DerivedFiles.checkpointNames {
      let opened: Result<CheckpointFile.Opened, CheckpointDefect>
      do throws(DiskError) {
        guard let (file, byteCount) = try files.open(name) else { continue }
        opened = try CheckpointFile.opened(file, byteCount: byteCount, of: journal.header) {
          start in
          (try? start.fits(journal.file, of: journal.header)) == true
        }
      } catch {
        let reason = StoreError(.journal(JournalError(error, path: path)), path: path)
        found.append((name, .unknown("\(reason)")))
        continue
      }
      switch opened {
      case .failure(let defect): found.append((name, .useless(defect.description)))
      case .success(let opened): found.append((name, try verdict(on: opened)))
      }
    }
    return found
  }

  private func verdict(on opened: CheckpointFile.Opened) throws(StoreError) -> CheckpointVerdict {
    let checkpoint = opened.checkpoint
    let sequence = checkpoint.moment.sequence
    let then = try snapshot(at: sequence).frozen
    guard then.memory.file.count > 0 else {
      return .unknown("the rows of this journal are not mapped into memory.")
    }
    let (state, other) = (checkpoint.state, then.state)
    guard opened.isSound else { return .different("its pages are damaged.") }
    // The earlier state is computed by undoing later transactions, which does not decrease the next
    // creation number.
    let hasNumbers =
      sequence == snapshot.sequence
      ? state.nextCreation == other.nextCreation : state.nextCreation <= other.nextCreation
    guard hasNumbers, state.time == other.time, checkpoint.base == base else {
      return .different("its numbers or times differ from those of the journal.")
    }
    guard checkpoint.layouts.allSatisfy({ then.catalog.layouts[$0.number] == $0 }),
      state.tables.count <= other.tables.count,
      other.tables[state.tables.count...].allSatisfy({ $0.count == 0 })
    else { return .different("its entities differ from those of the journal.") }
    let reader = StateReader(
      state, catalog: then.catalog, memory: then.memory, space: opened.space)
    for (entity, table) in state.tables.enumerated() {
      let name = then.catalog.names[entity]
      guard table.count == other.tables[entity].count else {
        return .different(
          "it has \(table.count) records of \(name), but the journal has \(other.tables[entity].count)."
        )
      }
      var misplaced: RecordIdentifier?
      other.tables[entity].forEach(in: then.space) { slot, location, creation in
        let id = then.reader.identifier(ofSlot: slot, in: entity)
        let key = IdentifierBytes(id)
        let known = reader.slot(of: key, in: entity).map { reader.row(inSlot: $0, of: entity) }
        if !table.isWithinBound(key) || known?.location != location || known?.creation != creation {
          misplaced = misplaced ?? id
        }
      }
      if let misplaced {
        return .different("the row of \(name) \(misplaced) differs from that in the journal.")
      }
    }
    guard reader.words(in: \.references) == then.reader.words(in: \.references),
      reader.words(in: \.unique) == then.reader.words(in: \.unique)
    else { return .different("its references or unique values differ from those of the journal.") }
    return .same(sequence)
  }
}

extension CheckpointFile.Opened {
  /// A Boolean value that indicates whether every page structure of the checkpoint is well-formed,
  /// so that it can be traversed.
  fileprivate var isSound: Bool {
    var check = PageCheck(space, pageCount: pageCount)
    let state = checkpoint.state
    return state.tables.allSatisfy { $0.isSound(&check) }
      && check.isSound(state.references.tree) && check.isSound(state.unique.tree)
  }
}

extension StateReader {
  /// Returns the entries of an index, sorted. Each has the creation number of its record instead of
  /// the slot, because two equal states can have different slots.
  ///
  /// - Returns: Nil if a slot does not exist.
  fileprivate func words(in index: KeyPath<StoreState, RowIndex>) -> [IndexedWord]? {
    var words: [IndexedWord] = []
    var isComplete = true
    state[keyPath: index].tree.forEach(in: space) { pair in
      let (word, entity, slot) = RowIndex.parts(of: pair)
      guard entity < state.tables.count, Int(slot) < state.tables[entity].slotCount else {
        isComplete = false
        return
      }
      words.append(
        IndexedWord(
          word: word, entity: entity, creation: row(inSlot: slot, of: entity).creation))
    }
    return isComplete ? words.sorted() : nil
  }
}

/// An entry of an index, without the slot.
private struct IndexedWord: Comparable {
  var word: UInt64
  var entity: Int
  var creation: UInt64

  static func < (one: IndexedWord, other: IndexedWord) -> Bool {
    (one.word, one.entity, one.creation) < (other.word, other.entity, other.creation)
  }
}
