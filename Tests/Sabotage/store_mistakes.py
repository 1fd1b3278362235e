"""The mistakes in the store: a name, and for each file the text that is there and the text that takes its place."""

MISTAKES = [
    ("places that are gathered are not checked", [
        ("PageArray+Gathering.swift", "    if let greatest = indexes.max() { check(Int(greatest)) }\n", ""),
    ]),
    ("what is saved is shown before it is durable", [
        ("StoreCore.swift", "    guard let first = onTheWay.first else { return accepted() }\n",
         "    guard let first = onTheWay.first, false else { return accepted() }\n"),
    ]),
    ("what is behind a durable transaction shown with it", [
        ("StoreCore.swift", "    var count = onTheWay.prefix { $0.sequence <= sequence }.count\n",
         "    var count = onTheWay.count\n"),
    ]),
    ("a transaction left for later is not folded before the next", [
        ("GuardedCore.swift", "      core.foldNumbered()\n      defer { note(&core) }\n",
         "      defer { note(&core) }\n"),
    ]),
    ("readers are shown less than what was synced, as others are on their way behind it", [
        ("StoreCore.swift",
         "    memory.settle(through: last.sequence.rawValue, file: readsFile ? file(last.end) : nil)\n"
         "    stateChanged()\n    isShownNew = true\n",
         "    memory.settle(through: last.sequence.rawValue, file: readsFile ? file(last.end) : nil)\n"
         "    stateChanged()\n"),
    ]),
    ("readers are shown the schema of before", [
        ("StoreCore.swift", "    unwrittenLayouts.append(layout)\n    stateChanged()\n",
         "    unwrittenLayouts.append(layout)\n    frozen = nil\n"),
    ]),
    ("what may not be saved is forgotten", [
        ("EditingContext+Saving.swift",
         "      swap(&taken.changes, &unsaved)\n      throw StoreError(.validation(problems), path: store.path)\n",
         "      throw StoreError(.validation(problems), path: store.path)\n"),
    ]),
    ("index entries of a transaction taken back stay", [
        ("StoreState+Folding.swift",
         "    var words = IndexWords()\n"
         "    reindex(change.entity, slot, from: change.new, to: change.old, &words, memory, catalog, space)\n",
         "    _ = slot\n"),
    ]),
    ("a transaction taken back without those behind it", [
        ("StoreCore.swift", "    while let last = onTheWay.last, last.ticket >= ticket {\n",
         "    for last in onTheWay.suffix(1) {\n"),
    ]),
    ("the layouts of a transaction taken back never told of", [
        ("StoreCore.swift", "      unwrittenLayouts = last.newLayouts + unwrittenLayouts\n", ""),
    ]),
    ("the time of a transaction taken back stays", [
        ("StoreCore.swift", "      state.head = last.headBefore\n",
         "      let time = state.time\n      state.head = last.headBefore\n      state.time = time\n"),
    ]),
    ("the creation numbers of a transaction taken back stay taken", [
        ("StoreCore.swift", "      state.head = last.headBefore\n",
         "      let next = state.nextCreation\n      state.head = last.headBefore\n"
         "      state.nextCreation = next\n"),
    ]),
    ("the place of a transaction taken back stays noted", [
        ("RowMemory.swift", "    locator.cut(from: sequence)\n", "    _ = locator.base(at: .none)\n"),
    ]),
    ("an idempotency key that is not taken back", [
        ("StoreCore.swift", "      if let key = last.key { keys.takeBack(key) }\n", ""),
    ]),
    ("what is offered by the last work not done at the end", [
        ("DerivedWork.swift", "    finishOffered(isLast: false)\n", ""),
    ]),
    ("a full leaf of a tree that asks no neighbour", [
        ("PageTree+Editing.swift", "    guard leaf.isFull else { return false }\n",
         "    guard leaf.isFull, leaf.level > 0 else { return false }\n"),
    ]),
    ("a pair put into the wrong one of three leaves", [
        ("PageTree+Editing.swift", "pair < key ? one : pair < other.key(0) ? middle : other",
         "pair < key ? one : middle"),
    ]),
    ("a neighbour that gave room found by its old key", [
        ("PageTree+Editing.swift", "      even(one, other)\n      node.setKey(left + 1, other.key(0))\n",
         "      even(one, other)\n"),
    ]),
    ("an idempotency key remembered only until it is in the journal", [
        ("IdempotencyKeys.swift", "    onTheWay[key] = nil\n    note(sequence, with: key)\n",
         "    onTheWay[key] = nil\n"),
    ]),
    ("the mark of an idempotency key taken for the key", [
        ("StoreCore+IdempotencyKeys.swift", "if let heading, heading.metadata.idempotencyKey == key {", "if let heading {"),
    ]),
    ("an idempotency key looked for in a damaged transaction, and not found", [
        ("StoreCore+IdempotencyKeys.swift", "      let heading = accepted().heading(of: sequence.rawValue)\n"
         "      try accepted().checkWhole(path)\n",
         "      let heading = accepted().heading(of: sequence.rawValue)\n"),
    ]),
    ("the oldest idempotency key never forgotten by the table", [
        ("MarkedTransactions.swift", "      forget(at: place)\n", ""),
    ]),
    ("a hole in the table of idempotency keys", [
        ("MarkedTransactions.swift",
         "      if distance(from: first, to: index) >= distance(from: hole, to: index) {\n",
         "      if distance(from: first, to: index) > distance(from: hole, to: index) {\n"),
    ]),
    ("idempotency keys of a checkpoint that nobody has asked for left out of the next", [
        ("IdempotencyKeys.swift", "    if let unread { return unread }\n", ""),
    ]),
    ("idempotency keys forgotten when a store is opened", [
        ("StoreCore.swift", "    if !isBase { noteKey(of: payload) }\n", ""),
    ]),
    ("layouts not repeated", [
        ("StoreCore.swift", "byteCountSinceLayouts >= StoreCore.layoutInterval || state.sequence == .zero",
         "state.sequence == .zero"),
    ]),
    ("the time of a transaction left out of the state", [
        ("StoreCore.swift",
         "    precondition(misfit == nil, \"a transaction of our own does not fit: \\(misfit as Any)\")\n"
         "    state.sequence = transaction.sequence\n    state.time = transaction.time\n",
         "    precondition(misfit == nil, \"a transaction of our own does not fit: \\(misfit as Any)\")\n"
         "    state.sequence = transaction.sequence\n"),
    ]),
    ("another file in the journal's place not told to contexts", [
        ("StoreCore.swift", "    empty.state.generation = state.generation + 1\n", ""),
    ]),
    ("a follower shows parts of a base", [
        ("Store+Following.swift", "        core.withLock { replacement = $0.emptyReplacement() }\n",
         "        core.withLock { $0 = $0.emptyReplacement() }\n"),
        ("Store+Following.swift",
         "          guard let whole = replacement.take() else {\n"
         "            preconditionFailure(\"\\(path): a replacement ends that has not begun\")\n"
         "          }\n          core = whole.replacing(core)\n",
         "          _ = core.state\n"),
    ]),
    ("uniqueness held against what readers are shown", [
        ("Store+Saving.swift", "        case nil: proposal.refusal(on: core)\n",
         "        case nil: proposal.refusal(on: core.shown())\n"),
    ]),
    ("a conflict with what may be taken back answered at once", [
        ("Store+Saving.swift",
         "      if let others { return .nothing(.behind(.settlement(ticket: others))) }\n"
         "      throw StoreError(.conflict(conflicts), path: path)\n",
         "      throw StoreError(.conflict(conflicts), path: path)\n"),
    ]),
    ("a save answered by the key of another that may be taken back", [
        ("Store+Saving.swift", "case .onTheWay(let ticket): return .nothing(.behind(.settlement(ticket: ticket)))",
         "case .onTheWay: return .nothing(.done(nil))"),
    ]),
    ("a save answered by another of the same that may be taken back", [
        ("Store+Saving.swift", "      guard let last = core.lastOnTheWay else { return .nothing(.done(nil)) }\n",
         "      guard let last = others else { return .nothing(.done(nil)) }\n"),
    ]),
    ("a repetition of layouts that is taken back counted as one", [
        ("StoreCore.swift", "      byteCountSinceLayouts = last.byteCountSinceLayouts\n", ""),
    ]),
    ("snapshot(at: time) off by one", [
        ("FrozenState+Transactions.swift", "then <= time {", "then < time {"),
    ]),
    ("a conflict check that forgets the deletions of others", [
        ("Proposal+Merging.swift",
         "      case .update where location == .none:\n        guard wins(change, .deleted, state) else { return }\n",
         "      case .update where location == .none:\n"),
    ]),
    ("a deletion that does not look at what others have changed", [
        ("Proposal+Merging.swift", "guard differing.isEmpty || wins(change, .deleted, state) else", "guard differing.isEmpty || true else"),
    ]),
    ("a record kept against its deletion loses its creation number", [
        ("Proposal+Merging.swift",
         "        change.creation = state.memory.withBytes(at: change.base) { Layout.creation(of: $0) }\n", ""),
    ]),
    ("a record renewed for a newer layout loses its creation number", [
        ("RecordTypes.swift", "    buffer.put(Layout.creation(of: row), at: Layout.creationOffset)\n", ""),
    ]),
    ("an update's mask that names too few attributes", [
        ("Proposal+Payload.swift", "creation: creation, after: place, changed: change.changed)",
         "creation: creation, after: place, changed: AttributeSet(count: layout.places.count))"),
    ]),
    ("a large value written again with every change", [
        ("Proposal+Payload.swift", "      return known\n", "      _ = known\n"),
    ]),
    ("a base that moves with a merge", [
        ("EditingContext+Merging.swift", "    return view.change(key, to: target)\n",
         "    if var entry = unsaved[key] {\n      entry.base = view.location(key)\n      unsaved.set(key, to: entry)\n    }\n    return view.change(key, to: target)\n"),
    ]),
    ("a merge while a save of the context is under way", [
        ("EditingContext+Merging.swift", "    guard saving == nil else { return }\n", ""),
    ]),
    ("only the last of several changes noted as unsaved", [
        ("UnsavedChanges.swift", "    case .update(let some): changed.formUnion(some)\n",
         "    case .update(let some): changed = some\n"),
    ]),
    ("what a listener changes forgotten with the boundary it hears", [
        ("EditingContext.swift",
         "    pending.removeAll()\n    guard !changes.isEmpty else { return }\n    apply(changes, .changes)\n",
         "    defer { pending.removeAll() }\n    guard !changes.isEmpty else { return }\n    apply(changes, .changes)\n"),
    ]),
    ("a boundary told twice: what is saved is heard again", [
        ("EditingContext+Merging.swift", "    case .none: return nil\n    case .insert: kind = .insert\n",
         "    case .none: kind = .update\n    case .insert: kind = .insert\n"),
    ]),
    ("what a failed save had taken is lost", [
        ("EditingContext+Saving.swift", "    unsaved = all\n", ""),
    ]),
    ("what was changed during a failed save is lost", [
        ("EditingContext+Saving.swift", "        earlier.changed.formUnion(entry.changed)\n", ""),
    ]),
    ("what was changed during a save conflicts with it", [
        ("EditingContext+Saving.swift",
         "      changeFrom(receipt.sequence, keys, in: shown)\n", "      _ = receipt\n"),
    ]),
    ("a save that turned out to be in the journal saved again", [
        ("EditingContext+Saving.swift", "    processPendingChanges()\n    settleUncertain()\n",
         "    processPendingChanges()\n"),
    ]),
    ("rollback without the inverse told", [
        ("EditingContext+Saving.swift", "    rebase(onto: view.base, .rollback, also: keys)\n",
         "    view = ContextView(view.base)\n"),
    ]),
    ("an undo that takes back what others have changed", [
        ("EditingContext+Undoing.swift",
         "      if layout.isEqual(place, in: current.span.bytes, new.span.bytes) {\n",
         "      if layout.isEqual(place, in: current.span.bytes, new.span.bytes) || true {\n"),
    ]),
    ("an undo that passes over conflicts does again what it has not undone", [
        ("EditingContext+Undoing.swift", "old: foreign.isEmpty ? old : row(new), new: new)", "old: old, new: new)"),
    ]),
    ("undo said to be possible where it is in conflict", [
        ("EditingContext+Undoing.swift", "    return inverse(of: steps).conflicts.isEmpty\n", "    return !steps.isEmpty\n"),
    ]),
    ("a context made in an actor's initializer stays outside the actor", [
        ("ContextIsolation.swift", "    actor = caller\n    return true\n", "    _ = caller\n    return false\n"),
    ]),
    ("a delete rule applied to the wrong side", [
        ("EditingContext+Rules.swift", "      switch record.values[attribute] {\n",
         "      if definition.deleteRule == .cascade {\n        pending.set(key, to: nil)\n        continue\n      }\n"
         "      switch record.values[attribute] {\n"),
    ]),
    ("what a changed record lacks not looked at", [
        ("EditingContext+Saving.swift", "      if !found.isEmpty { problems += found }\n",
         "      if row == nil || entry.base == .none { problems += found }\n"),
    ]),
    ("a stored value whose check is not looked at", [
        ("StoreState+Folding.swift",
         "\n        && XXH64.check(bytes.extracting(range), seed: 0) == value.check\n", "\n"),
    ]),
    ("a stored value of a transaction yet to come", [
        ("StoreState+Folding.swift",
         "        guard value.sequence <= sequence.rawValue || PayloadLocator.isBase(value.sequence) else {\n"
         "          return false\n        }\n", ""),
    ]),
    ("unique lists of a newer layout not built", [
        ("StoreState+Indexes.swift", "      reindexUnique(known, before, catalog, memory, space)\n",
         "      _ = (known, before)\n"),
    ]),
    ("a deleted slot that keeps its identifier in the map", [
        ("EntityTable.swift", "    _ = slots.remove(slot, hash: key.hash, in: space)\n", ""),
    ]),
    ("a renamed attribute's history ignored", [
        ("LayoutMapping.swift", " in zip(history, history.dropFirst()) where", " in zip(history, history.dropFirst()).suffix(1) where"),
    ]),
    ("an attribute renamed to a name that is in use", [
        ("AttributeRenames.swift", "isInUse($0) && !sources.contains($0)", "isInUse($0) && sources.isEmpty"),
    ]),
    ("an update that erases the attributes that its type does not name", [
        ("EditingContext+Changing.swift", "codec.row(record, keepingOthersOf: row)", "codec.row(record)"),
    ]),
    ("a unique list dropped that no type names", [
        ("SchemaMerge.swift", "    definition.unique += kept\n", "    _ = kept\n"),
    ]),
    ("a default of the journal replaced by that of a newer init()", [
        ("SchemaMerge.swift", "      declared.defaultValue = known.defaultValue\n", ""),
    ]),
    ("a text in another spelling taken for a change", [
        ("Layout+Comparing.swift", "return RowText.areEqual(bytes, otherBytes)", "return false"),
    ]),
    ("a page written in place although a pin holds it", [
        ("PageSpace+Editing.swift", "      guard lists.sees(birth) else { return nil }\n",
         "      guard lists.sees(birth), birth == .max else { return nil }\n"),
    ]),
    ("a slip written in place although a pin holds it", [
        ("PageSpace+Slips.swift", "    if own.birth(leaf.pageOfSlip) == writer.pointee.epoch {\n",
         "    if own.birth(leaf.pageOfSlip) <= writer.pointee.epoch {\n"),
    ]),
    ("a slip begun on a page that a pin holds", [
        ("PageSpace+Slips.swift", "if isFull || own.birth(writer.pointee.slipPage) != epoch {",
         "if isFull || own.birth(writer.pointee.slipPage) == 0 {"),
    ]),
    ("a page copied without what its slip says", [
        ("PageSpace+Slips.swift", "    slip.put(over: editableBytes(of: copy))\n", ""),
    ]),
    ("a page given up of which slips are in use", [
        ("PageSpace+Slips.swift", "    guard inUse == number.bitOfSlip else { return }\n", ""),
    ]),
    ("a slip forgotten that another takes the place of", [
        ("PageSpace+Slips.swift", "    next.begin(like: slip)\n    next.set(place, to: element)\n    removeSlip(leaf)\n",
         "    next.begin(like: slip)\n    next.set(place, to: element)\n"),
    ]),
    ("a dead page used again although an older pin sees it", [
        ("PageLists.swift", "        if directory.birth(index) <= epoch {\n",
         "        if directory.birth(index) < epoch {\n"),
    ]),
    ("a change that follows where its record stood before a compaction", [
        ("RewrittenJournal.swift", "after: frozen.memory.place(of: previous[index]),\n          changed",
         "after: ChangePlace(sequence: 1, payloadOffset: 40),\n          changed"),
    ]),
    ("an erased record that is no more stays in the base", [
        ("RewrittenJournal.swift", "erasure.rest != .base,", "erasure.rest != .base, erasure.rest != .nowhere,"),
    ]),
    ("a compaction that gives new creation numbers", [
        ("RewrittenJournal.swift", "      let creation = Layout.creation(of: change.row.span.bytes)\n      switch",
         "      let creation = frozen.state.nextCreation + UInt64(index)\n      switch"),
    ]),
    ("large values stored again by a compaction", [
        ("Proposal+Payload.swift", "    if previous != .none, let known", "    if previous == .none, let known"),
    ]),
    ("what crashes left behind survives an erasure", [
        ("Compaction.swift", "    if isErasure { try journal.derivedFiles.removeTorn() }\n", ""),
    ]),
    ("a checkpoint of another journal is believed", [
        ("CheckpointFile.swift",
         "        head.moment.identity == header.identity, head.moment.salt == header.salt\n",
         "        head.moment.salt != 0\n"),
        ("JournalStart.swift", "frame.misfit == nil && frame.check == end.chain.check", "frame.misfit == nil"),
        ("JournalStart.swift", " && frame.header.time == end.chain.time", ""),
    ]),
    ("the pages of a checkpoint are not checked", [
        ("CheckpointFile.swift", "      try hasPages(head, file, checks)\n", "      checks.count >= 0\n"),
    ]),
    ("a checkpoint is written over the newer one", [
        ("CheckpointFile.swift", "} ?? heads.last?.index ?? 0", "} ?? heads.first?.index ?? 0"),
        ("CheckpointKeeper.swift", "      olderName = 1 - name\n", ""),
    ]),
    ("a page edited where a checkpoint has it is not copied", [
        ("PageSpace+Editing.swift", "isFork : index < own.mappedPageCount", "isFork : false"),
    ]),
    ("what was not looked at when a store was opened is handed out unseen", [
        ("RowMemory.swift", "    return checks.isWhole(at: location.rawValue)\n", "    return true\n"),
    ]),
    ("the base is folded again behind a checkpoint", [
        ("Replay.swift", "header.sequence >= first : first == 1", "header.sequence >= first : true"),
    ]),
    ("what was saved while a checkpoint was written waits for the next save", [
        ("Store+Checkpoints.swift", "    keepCheckpoint(at: core.withLock { $0.fileByteCount })\n", ""),
    ]),
    ("where a row stood believed although what is shown is another state", [
        ("ContextState.swift", "      if !pending.isEmpty { pending.forgetShown() }\n", ""),
    ]),
    ("a page that a fork has left taken for zeros", [
        ("PageLists.swift", "return (index, index < writtenIndex)", "return (index, false)"),
    ]),
    ("the first of those that are written together is shown with them only", [
        ("Store+Saving.swift", "isTogether: begun.isTogether)", "isTogether: true)"),
    ]),
    ("those that are written together are shown one by one", [
        ("StoreCore.swift", "    while count < onTheWay.count, onTheWay[count].before == nil { count += 1 }\n", ""),
    ]),
    ("an erasure leaves checkpoints", [
        ("Compaction.swift", "    try journal.derivedFiles.removeCheckpoints()\n", ""),
    ]),
    ("idempotency keys of before a checkpoint are forgotten", [
        ("StoreCore.swift", "    keys = IdempotencyKeys(checkpoint.keys)\n", ""),
    ]),
    ("a replay that looks for no record does not mind one that was there", [
        ("Replay.swift", "if !core.foundTwins { return", "if core.foundTwins || true { return"),
    ]),
    ("the word of a listener that has gone is kept", [
        ("ListenerTable.swift", "      groups[interest.subject]?.ids[interest.word] = nil\n",
         "      _ = interest.word\n"),
    ]),
    ("entries of slots one behind the other all put where the first is", [
        ("SlotTable+Editing.swift", "      if let page, !page.isFull, bucket(tag) == bucketOfPage,\n",
         "      if let page, !page.isFull, bucketOfPage >= 0,\n"),
    ]),
    ("entries of slots one behind the other for which no bucket is split", [
        ("SlotTable+Editing.swift", "        count < buckets.count * Self.bucketLoadMax\n      {",
         "        count < buckets.count * Self.bucketLoadMax * 2\n      {"),
    ]),
    ("two records of one run are not told from each other", [
        ("EntityTable.swift", "      guard twin == nil else {\n", "      guard twin == nil || true else {\n"),
    ]),
    ("a record that is added alone may be beyond the bound of all", [
        ("EntityTable.swift", "    bound.include(key.words.first)\n", ""),
    ]),
    ("the bound of identifiers knows no signs", [
        ("IdentifierBound.swift", "kind == .int ? word ^ 1 << 63 : word", "word"),
    ]),
    ("a checkpoint has no bound of identifiers", [
        ("EntityTable.swift", "    self.bound = IdentifierBound(kind, rawValue: bound)\n", ""),
    ]),
    ("numbers near each other are in any bucket", [
        ("SlotHash.swift", "hash(key >> 3) & ~7 | key & 7", "hash(key)"),
    ]),
    ("the body of a write is saved although another transaction was numbered after its state", [
        ("BegunSave.swift", "    return core.isNewer(than: read) ? .overtaken : nil\n", "    return nil\n"),
    ]),
    ("other saves are numbered while a body runs again", [
        ("BegunSave.swift", "    if core.numberingHold.isHeld, !holdsNumbering {\n", "    if false {\n"),
    ]),
    ("a write returns what it has read before that is durable", [
        ("Store+Writing.swift", "    await settled.wait(for: last.ticket)\n", ""),
    ]),
    ("a write does not notice that a transaction it has read was taken back", [
        ("StoreCore.swift", "      last.noteTakenBack()\n", ""),
    ]),
    ("a blocking save in the body of a write", [
        ("Store+Writing.swift", "    guard !WriteBody.isRunning else { throw", "    guard true else { throw"),
    ]),
    ("a lock for tasks is granted in no order", [
        ("FairLock.swift", "        state.arrivals.append(key)\n", "        state.arrivals.insert(key, at: state.firstIndex)\n"),
    ]),
    ("a requirement of a save is not checked", [
        ("Store+Saving.swift", "merge.conflicts + proposal.unmetRequirements(in: core)", "merge.conflicts"),
    ]),
    ("a record that was read before a merge is required as it is after", [
        ("EditingContext+Requirements.swift", "    guard let record else { return base }\n",
         "    guard let record, base == nil else { return base }\n"),
    ]),
    ("a load goes on behind a transaction that was taken back", [
        ("StoreCore.swift", "    takeBackCount += 1\n", ""),
    ]),
    ("a walk passes what was taken back", [
        ("PayloadLocator.swift", "    isCut = true\n", ""),
    ]),
    ("records that are twice in one transaction of a load are not found", [
        ("InsertProposals.swift", "    if isOrdered { return nil }\n", "    if isOrdered || true { return nil }\n"),
    ]),
    ("what nobody has looked at is not folded when somebody does", [
        ("ContextView.swift", "    waiting = []\n    _ = folding(changes)\n", "    waiting = []\n    _ = changes\n"),
    ]),
    ("what waits to be folded has no creation number", [
        ("ContextView.swift", "      changes[index].setCreation(creation)\n", "      changes[index].setCreation(creation * 0)\n"),
    ]),
    ("where a record was told to be believed, whatever stands there", [
        ("RecordPlace.swift", "      && row(place.slot, in: space).location == place.location\n", ""),
    ]),
    ("two chunks of pages share their births", [
        ("PageDirectory.swift", "births[chunk] = birthsBefore + Self.chunkPageCount", "births[chunk] = birthsBefore"),
    ]),
    ("what was changed here taken for what the store has", [
        ("ContextView.swift", "    isEdited ? base.location(key.entity, IdentifierBytes(key.id)) : location\n",
         "    location\n"),
    ]),
    ("a value taken for the same that begins elsewhere", [
        ("SameBytes.swift", "if isStartSame, isEndSame, Int(end) <= shared", "if isEndSame, Int(end) <= shared"),
    ]),
    ("values of which another has none taken for the same", [
        ("SameBytes.swift", "    guard layout.nilBitsOffset + fixed >= layout.fixedOffset else { return }\n", ""),
    ]),
    ("what is told of a transaction told to those who have the state before it", [
        ("RowMemory.swift", "    if isKnownUniquelyReferenced(&parts) {\n", "    if isKnownUniquelyReferenced(&parts) || true {\n"),
    ]),
    ("one of a few keys taken for another of the same hash", [
        ("KeyPlaces.swift", "      if isThere(place) { return place }\n", "      return place\n"),
    ]),
    ("the first few keys forgotten when there are more", [
        ("KeyPlaces.swift", "    if old.isEmpty { for index in 0..<count { put(first[index]) } }\n", ""),
    ]),
    ("a key taken for another of the same hash", [
        ("KeyPlaces.swift", "if KeyPlaces.hash(entry) == hash, isThere(KeyPlaces.place(entry)) {",
         "if KeyPlaces.hash(entry) == hash {"),
    ]),
    ("what a record came to by its first change believed of its second", [
        ("PendingChanges.swift", "      rows[place].row = row\n      rows[place].net = nil\n",
         "      rows[place].row = row\n"),
    ]),
    ("what the closure of an update changes itself not seen by it", [
        ("EditingContext+Changing.swift", "    if stepCount != step {\n", "    if stepCount < step {\n"),
    ]),
    ("what was changed back is unsaved in the place that it had", [
        ("UnsavedChanges.swift", "places.place(hash) { !notes[$0].isRemoved && notes[$0].key == key }",
         "places.place(hash) { notes[$0].key == key }"),
    ]),
    ("a record that waits is given another number by its save", [
        ("ContextView.swift", "  func draftCreation(of key: EntityKey) -> UInt64 {\n    noteWaiting()\n",
         "  func draftCreation(of key: EntityKey) -> UInt64 {\n"),
    ]),
    ("records that wait are not among those that are not saved", [
        ("ContextView.swift", "  var draftKeys: [EntityKey] {\n    noteWaiting()\n", "  var draftKeys: [EntityKey] {\n"),
    ]),
    ("an unknown value replaced by the substitute that is read", [
        ("RecordCodec.swift", "      return substitute.isShown(record)\n", "      return substitute.isShown(record) && !isNamed\n"),
    ]),
    ("an unknown value kept whatever is assigned", [
        ("RecordCodec.swift", "      return substitute.isShown(record)\n", "      return substitute.isShown(record) || isNamed\n"),
    ]),
    ("an array without the elements that its type does not know", [
        ("AttributeRepresentable.swift", "extracting(range)) else { return nil }\n      append", "extracting(range)) else { continue }\n      append"),
    ]),
    ("an unknown value found by its stored form beside a substitute", [
        ("AttributePath.swift", "!unknown.isKnown(stored) else", "!unknown.isKnown(stored), stored.byteCount < 0 else"),
    ]),
    ("a record that cannot be read not among the violations", [
        ("StateCheck.swift", "      if unknown?.substitute != nil { unknown = nil }\n", "      unknown = nil\n"),
    ]),
]
