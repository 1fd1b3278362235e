// A program that imports Daybook alone: none of these types is in its scope.
import Daybook

let disk: (any Disk)?
let file: (any DiskFile)?
let watch: (any DiskWatch)?
let system: SystemDisk?
let mapping: Mapping?
let access: FileAccess?
let identity: FileIdentity?
let group: FrameGroup?
let head: SharedHead?
let point: ChainPoint?
let reader: JournalReader?
let transactions: TransactionReader?
let transaction: JournalTransaction?
let follower: (any JournalFollower)?
let files: FileFollower?
let journal: FileJournal?
let memory: MemoryJournal?
let appended: AppendOutcome?
