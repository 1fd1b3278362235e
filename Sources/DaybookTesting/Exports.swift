// A test imports only DaybookTesting: the module also exports the simulated clock, disk and logs.
@_exported import DaybookSimulation

#if DAYBOOK_THREAD_SANITIZER
  import DaybookPlatform

  typealias Mutex = SanitizedMutex
#endif
