// A program that imports Daybook alone: the types of the platform that signatures of the library show.
import Daybook

let visible: [Any.Type] = [ByteView.self, DiskError.self, FileStatus.self, LockHolder.self]

// The types of journals that stores use.
let journals: [Any.Type] = [
  Durability.self, JournalError.self, JournalOptions.self, JournalTime.self, MachineClock.self, Receipt.self,
  SequenceNumber.self, SharingStatus.self,
]
