// A program imports only Daybook: the module also exports stores and records, requests and lists,
// and the types of a journal that stores use. Frames, groups, followers and readers of a journal
// need `import DaybookJournal`.
@_exported import enum DaybookJournal.Durability
@_exported import enum DaybookJournal.JournalReading
@_exported import enum DaybookJournal.SharingStatus
@_exported import protocol DaybookJournal.JournalClock
@_exported import protocol DaybookJournal.SharedLog
@_exported import struct DaybookJournal.AppendStatistics
@_exported import struct DaybookJournal.JournalError
@_exported import struct DaybookJournal.JournalIdentity
@_exported import struct DaybookJournal.JournalOptions
@_exported import struct DaybookJournal.JournalTime
@_exported import struct DaybookJournal.LogDivergence
@_exported import struct DaybookJournal.MachineClock
@_exported import struct DaybookJournal.MissingTransaction
@_exported import struct DaybookJournal.ReadingProgress
@_exported import struct DaybookJournal.Receipt
@_exported import struct DaybookJournal.RecoveryReport
@_exported import struct DaybookJournal.ReplicaRestart
@_exported import struct DaybookJournal.SequenceNumber
@_exported import struct DaybookJournal.SharedLogError
@_exported import struct DaybookJournal.SharingStatistics
@_exported import struct DaybookJournal.UnknownAppend
@_exported import struct DaybookJournal.VerificationProblem
@_exported import struct DaybookJournal.VerificationSummary
@_exported import struct DaybookPlatform.ByteView
@_exported import struct DaybookPlatform.DiskError
@_exported import struct DaybookPlatform.FileStatus
@_exported import struct DaybookPlatform.LockHolder
@_exported import DaybookResults
@_exported import DaybookStore

#if DAYBOOK_THREAD_SANITIZER
  import DaybookPlatform

  typealias Mutex = SanitizedMutex
#endif
