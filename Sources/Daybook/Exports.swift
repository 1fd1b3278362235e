// What users import: the store, its records and requests come with the controllers.
@_exported import DaybookJournal
@_exported import DaybookResults
@_exported import DaybookStore

#if DAYBOOK_THREAD_SANITIZER
  import DaybookPlatform

  typealias Mutex = SanitizedMutex
#endif
