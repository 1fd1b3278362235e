import Daybook
import DaybookTesting
import FoundationEssentials

/// The data of the example `failed-banks`: invented banks, which are identical in every run.
enum FailedBankData {
  /// The number of banks. The list has many more banks than fit on a screen.
  static let count = 234

  /// Returns the banks with their details. The identifiers are the numbers from 1 to ``count``.
  static func banks() -> [(info: FailedBankInfo, details: FailedBankDetails)] {
    var random = SplitMix64(seed: 2012)
    func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
    func pick(_ words: [String]) -> String { words[below(words.count)] }
    var names: Set<String> = []
    return (1...count).map { number in
      var (name, town) = ("", "")
      repeat {
        town = pick(trees) + pick(endings)
        name = "\(pick(kinds)) of \(town)"
      } while !names.insert(name).inserted
      let state = pick(states)
      let closeDay = below(1500)
      let details = FailedBankDetails(
        id: number, zip: "\(10_000 + below(90_000))", closeDate: date(closeDay),
        updateDate: date(closeDay + 1 + below(400)))
      let info = FailedBankInfo(
        id: number, name: name, city: town, state: state, details: Reference(details))
      return (info, details)
    }
  }

  /// Returns the start of a day in UTC. Day 0 is the first day of 2008.
  static func date(_ day: Int) -> Date {
    Date(timeIntervalSince1970: 1_199_145_600 + 86_400 * Double(day))
  }

  private static let kinds = ["First Bank", "Second Bank", "Old Bank", "People's Bank"]
  private static let trees = [
    "Alder", "Birch", "Cedar", "Cherry", "Elm", "Hazel", "Larch", "Linden", "Maple", "Rowan",
    "Spruce", "Willow",
  ]
  private static let endings = [
    "bottom", "crossing", "ditch", "hollow", "mere", "marsh", "stile", "wick",
  ]
  private static let states = [
    "AZ", "CA", "CO", "FL", "GA", "IL", "KS", "MI", "MN", "NV", "OH", "TX", "WA", "WI",
  ]
}
