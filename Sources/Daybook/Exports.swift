// A program imports only Daybook: the module also exports journals, stores and records, requests
// and lists.
@_exported import DaybookJournal
@_exported import DaybookResults
@_exported import DaybookStore

#if DAYBOOK_THREAD_SANITIZER
  import DaybookPlatform

  typealias Mutex = SanitizedMutex
#endif
