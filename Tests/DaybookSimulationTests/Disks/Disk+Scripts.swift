import DaybookJournal
import DaybookPlatform
import DaybookSimulation
import Testing

/// Returns an array of `count` equal bytes.
func bytes(_ count: Int, of value: UInt8) -> [UInt8] { [UInt8](repeating: value, count: count) }

extension Disk {
  func makeFile(_ path: String) throws -> any DiskFile {
    try create(path, permissions: 0o600)
  }
}

extension DiskFile {
  @discardableResult
  func put(_ bytes: [UInt8], at offset: UInt64) throws(DiskError) -> Int {
    try write(bytes.span.bytes, at: offset)
  }

  func get(_ byteCount: Int, at offset: UInt64) throws(DiskError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: byteCount)
    var target = bytes.mutableSpan
    var buffer = target.mutableBytes
    let count = try read(at: offset, into: &buffer)
    return Array(bytes[..<count])
  }
}

/// Returns the errno that a closure throws, -1 for another error, or nil if it throws nothing.
func code(_ body: () throws -> Void) -> Int32? {
  do {
    try body()
    return nil
  } catch {
    return (error as? DiskError)?.code ?? -1
  }
}

extension SimulatedDisk {
  /// Returns the contents of a file after many random power losses. Nil means that the file is
  /// missing.
  func images(
    of path: String, assuming model: SectorModel = .syncedBytesAreSafe, count: Int = 300
  ) -> Set<[UInt8]?> {
    var images: Set<[UInt8]?> = []
    for seed in 0..<UInt64(count) {
      var generator = SplitMix64(seed: seed)
      images.insert(powerLoss(using: &generator, assuming: model).contents(of: path))
    }
    return images
  }

  /// Returns the names of the files after many random power losses, as `a=1 b=2`: each name with
  /// the first byte of its file.
  func namings(count: Int = 300) -> Set<String> {
    var namings: Set<String> = []
    for seed in 0..<UInt64(count) {
      var generator = SplitMix64(seed: seed)
      namings.insert(powerLoss(using: &generator).naming)
    }
    return namings
  }

  var naming: String {
    paths.map { path in
      let name = path.split(separator: "/").last ?? ""
      return "\(name)=\(contents(of: path)?.first.map(String.init) ?? "empty")"
    }.joined(separator: " ")
  }
}
