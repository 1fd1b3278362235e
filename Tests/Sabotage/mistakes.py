"""The mistakes: a name, and for each file the text that is there and the text that takes its place."""

MISTAKES = [
    ("a lead is kept although nobody came back", [
        ("AppendState.swift", "    gathering = nil\n    endLead(unless: comeCount > 0)\n",
         "    gathering = nil\n    isLed = true\n"),
    ]),
    ("a leader waits for all to come back", [
        ("AppendState.swift", "(min(lastCount + comeCount, groupCount) + 3) / 4",
         "min(lastCount + comeCount, groupCount)"),
    ]),
    ("a leader waits for a quarter of all where fewer are written together", [
        ("AppendState.swift", "(min(lastCount + comeCount, groupCount) + 3) / 4",
         "(lastCount + comeCount + 3) / 4"),
    ]),
    ("a group takes in more than it has room for", [
        ("AppendState.swift", "enlisted.take(count - forming.waiters.count)", "enlisted.take(count)"),
    ]),
    ("those who have waited are told behind the next sync", [
        ("FileJournal+Leading.swift", "      let led = leadOnce(.thread) {\n        tell()\n", "      let led = leadOnce(.thread) {\n"),
    ]),
    ("the disk waits until those are told who have waited", [
        ("FileJournal+Leading.swift", "      if !isReady { tell() }\n", "      tell()\n"),
    ]),
    ("a thread that sleeps is left what comes meanwhile", [
        ("AppendState.swift", "    thread = .sleeps\n", ""),
    ]),
    ("a thread that was woken is left nothing", [
        ("AppendState.swift", "    durable = end\n    wakeThread()\n", "    durable = end\n"),
    ]),
    ("what is put back comes last", [
        ("EnlistedAppend.swift", "waiting.insert(contentsOf: rest, at: 0)", "waiting.append(contentsOf: rest)"),
    ]),
    ("half of those who save are left to the next group", [
        ("SaverPace.swift", "all - min(all / 3,", "all - min(all / 2,"),
    ]),
    ("a slow sync is taken for the pace of the disk", [
        ("SaverPace.swift", "$0 * 7 / 8 + time / 8", "$0 / 8 + time * 7 / 8"),
    ]),
    ("acknowledge before sync", [
        ("JournalWriter.swift", "by: clock)\n    try file.file.sync()\n", "by: clock)\n"),
    ]),
    ("the time of a sync made use of when it is over", [
        ("JournalWriter.swift", "        whileSyncing()\n", ""),
        ("JournalWriter.swift", "begunAt: start, leader)\n", "begunAt: start, leader)\n        whileSyncing()\n"),
    ]),
    ("a sync that sleeps at once", [
        ("Vigil.swift", "    while clock.uptimeNanoseconds < end {}\n", ""),
    ]),
    ("a task's thread stays awake too", [
        ("JournalWriter.swift", "case .task: try file.file.sync()", "case .task: try sync(begunAt: start, keeping: &callerVigil)"),
    ]),
    ("a length that is tried is kept at once", [
        ("Vigil.swift", "guard votes[tried] == Vigil.voteCountMin", "guard votes[tried] == 1"),
    ]),
    ("a thread stays awake where nothing is gained by it", [
        ("Vigil.swift", "nanoseconds < known - known / 32", "nanoseconds <= known + known / 64"),
    ]),
    ("a slow sync moves what is usual as far as it was slow", [
        ("Vigil.swift", "known + step : known - step", "nanoseconds : known - step"),
    ]),
    ("a base hides from the index what is behind it", [
        ("FrameIndex.swift", "return !chain.isPastBase || chain.sequence < sequence", "return chain.isPastBase && chain.sequence < sequence"),
    ]),
    ("places of an index that are not in order", [
        ("PackedPlaces.swift", "guard offset >= least, offset", "guard offset"),
    ]),
    ("what was not read is handed out", [
        ("DiskFile+Whole.swift", "filled = try readAll(at: offset, into: &span) }", "_ = try readAll(at: offset, into: &span); filled = count }"),
    ]),
    ("the disk not told what is about to be synced", [
        ("JournalWriter.swift", "        file.file.beginSync(\n          at: group.start.endOffset, byteCount: Int(group.end.endOffset - group.start.endOffset))\n", ""),
    ]),
    ("a status asks for the times", [
        ("FileStatus+Linux.swift", "0x10 | 0x100 | 0x200", "0x10 | 0x40 | 0x80 | 0x100 | 0x200"),
    ]),
    ("a status without its owner", [
        ("FileStatus+Linux.swift", "owner: number(at: 20, as: UInt32.self)", "owner: number(at: 24, as: UInt32.self)"),
    ]),
    ("sync the wrong file", [
        ("JournalWriter.swift", "        try sync(group, begunAt: start, leader)\n",
         "        publish(committed)\n        try endFile?.sync()\n"),
    ]),
    ("no directory sync after a creation or a rename", [
        ("JournalCreation.swift", "    try options.disk.syncDirectory(place.directory)\n", ""),
        ("JournalOpening.swift", "          try options.disk.syncDirectory(place.directory)\n", ""),
    ]),
    ("no directory sync by who opens what another created", [
        ("JournalOpening.swift", "          try options.disk.syncDirectory(place.directory)\n", ""),
    ]),
    ("no directory sync after a side file", [
        ("Recovery.swift", "          try disk.syncDirectory(place.directory)\n", ""),
    ]),
    ("a new journal named before its sync", [
        ("JournalCreation.swift", "    try file.sync()\n    hasName = try named(newPath)\n",
         "    hasName = try named(newPath)\n    try file.sync()\n"),
    ]),
    ("checks that skip the last bytes", [
        ("XXH64.swift", "    while offset &+ 8 <= count {\n", "    while offset &+ 16 <= count {\n"),
    ]),
    ("the length not covered by the checks", [
        ("FrameWriter.swift", "UnsafeRawBufferPointer(start: start, count: count).bytes",
         "UnsafeRawBufferPointer(start: start + 4, count: count - 4).bytes"),
        ("FrameReader.swift", "bytes.extracting(place..<end)", "bytes.extracting(place + 4..<end)"),
        ("LaterFrames.swift", "bytes.extracting(place..<end)", "bytes.extracting(place + 4..<end)"),
    ]),
    ("the salt ignored", [
        ("XXH64.swift", "bytes.withUnsafeBytes { check($0, seed: seed) }",
         "bytes.withUnsafeBytes { check($0, seed: 0) }"),
    ]),
    ("the padding left out of the check", [
        ("FrameWriter.swift", "    let checkedByteCount = Frame.headerByteCount + padded\n"
         "    let frameCheck = check(checkedByteCount)\n",
         "    let checkedByteCount = Frame.headerByteCount + padded\n"
         "    let frameCheck = check(Frame.headerByteCount + payloadByteCount)\n"),
        ("FrameReader.swift", "XXH64.check(bytes.extracting(place..<end), seed: salt)",
         "XXH64.check(bytes.extracting(place..<place + min(end - place, "
         "48 + FrameHeader(bytes, at: place).payloadByteCount)), seed: salt)"),
    ]),
    ("the position not rewound after a failed write", [
        ("AppendState.swift", "      announcement.alsoRefused = takeBack(to: durable, .stopped(error))\n",
         "      written = group.end\n"),
        ("AppendState.swift", "    accepted = position\n    written = position\n    durable = position\n"
         "    index.cut", "    written = accepted\n    durable = accepted\n    index.cut"),
    ]),
    ("enlisted appends keep the lead of a journal that has stopped", [
        ("AppendState.swift", "    if phase != .open { announcement.returned = enlisted.take(.max) }\n", ""),
    ]),
    ("a recovery that loses what readers were shown", [
        ("FileJournal+Recovering.swift", "    if keepsWritten, intact.sequence < written.sequence {",
         "    if false, keepsWritten {"),
    ]),
    ("the position not rewound after a full disk", [
        ("AppendState.swift", "      announcement.alsoRefused = takeBack(to: written, .precedingRefused)\n", ""),
    ]),
    ("append at the end of the file after recovery", [
        ("FileJournal.swift", "endOffset: found.journal.intact.endOffset)",
         "endOffset: found.file.byteCount)"),
    ]),
    ("cut one frame too many", [
        ("RecoveryDecision.swift", "      chain: place.chain, endOffset: place.offset,",
         "      chain: settled.chain, endOffset: settled.offset,"),
    ]),
    ("cut too little: the torn bytes stay", [
        ("Recovery.swift", "      try zero(intact.endOffset..<file.byteCount)\n", ""),
    ]),
    ("zeros before the torn bytes are kept", [
        ("Recovery.swift", "      let side = try keep(torn, after: intact.sequence)\n"
         "      try zero(intact.endOffset..<file.byteCount)\n",
         "      try zero(intact.endOffset..<file.byteCount)\n"
         "      let side = try keep(torn, after: intact.sequence)\n"),
    ]),
    ("damage in the middle taken for a tail", [
        ("RecoveryDecision.swift", "proof.durable > intact.sequence {", "false, proof.durable > 0 {"),
    ]),
    ("the mark not believed", [
        ("RecoveryDecision.swift", "mark.sequence > intact.sequence {", "false, mark.sequence > 0 {"),
    ]),
    ("a file of zeros behind a broken mark taken for an empty journal", [
        ("RecoveryDecision.swift", "if marks.isEmpty || (!badMarkOffsets.isEmpty && !hasTransactions) {",
         "if false, hasTransactions {"),
    ]),
    ("the search for later headers trusts an unchecked one", [
        ("LaterFrames.swift", "    guard word(bytes, end) == XXH64.check(bytes.extracting(place..<end), seed: salt) else {\n"
         "      return nil\n    }\n", ""),
    ]),
    ("a sync retried after it failed", [
        ("JournalWriter.swift", "by: clock)\n    try file.file.sync()\n",
         "by: clock)\n    do throws(DiskError) { try file.file.sync() } catch { try file.file.sync() }\n"),
    ]),
    ("unproven frames not written again", [
        ("Recovery.swift", "    try rewrite(provenOffset..<intact.endOffset)\n", ""),
    ]),
    ("recovery without a sync", [
        ("Recovery.swift", "    if isUnproven || tornEndOffset != nil { try file.file.sync() }\n", ""),
    ]),
    ("a mark written before its sync", [
        ("JournalWriter.swift", "        try sync(group, begunAt: start, leader)\n",
         "        try mark(group.end, isInUse: true)\n        try sync(group, begunAt: start, leader)\n"),
    ]),
    ("closing writes one mark", [
        ("JournalWriter.swift", "    if !marks.bothTell { try mark(end, isInUse: false) }\n", ""),
    ]),
    ("two writers", [
        ("SystemFile.swift", "    guard errno == EWOULDBLOCK else {", "    guard errno != EWOULDBLOCK else { return true }\n"
         "    guard errno == EWOULDBLOCK else {"),
    ]),
    ("the lock of a file that lost its name", [
        ("JournalOpening.swift", "if named.identity == (try file.status()).identity {",
         "if named.kind == .file {"),
    ]),
    ("frames for a file without a name", [
        ("JournalWriter.swift", "        guard status.linkCount > 0 else { return .refused(.replaced) }\n", ""),
    ]),
    ("a sequence reused", [
        ("AppendState.swift", "sequence: accepted.sequence.next,",
         "sequence: accepted.sequence == 7 ? accepted.sequence : accepted.sequence.next,"),
    ]),
    ("the expected head not compared", [
        ("AppendState.swift", "    if let expected, expected != accepted.sequence { return .conflict(accepted.head) }\n", ""),
    ]),
    ("a waiter of the next group woken early", [
        ("AppendState.swift", "    announcement.isLedOn = isLed\n",
         "    announcement.waiters += forming.waiters.dropFirst()\n"
         "    forming.waiters.removeLast(max(0, forming.waiters.count - 1))\n"
         "    announcement.isLedOn = isLed\n"),
    ]),
    ("a reader shown what is not committed", [
        ("FileJournal+Reading.swift", "($0.durable, $0.index", "($0.accepted, $0.index"),
    ]),
    ("the head told before it is durable", [
        ("FileJournal+Appending.swift", "public var head: JournalHead { state.withLock { $0.durable.head } }",
         "public var head: JournalHead { state.withLock { $0.written.head } }"),
    ]),
    ("the end published before the sync", [
        ("JournalWriter.swift", "        try sync(group, begunAt: start, leader)\n",
         "        publish(committed)\n        try sync(group, begunAt: start, leader)\n"),
    ]),
    ("EINTR taken for the end of a write", [
        ("DiskFile+Whole.swift", "        guard error.code == Errno.interrupted, interruptions < interruptionMax else { throw error }\n"
         "      }\n    }\n  }\n\n",
         "        guard error.code == Errno.interrupted, interruptions < interruptionMax else { throw error }\n"
         "        return\n      }\n    }\n  }\n\n"),
    ]),
    ("EINTR taken for the end of a read", [
        ("DiskFile+Whole.swift", "      }\n    }\n    return done\n",
         "        return done\n      }\n    }\n    return done\n"),
    ]),
    ("a short write taken for a whole one", [
        ("DiskFile+Whole.swift", "        done += count\n        interruptions = 0\n      } catch {\n"
         "        interruptions += 1\n        guard error.code == Errno.interrupted, interruptions < interruptionMax else { throw error }\n"
         "      }\n    }\n  }\n",
         "        done = bytes.byteCount\n        interruptions = 0\n      } catch {\n"
         "        interruptions += 1\n        guard error.code == Errno.interrupted, interruptions < interruptionMax else { throw error }\n"
         "      }\n    }\n  }\n"),
    ]),
    ("a clock that goes back", [
        ("AppendState.swift", "    let raised = max(time, accepted.chain.time)\n", "    let raised = time\n"),
    ]),
    ("no space reserved before a write", [
        ("JournalWriter.swift", "        try reserve(through: group.end.endOffset)\n",
         "        if false { try reserve(through: 0) }\n"),
    ]),
    ("a full disk that stops the writer", [
        ("JournalWriter.swift", "return JournalWriter.isFull(error) ? .refused(.diskFull) : .failed(error)",
         "return .failed(error)"),
    ]),
    ("an interval without a sync", [
        ("FileJournal+Tending.swift", "body(.sync, unsyncedSince.adding(durability.intervalNanoseconds))",
         "_ = unsyncedSince"),
        ("AppendState.swift", "now &- $0 >= durability.intervalNanoseconds", "now &- $0 < 0"),
    ]),
    ("compaction that forgets the base's time", [
        ("FileJournal+Replacing.swift", "time: position.chain.time, check:", "time: .distantPast, check:"),
    ]),
    ("a follower that does not drain the old file", [
        ("FileFollower.swift", "    if rest.sequence > state.visible {", "    if false, rest.sequence > 0 {"),
    ]),
    ("a follower that does not hold the past against the file", [
        ("FileFollower.swift", "    if try hasChanged(state) { throw lose(&state) }\n", ""),
    ]),
]
