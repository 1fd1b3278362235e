import Glibc

/// Standard input, output and error.
enum StandardDescriptors {
  /// Puts something in the place of those that are closed.
  ///
  /// The next file that is opened would get the number of one, and be written what is meant for people. What
  /// takes the place can be neither read nor written, so whoever tries is told as before.
  static func hold() {
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
    where fcntl(descriptor, F_GETFD) == -1 {
      // The lowest number that is free is this one, as those below are taken.
      _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }
}
