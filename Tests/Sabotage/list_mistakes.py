"""The mistakes in lists, controllers and their caches: as in mistakes.py."""

MISTAKES = [
    ("a word far from zero stands in seven bytes", [
        ("MarkedWord.swift", "    if word >= start, place < 1 << 56 {", "    if word >= start {"),
    ]),
    ("a marked word does not go the other way where the order does", [
        ("OrderKeyPart.swift", "OrderWord.word(type, value), mask: mask, to: &buffer)", "OrderWord.word(type, value), to: &buffer)"),
    ]),
    ("a cache whose end check is not looked at", [
        ("CacheFile.swift", "      number(bytes.count - 8)\n"
         "        == XXH64.check(span.extracting(headByteCount..<bytes.count - 8), seed: number(72))\n",
         "      number(72) == number(72)\n"),
    ]),
    ("a cache of another list accepted", [
        ("CacheFile.swift", "bytes[headByteCount..<definitionEnd].elementsEqual(definition.utf8)",
         "bytes[headByteCount] == definition.utf8.first"),
    ]),
    ("the filter forgotten in a cache's definition", [
        ("ListDefinition.swift", "    if let filter = request.filter { lines.append(\"where \\(filter)\") }\n", ""),
    ]),
    ("the layouts forgotten in a cache's definition", [
        ("ListDefinition.swift", "      lines.append(\"layout \\(name) \\(ListDefinition.check(catalog.history[entity]))\")\n",
         "      _ = name\n"),
    ]),
    ("a cache of another journal accepted", [
        ("CacheFile.swift", "moment.identity == journal.identity, salt == journal.salt", "salt == moment.salt"),
        ("ListCache.swift", "moment == known", "moment.sequence == known.sequence"),
    ]),
    ("a cache of another history accepted", [
        ("ListCache.swift", "moment == known", "moment.sequence == known.sequence"),
    ]),
    ("a cache ahead of its journal accepted", [
        ("ListCache.swift", "    guard sequence <= base.sequence else { return misfit(.ahead) }\n",
         "    if sequence > base.sequence { return .success((file, base)) }\n"),
    ]),
    ("a cache that is behind taken for the present", [
        ("ListCache.swift", "      _ = projection.fold(to: base)\n",
         "      projection = Projection(plan, base, file.entries, window: request.window)\n"),
        ("ListCache.swift", "      projection = Projection(plan, then, file.entries, window: request.window)\n",
         "      _ = then\n"),
    ]),
    ("rows in a cache that are not looked at", [
        ("ListCache.swift", "    guard file.entries.fit(plan, then) else { return misfit(.damaged) }\n", ""),
    ]),
    ("what is not saved kept in a cache", [
        ("ListEntries.swift", "      return state.state.tables[entity].isSame(as: other.state.tables[entity])\n",
         "      return true\n"),
    ]),
    ("what is not saved forgotten by a fetch with a cache", [
        ("FetchedResultsController.swift", "    _ = projection.fold(to: context.frozen)\n    try", "    try"),
    ]),
    ("caches that are behind not written at the end", [
        ("DerivedWork.swift", "      state.begun += offered.map { (name: $0.key, work: $0.value) }\n", "      _ = offered\n"),
    ]),
    ("a cache renamed before its sync", [
        ("JournalCreation.swift", "    try file.sync()\n    hasName = try named(newPath)\n",
         "    hasName = try named(newPath)\n    try file.sync()\n"),
    ]),
    ("a deleted cache written by what was waiting", [
        ("Store+Caches.swift",
         "    derivedWork.cancel { work in\n"
         "      suffix.map { work == $0 } ?? work.hasPrefix(DerivedFiles.cachePrefix)\n    }\n", ""),
    ]),
    ("two caches whose names differ in case as one", [
        ("CacheFile.swift", "      case UInt8(ascii: \"a\")...UInt8(ascii: \"z\"), UInt8(ascii: \"0\")",
         "      case UInt8(ascii: \"A\")...UInt8(ascii: \"Z\"): text.unicodeScalars.append(Unicode.Scalar(byte + 32))\n"
         "      case UInt8(ascii: \"a\")...UInt8(ascii: \"z\"), UInt8(ascii: \"0\")"),
    ]),
    ("a batch that begins at the wrong row", [
        ("RecordBatches.swift", "    let first = snapshot.visibleRanks.lowerBound\n", "    let first = 0\n"),
    ]),
    ("a batch that is kept too long", [
        ("RecordBatches.swift", "kept.batches.removeFirst()", "kept.batches.removeLast()"),
    ]),
    ("a delegate set late that is not told of what it missed", [
        ("FetchedResultsController.swift", "    if hasMissed { return projection.fold(to: frozen) }\n", ""),
    ]),
    ("callbacks with the record before instead of after", [
        ("ChangeCalls.swift", "      tell(delegate, object(pair.new, difference.after), pair.old, .update, pair.new)",
         "      tell(delegate, object(pair.old, difference.before), pair.old, .update, pair.new)"),
    ]),
    ("a flattened list in which a row is counted without its section", [
        ("ListElement.swift", "offset(of: path) + path.section + 1", "offset(of: path) + path.section"),
    ]),
    ("a batch-safe move that a collection difference does not associate", [
        ("Difference+Flat.swift", "if !deletedSections.isEmpty || !insertedSections.isEmpty {",
         "if deletedSections.count > 1 && insertedSections.count > 1 {"),
    ]),
    ("a subscriber compared with the moment before the last it knows", [
        ("SubscriberPosition.swift", "    self = .at(head)\n    switch before {",
         "    if case .nothing = before { self = .at(head) }\n    switch before {"),
    ]),
    ("a window forgotten after the first change", [
        ("Projection.swift", "    let placed = place(edits, arrivals, in: changes.after)\n",
         "    let placed = place(edits, arrivals, in: changes.after)\n    window = ResultWindow()\n"),
    ]),
    ("changes of records that are referred to unseen", [
        ("ResultRequest.swift", "foreignReads: reads.filter(\\.isForeign)", "foreignReads: []"),
    ]),
    ("a narrow list does not hear of records that leave it", [
        ("ListenerTable.swift", "word(of: change.old, transaction, group), word(",
         "word(of: change.new, transaction, group), word("),
    ]),
    ("a narrow list that has heard of nothing unsaved is not told when it has", [
        ("ListenerTable.swift", "    unsettled.formUnion(found)\n", ""),
    ]),
    ("a record that has gone to another slot is another record", [
        ("ChangedRecords.swift", "TouchedRow(old: gone.removeValue(forKey: id), new: place)",
         "TouchedRow(old: nil, new: place)"),
    ]),
    ("of the records that come to a new section one is counted", [
        ("Projection.swift", "RankEntry(first.sectionPrefix, UInt32(run.count))",
         "RankEntry(first.sectionPrefix, 1)"),
    ]),
    ("whoever follows a shared list is told the last step, whatever it knows", [
        ("SharedList.swift", "if let step, step.before.isSame(as: before) { return", "if let step { return"),
    ]),
    ("sections whose names begin alike taken for one", [
        ("KnownSections.swift", "if let found = known[place], found.prefix == prefix, key.section == found.key[...] {",
         "if let found = known[place] {"),
    ]),
    ("a change of what the section is made of leaves the row where it is", [
        ("ResultRequest.swift", "try path(sectioning.names, sectioning.place, for: \\.section)",
         "try path(sectioning.names, sectioning.place, for: \\.filter)"),
    ]),
    ("a row that comes to match by a change is not looked at", [
        ("RowEdit.swift", "row.changed.meets(plan.reads.filter)", "row.changed.meets(plan.reads.order)"),
    ]),
    ("a list that is left by what the filter reads believed not to be touched", [
        ("ChangedRecords.swift", "if row.changed.meets(reads.filter), let old = row.old,",
         "if row.changed.meets(reads.order), let old = row.old,"),
    ]),
    ("a row's place before looked for by the key that it has after", [
        ("RowEdit.swift", "!row.changed.meets(plan.reads.section), !row.changed.meets(plan.reads.order) {",
         "!row.changed.meets(plan.reads.section) {"),
    ]),
    ("a closure that sections are made by reads nothing", [
        ("ResultRequest.swift", "      ownReads.section = .all\n", ""),
    ]),
    ("a page that lost its first row still tells of it", [
        ("RankTree+Editing.swift", "      if rank == 0 { node.set(childNode.entry(0), at: place) }\n", ""),
    ]),
    ("the first row of a section told of as the last of the one before", [
        ("RankPaths.swift", "if starts[low + half] <= rank {", "if starts[low + half] < rank {"),
    ]),
    ("rows are counted from the beginning of a section of which the window shows the end", [
        ("RankPaths.swift", "      row: offset - (section == first.section ? first.offset : 0))", "      row: offset)"),
    ]),
    ("of sections whose names begin alike the first taken for the row's", [
        ("OrderSearch.swift", "    if first.prefix == prefix, isLastSection(first.index, ofPrefix: prefix) {\n",
         "    if first.prefix == prefix {\n"),
    ]),
    ("of entries of one key only the first looked at", [
        ("RankPage.swift", "      if isBefore(entry(low + half).value) {\n", "      if isBefore(entry(low).value) {\n"),
    ]),
    ("several rows of a section that go counted as one", [
        ("Projection.swift", "        entry.value -= UInt32(count)\n", "        entry.value -= 1\n"),
    ]),
    ("a cache of a list that reads substitutes for unknown values", [
        ("ListDefinition.swift", "    if plan.readsSubstitutes { throw .unknownValues }\n", ""),
    ]),
]
