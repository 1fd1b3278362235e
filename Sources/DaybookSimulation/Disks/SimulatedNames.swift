import DaybookJournal
import DaybookPlatform

/// The names of a simulated disk: the present names, the durable names, and the unsynced changes.
/// These invariants hold:
///
/// 1. `current` contains the present names, which calls use. Its keys are absolute paths without
///    symbolic links, `.`, `..` or double slashes.
/// 2. If all changes of `pending` are applied to `durable`, in order, the result is equal to
///   `current`.
///
/// Only the test creates directories and symbolic links. They are durable immediately.
struct SimulatedNames {
  /// The target of a name: the number of a file or a directory, or the path in a symbolic link.
  enum Name: Hashable {
    case file(UInt64)
    case directory(UInt64)
    case link(String)
  }

  /// One change of names, which is atomic.
  enum Change {
    case add(String, Name)
    case remove(String, Name)
    case rename(String, to: String, Name)

    var paths: [String] {
      switch self {
      case .add(let path, _), .remove(let path, _): [path]
      case .rename(let source, let target, _): [source, target]
      }
    }
  }

  // The limits of Linux for the number of links in a path and for the length of a name.
  private static let linkDepthMax = 40
  private static let nameByteCountMax = 255

  let workingDirectory: String
  private(set) var current: [String: Name]
  private(set) var durable: [String: Name]
  private(set) var pending: [Change] = []

  init(root: UInt64, workingDirectory: String) {
    self.workingDirectory = workingDirectory
    current = ["/": .directory(root)]
    durable = current
  }

  // MARK: Changes

  /// Performs a change of `current`. The caller must have checked that the change is possible.
  mutating func perform(_ change: Change) {
    let isPossible = Self.apply(change, to: &current)
    precondition(isPossible, "\(change) on names that do not allow it")
    pending.append(change)
  }

  /// Makes the names in a directory durable.
  mutating func syncDirectory(_ directory: String) {
    makeDurable { change in
      change.paths.contains { FilePaths.split($0).directory == directory }
    }
  }

  /// Makes one name durable, together with the changes that it depends on.
  mutating func sync(_ path: String) {
    makeDurable { $0.paths.contains(path) }
  }

  // Makes the pending changes durable for which a closure returns true. A change depends on all
  // earlier changes of the same names, which also become durable, and so do the changes that these
  // depend on. A rename from one directory to a second one is one change, so a sync of either
  // directory makes it durable completely.
  private mutating func makeDurable(where isIncluded: (Change) -> Bool) {
    var names: Set<String> = []
    var isTaken = [Bool](repeating: false, count: pending.count)
    for index in pending.indices.reversed() {
      let paths = pending[index].paths
      guard isIncluded(pending[index]) || !names.isDisjoint(with: paths) else { continue }
      isTaken[index] = true
      names.formUnion(paths)
    }
    var left: [Change] = []
    for (change, isTaken) in zip(pending, isTaken) {
      if isTaken {
        Self.apply(change, to: &durable)
      } else {
        left.append(change)
      }
    }
    pending = left
  }

  /// Returns the names after a power loss: the durable names, with the pending changes for which a
  /// closure returns true, in order. If a change depends on a change that is lost, it is lost as
  /// well.
  func restarted(keeping survives: (Change) -> Bool) -> SimulatedNames {
    var names = self
    for change in pending where survives(change) { Self.apply(change, to: &names.durable) }
    names.current = names.durable
    names.pending = []
    return names
  }

  /// Applies a change to names. Returns false, and changes nothing, if the names do not allow the
  /// change.
  @discardableResult
  private static func apply(_ change: Change, to names: inout [String: Name]) -> Bool {
    switch change {
    case .add(let path, let name):
      guard names[path] == nil else { return false }
      names[path] = name
    case .remove(let path, let name):
      guard names[path] == name else { return false }
      names[path] = nil
    case .rename(let source, let target, let name):
      guard names[source] == name else { return false }
      names[source] = nil
      names[target] = name
    }
    return true
  }

  // MARK: Finding

  /// The numbers of all files in the present names, the durable names and the pending changes.
  var numbersInUse: Set<UInt64> {
    var numbers: Set<UInt64> = []
    for names in [current, durable] {
      for case .file(let number) in names.values { numbers.insert(number) }
    }
    for change in pending {
      switch change {
      case .add(_, .file(let number)), .remove(_, .file(let number)),
        .rename(_, _, .file(let number)):
        numbers.insert(number)
      case .add, .remove, .rename: break
      }
    }
    return numbers
  }

  func linkCount(of number: UInt64) -> Int {
    current.values.count { $0 == .file(number) || $0 == .directory(number) }
  }

  func list(_ directory: String) -> [String] {
    current.keys.compactMap { path in
      let (parent, name) = FilePaths.split(path)
      return parent == directory && !name.isEmpty ? name : nil
    }.sorted()
  }

  /// The absolute path that is the result of following the links in a path. Its last component need
  /// not exist.
  struct ResolvedPath {
    var path: String
    /// A Boolean value that indicates whether the last component of the original path was a link
    /// that was followed.
    var hasFollowedLink = false
  }

  /// Returns the absolute path of a path, after following links. If `followingLast` is false, a
  /// link as the last component is not followed.
  func resolvedPath(
    of path: String, followingLast: Bool, for call: DiskCall
  ) throws(DiskError) -> ResolvedPath {
    // A key of `current` contains no links, so it is the result itself.
    switch current[path] {
    case .file, .directory: return ResolvedPath(path: path)
    case .link, nil: break
    }
    guard !path.isEmpty else { throw call.error(Errno.noSuchFile) }
    var resolved = ResolvedPath(path: path.hasPrefix("/") ? "/" : workingDirectory)
    var rest = Array(path.split(separator: "/").reversed())
    var linkDepth = 0
    while let component = rest.popLast() {
      guard component.utf8.count <= Self.nameByteCountMax else {
        throw call.error(Errno.fileNameTooLong)
      }
      if component == "." { continue }
      if component == ".." {
        resolved.path = FilePaths.split(resolved.path).directory
        continue
      }
      let next = FilePaths.join(resolved.path, name: String(component))
      switch current[next] {
      case .link(let target) where followingLast || !rest.isEmpty:
        linkDepth += 1
        guard linkDepth <= Self.linkDepthMax else { throw call.error(Errno.tooManyLinks) }
        if rest.isEmpty { resolved.hasFollowedLink = true }
        if target.hasPrefix("/") { resolved.path = "/" }
        rest += target.split(separator: "/").reversed()
      case .directory: resolved.path = next
      case .file, .link:
        guard rest.isEmpty else { throw call.error(Errno.notDirectory) }
        resolved.path = next
      case nil:
        guard rest.isEmpty else { throw call.error(Errno.noSuchFile) }
        resolved.path = next
      }
    }
    return resolved
  }
}
