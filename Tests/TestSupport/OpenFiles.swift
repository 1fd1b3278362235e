import DaybookCLibrary

/// The file descriptors of this process.
package enum OpenFiles {
  /// Returns the open files with a path prefix, one for each descriptor, in order.
  package static func paths(beginningWith path: String) -> [String] {
    guard let directory = opendir("/proc/self/fd") else { return [] }
    defer { closedir(directory) }
    var paths: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      var target = [CChar](repeating: 0, count: Int(PATH_MAX))
      let count = readlink("/proc/self/fd/\(name)", &target, target.count)
      guard count > 0 else { continue }
      let open = String(
        decoding: target[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
      if open.hasPrefix(path) { paths.append(open) }
    }
    return paths.sorted()
  }
}
