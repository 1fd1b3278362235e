import Glibc

/// What is said on standard error.
enum Complaint {
  static func write(_ text: String) {
    let bytes = Array((text + "\n").utf8)
    // Where standard error is closed there is nobody to tell.
    _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
  }
}
