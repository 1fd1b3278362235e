#if DAYBOOK_THREAD_SANITIZER
  import DaybookJournal

  typealias Mutex = SanitizedMutex
#endif
