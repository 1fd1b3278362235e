import DaybookCLibrary
import DaybookJournal
import DaybookPlatform
import DaybookSimulation
import Testing

/// The law: a simulated disk without faults gives a program the same results as a real disk.
@Suite struct `A simulated disk compared with the system's disk` {
  @Test(arguments: 0..<UInt64(8))
  func `the same calls have the same results on both disks`(seed: UInt64) throws {
    var template = Array("/tmp/daybook-XXXXXX".utf8CString)
    let root = try #require(mkdtemp(&template).map { String(cString: $0) })
    defer { removeTree(root) }

    let disk = SimulatedDisk()
    for directory in ["", "/d"] {
      disk.makeDirectory("\(root)\(directory)")
      mkdir("\(root)\(directory)", 0o700)
    }
    let links = [
      "to-a": "a", "to-nothing": "nothing", "circle": "other-circle", "other-circle": "circle",
      "to-d": "d", "d/up": "../a", "absolute": "\(root)/d/b", "far": "nothing/far",
    ]
    for (link, target) in links {
      disk.makeLink(at: "\(root)/\(link)", to: target)
      #expect(symlink(target, "\(root)/\(link)") == 0)
    }

    var simulated = Script(disk: disk, root: root, seed: seed)
    var system = Script(disk: SystemDisk(), root: root, seed: seed)
    for step in 0..<1500 {
      let (expected, answer) = (system.step(), simulated.step())
      try #require(answer == expected, "step \(step)")
    }
  }

  private func removeTree(_ path: String) {
    for name in (try? SystemDisk().list(path)) ?? [] where unlink("\(path)/\(name)") != 0 {
      removeTree("\(path)/\(name)")
    }
    rmdir(path)
  }
}

/// A sequence of calls that a seed decides.
private struct Script {
  private static let names = [
    "a", "b", "c", "d/a", "d/b", "d", "to-a", "to-nothing", "circle", "to-d", "to-d/b", "to-d/c",
    "d/up", "absolute", "far", "a/x", "nothing/x", "d/../a", "./b", "d/./../c", ".", "d//a",
    String(repeating: "n", count: 256),
  ]

  let disk: any Disk
  let root: String
  var lots: SplitMix64
  var files: [any DiskFile] = []

  init(disk: any Disk, root: String, seed: UInt64) {
    self.disk = disk
    self.root = root
    lots = SplitMix64(seed: seed)
  }

  private mutating func lot(_ bound: UInt64) -> UInt64 { lots.next() % bound }

  private mutating func name() -> String { Self.names[Int(lot(UInt64(Self.names.count)))] }

  /// Makes a call, and returns a description of the call and its result.
  mutating func step() -> String {
    let (name, other, size) = (name(), name(), lot(3000))
    let operation = lot(files.isEmpty ? 9 : 17)
    let path = "\(root)/\(name)"
    let index = files.isEmpty ? 0 : Int(lot(UInt64(files.count)))
    let isForWriting = lot(2) == 0
    var answer: String
    do throws(DiskError) {
      answer =
        switch operation {
        case 0, 1: try keep(disk.create(path, permissions: 0o600))
        case 2, 3: try keep(disk.open(path, for: isForWriting ? .readingAndWriting : .reading))
        case 4: try rename(name, other)
        case 5: try done(disk.link(path, to: "\(root)/\(other)"))
        case 6: try done(disk.remove(path))
        case 7: try "\(describe(disk.status(of: path))) \(disk.list("\(root)/d").sorted())"
        case 8: try "\(disk.resolve(path))"
        case 9, 10, 11:
          try "\(files[index].put(bytes(Int(size / 3), of: UInt8(size % 251)), at: size))"
        case 12: try "\(files[index].get(Int(size), at: size / 2).hashed)"
        case 13: try done(files[index].truncate(to: size))
        case 14: try describe(files[index].status())
        case 15: try "\(files[index].lock())"
        default: close(index)
        }
    } catch {
      answer = "errno \(error.code)"
    }
    return "\(operation) \(name) \(other) \(size) \(index): \(answer)"
  }

  private mutating func keep(_ file: any DiskFile) -> String {
    files.append(file)
    if files.count > 4 { files.removeFirst() }
    return "ok"
  }

  private mutating func close(_ index: Int) -> String {
    files.remove(at: index)
    return "ok"
  }

  // A simulated directory cannot be renamed. If a rename has two errors, Linux reports the first
  // that it finds, and a too long name last.
  private func rename(_ name: String, _ other: String) throws(DiskError) -> String {
    if name == "d" || name == "." || other == "." || max(name.count, other.count) > 255 {
      return ""
    }
    return try done(disk.rename("\(root)/\(name)", to: "\(root)/\(other)"))
  }

  private func done(_: Void) -> String { "ok" }

  private func describe(_ status: FileStatus) -> String {
    guard status.kind == .file else { return "\(status.kind)" }
    return "\(status.byteCount) bytes, \(status.linkCount) names"
  }
}

extension [UInt8] {
  /// A short string that identifies the bytes.
  fileprivate var hashed: String {
    "\(count) \(reduce(UInt64(5381)) { $0 &* 33 ^ UInt64($1) })"
  }
}
