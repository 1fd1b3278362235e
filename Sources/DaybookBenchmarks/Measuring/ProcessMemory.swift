import Glibc

/// The memory of this process.
enum ProcessMemory {
  /// What it has of its own, beside mapped files.
  static var anonymousByteCount: Int {
    guard let file = fopen("/proc/self/status", "r") else { return 0 }
    defer { fclose(file) }
    var line: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(line) }
    while getline(&line, &capacity, file) > 0 {
      guard let line, strncmp(line, "RssAnon:", 8) == 0 else { continue }
      return strtol(line + 8, nil, 10) * 1024
    }
    return 0
  }

  /// Gives freed memory back to the system, so that it is not counted as there already. Swift's
  /// `Glibc` leaves the function out.
  static func giveBack() {
    typealias Trim = @convention(c) (Int) -> Int32
    guard let symbol = dlsym(nil, "malloc_trim") else { return }
    _ = unsafeBitCast(symbol, to: Trim.self)(0)
  }
}
