#if DAYBOOK_THREAD_SANITIZER && Postgres
  import DaybookPlatform

  typealias Mutex = SanitizedMutex
#endif
