/// The settings of a run, which the initializer parses from the command line.
struct Settings {
  var names: [String] = []
  var isQuick = false
  var jsonPath: String?
  /// The path of the file with the figures of an earlier run; nil for no comparison.
  var comparedPath: String?
  var directory = "."
  var wantsHelp = false
  /// The number of rows of measured lists; nil for the default sizes.
  var listRowCount: Int?

  /// The error of an invalid command line.
  struct Misunderstanding: Error, CustomStringConvertible {
    let description: String
  }

  /// - Parameter workloads: The names of the workloads.
  init(_ arguments: some Sequence<String>, workloads: [String]) throws {
    var rest = Array(arguments)[...]
    func value(of flag: String) throws -> String {
      guard let value = rest.popFirst() else {
        throw Misunderstanding(description: "\(flag) needs a value.")
      }
      return value
    }
    while let argument = rest.popFirst() {
      switch argument {
      case "--quick": isQuick = true
      case "--json": jsonPath = try value(of: argument)
      case "--compare": comparedPath = try value(of: argument)
      case "--rows":
        let count = try value(of: argument)
        guard let number = Int(count), number >= 1000, number <= 10_000_000 else {
          throw Misunderstanding(
            description: "--rows needs a number from 1000 to 10000000; found '\(count)'.")
        }
        listRowCount = number
      case "--directory": directory = try value(of: argument)
      case "--help", "-h": wantsHelp = true
      case _ where argument.hasPrefix("-"):
        throw Misunderstanding(description: "unknown option '\(argument)'.")
      case _ where workloads.contains(argument): names.append(argument)
      default:
        let known = workloads.joined(separator: ", ")
        throw Misunderstanding(
          description: "unknown workload '\(argument)'; use one of \(known).")
      }
    }
  }

  /// The number of repetitions of each measurement.
  var repetitionCount: Int { isQuick ? 2 : 5 }

  /// Returns the number of steps to perform: the given number, or a fifth of it in a quick run.
  func count(_ usual: Int) -> Int { isQuick ? max(1, usual / 5) : usual }

  /// The number of rows of the largest store.
  var rowCount: Int { isQuick ? 100_000 : 1_000_000 }
}
