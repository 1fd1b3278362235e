#if DAYBOOK_THREAD_SANITIZER
  import DaybookPlatform

  typealias Mutex = SanitizedMutex
#endif
