// Programs import Daybook alone: it exports the store, its records, requests and lists.
@_exported import DaybookJournal
@_exported import DaybookResults
@_exported import DaybookStore

#if DAYBOOK_THREAD_SANITIZER
  import DaybookPlatform

  typealias Mutex = SanitizedMutex
#endif
