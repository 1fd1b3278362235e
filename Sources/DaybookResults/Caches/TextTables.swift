import DaybookJournal

/// The tables of Unicode that come with this process, by which texts are folded and normalized.
enum TextTables {
  /// A check by which tables of one version are told from those of another: of the age of every sixteenth
  /// scalar of the first two planes. Each version of Unicode adds whole columns of scalars there.
  //
  // The version itself cannot be asked for. To look at all scalars would take longer than to make a list.
  static let check: String = {
    var ages: [UInt8] = []
    ages.reserveCapacity(0x20000 / 16 * 2)
    for value in stride(from: 0 as UInt32, to: 0x20000, by: 16) {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let age = scalar.properties.age
      ages.append(UInt8(truncatingIfNeeded: age?.major ?? 0))
      ages.append(UInt8(truncatingIfNeeded: age?.minor ?? 0))
    }
    return Hexadecimal.digits(XXH64.check(ages.span.bytes, seed: 0))
  }()
}
