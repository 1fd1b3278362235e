import Foundation

/// The command `daybook-examples NAME`, which runs one of the examples and prints its output in the
/// terminal.
@main
struct Command {
  static let examples: [Example] = [
    .items, .reorder, .games, .failedBanks, .food, .apps, .tracker, .sales,
  ]
  /// The examples, and the one that needs a server.
  private static let all = examples + [.shared]

  static func main() async { exit(await runInTerminal()) }

  // `main()` belongs to the main actor, but the closures that print do not.
  private static func runInTerminal() async -> Int32 {
    #if Postgres
      if let status = await CountingMachine.run(CommandLine.arguments) { return status }
    #endif
    return await run(
      Array(CommandLine.arguments.dropFirst()), output: { print($0) }, problem: printProblem)
  }

  /// Runs the command with some arguments.
  ///
  /// - Parameters:
  ///   - arguments: The arguments of the process, without the name of the program.
  ///   - parent: The parent of the directory for the example's files.
  ///   - output: A closure that prints a line to standard output.
  ///   - problem: A closure that prints a line to standard error.
  /// - Returns: 0 if the command succeeded, 2 if the arguments are invalid, 3 if the system refused
  ///   an operation.
  static func run(
    _ arguments: [String], in parent: String = ScratchDirectory.parent,
    output: @escaping (String) -> Void, problem: (String) -> Void
  ) async -> Int32 {
    guard let name = arguments.first, !arguments.contains(where: { ["--help", "-h"].contains($0) })
    else {
      output(usage)
      return 0
    }
    guard let example = all.first(where: { $0.name == name }) else {
      problem(unknown(name))
      return 2
    }
    let flags = arguments.dropFirst()
    if let flag = flags.first(where: { $0 != "--timed" }) {
      problem("\(name) has no option '\(flag)'; its only option is --timed.")
      return 2
    }
    do {
      try await ScratchDirectory.with(in: parent) {
        try await example.play(Stage(in: $0, isTimed: !flags.isEmpty, output))
      }
      return 0
    } catch {
      problem("\(error)")
      return 3
    }
  }

  static var usage: String {
    let width = all.map(\.name.count).max() ?? 0
    let lines = all.map { example in
      let space = String(repeating: " ", count: width - example.name.count)
      return "  \(example.name)\(space)  \(example.summary)"
    }
    return """
      usage: daybook-examples NAME [--timed]

      Plays one of these examples in the terminal:

      \(lines.joined(separator: "\n"))

      An example needs no files, prints the same text in every run, and removes its
      files. With --timed it also prints the durations of fetches, which vary. The
      example shared needs PostgreSQL.

      example: swift run daybook-examples games
      """
  }

  private static func unknown(_ name: String) -> String {
    let names = all.map(\.name)
    guard let nearest = nearest(to: name, among: names) else {
      return "no example '\(name)'; the examples are \(names.joined(separator: ", "))."
    }
    return "no example '\(name)'; did you mean '\(nearest)'?"
  }

  /// Returns the name that differs from a name in the fewest characters; nil if every name differs
  /// in more than four characters.
  private static func nearest(to name: String, among names: [String]) -> String? {
    func distance(_ other: String) -> Int { name.difference(from: other).count }
    return names.filter { distance($0) <= 4 }.min { distance($0) < distance($1) }
  }

  private static func printProblem(_ text: String) {
    // If standard error is closed, the text is lost, because there is no other place to report it.
    try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
  }
}
