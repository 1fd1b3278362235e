// swift-tools-version: 6.2

import PackageDescription

let settings: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  // Invariants of what a step touches are checked after it where this is defined, and only there.
  .define("DAYBOOK_CHECKS", .when(configuration: .debug)),
]

let package = Package(
  name: "Daybook",
  // The oldest systems that have `InlineArray` and the spans of arrays and strings. Linux has no
  // versions.
  platforms: [.macOS(.v26), .iOS(.v26), .tvOS(.v26), .watchOS(.v26), .visionOS(.v26)],
  products: [
    .library(name: "DaybookJournal", targets: ["DaybookJournal"]),
    .library(name: "DaybookStore", targets: ["DaybookStore"]),
    .library(name: "Daybook", targets: ["Daybook"]),
    .library(name: "DaybookText", targets: ["DaybookText"]),
    .library(name: "DaybookFoundation", targets: ["DaybookFoundation"]),
    .library(name: "DaybookTesting", targets: ["DaybookTesting"]),
    .library(name: "DaybookPostgres", targets: ["DaybookPostgres"]),
    .executable(name: "daybook", targets: ["DaybookTool"]),
    .executable(name: "daybook-examples", targets: ["DaybookExamples"]),
    .executable(name: "daybook-benchmarks", targets: ["DaybookBenchmarks"]),
  ],
  traits: [
    .trait(
      name: "Postgres",
      description: "A log in PostgreSQL that several machines share. Needs libpq."),
    .default(enabledTraits: []),
  ],
  targets: [
    // The C library of the system, whichever there is.
    .target(name: "DaybookCLibrary", swiftSettings: settings),

    // The operating system: files, syncs, locks, maps, watches, clocks, threads, terminals. The
    // only target of the package's sources that imports a C library.
    .target(
      name: "DaybookPlatform", dependencies: ["DaybookCLibrary"], swiftSettings: settings),

    // FoundationEssentials, or Foundation where there is only that.
    .target(name: "DaybookEssentials", swiftSettings: settings),

    // Payloads into frames on disk and back; durability, recovery, tailing; knows no records.
    .target(
      name: "DaybookJournal", dependencies: ["DaybookPlatform"], swiftSettings: settings),

    // Schema, values, rows, changes, contexts, transactions; the current state and its snapshots.
    .target(
      name: "DaybookStore",
      dependencies: ["DaybookPlatform", "DaybookEssentials", "DaybookJournal"],
      swiftSettings: settings),

    // JSON Lines: journals imported from text and exported to it, with an inferred schema where the
    // text has none.
    .target(
      name: "DaybookText",
      dependencies: ["DaybookPlatform", "DaybookEssentials", "DaybookJournal", "DaybookStore"],
      swiftSettings: settings),

    // Filter, order, sections, window; result sets and the differences between them.
    .target(
      name: "DaybookResults",
      dependencies: ["DaybookPlatform", "DaybookEssentials", "DaybookJournal", "DaybookStore"],
      swiftSettings: settings),

    // The module that users import: controllers and their delegates. It exports the modules below.
    .target(
      name: "Daybook",
      dependencies: [
        "DaybookPlatform", "DaybookEssentials", "DaybookJournal", "DaybookStore", "DaybookResults",
      ],
      swiftSettings: settings),

    // Extensions that need all of Foundation: sort orders, time zones, localized errors.
    .target(
      name: "DaybookFoundation", dependencies: ["Daybook", "DaybookResults"],
      swiftSettings: settings),

    // The client library of PostgreSQL. Without the trait, the package does not look for it.
    .systemLibrary(
      name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),

    // A shared log in a PostgreSQL database. Without the trait, the module is empty.
    .target(
      name: "DaybookPostgres",
      dependencies: [
        "DaybookPlatform", "DaybookJournal",
        .target(name: "CLibPQ", condition: .when(traits: ["Postgres"])),
      ],
      swiftSettings: settings),

    // Simulations for tests of journals: a clock; a disk that fails, writes partially, lies about
    // syncs and loses power; shared logs with faults; the laws of journals and logs.
    .target(
      name: "DaybookSimulation", dependencies: ["DaybookPlatform", "DaybookJournal"],
      swiftSettings: settings),

    // Test support for programs: a table view without a screen, transcripts of the calls to
    // delegates, the laws of lists. It exports the simulations.
    .target(
      name: "DaybookTesting",
      dependencies: [
        "DaybookEssentials", "Daybook", "DaybookResults", "DaybookStore", "DaybookJournal",
        "DaybookSimulation",
      ],
      swiftSettings: settings),

    // The tool for the command line.
    .executableTarget(
      name: "DaybookTool",
      dependencies: [
        "DaybookPlatform", "DaybookEssentials", "Daybook", "DaybookJournal", "DaybookStore",
        "DaybookText", "DaybookResults",
        .target(name: "DaybookPostgres", condition: .when(traits: ["Postgres"])),
      ],
      packageAccess: false, swiftSettings: settings),

    // Small programs that a reader can run and compare with their own.
    .executableTarget(
      name: "DaybookExamples",
      dependencies: [
        "Daybook", "DaybookTesting",
        .target(name: "DaybookPostgres", condition: .when(traits: ["Postgres"])),
      ],
      packageAccess: false, swiftSettings: settings),

    // Workloads and their yardsticks.
    .executableTarget(
      name: "DaybookBenchmarks",
      dependencies: [
        "DaybookPlatform", "DaybookEssentials", "Daybook", "DaybookJournal", "DaybookStore",
        "DaybookResults", "DaybookPostgres",
        .target(name: "CLibPQ", condition: .when(traits: ["Postgres"])),
      ],
      exclude: ["Notes"], swiftSettings: settings),

    // Support for the tests of several modules: threads, gates, temporary directories.
    .target(
      name: "TestSupport",
      dependencies: ["DaybookCLibrary", "DaybookPlatform", "DaybookJournal", "DaybookSimulation"],
      path: "Tests/TestSupport", swiftSettings: settings),

    // Support for tests that open stores: records of every type, hostile journals, and an audit of
    // all stores of the process.
    .target(
      name: "StoreTestSupport",
      dependencies: ["DaybookJournal", "DaybookStore", "DaybookSimulation"],
      path: "Tests/StoreTestSupport", swiftSettings: settings),

    // Support for tests that import and export text.
    .target(
      name: "TextTestSupport",
      dependencies: [
        "DaybookJournal", "DaybookStore", "DaybookText", "DaybookSimulation", "StoreTestSupport",
      ],
      path: "Tests/TextTestSupport", swiftSettings: settings),

    // The calls of the operating system, on this machine.
    .testTarget(
      name: "DaybookPlatformTests",
      dependencies: [
        "DaybookCLibrary", "DaybookPlatform", "DaybookJournal", "DaybookSimulation", "TestSupport",
      ],
      swiftSettings: settings),

    // The rules of the journal.
    .testTarget(
      name: "DaybookJournalTests",
      dependencies: [
        "DaybookCLibrary", "DaybookPlatform", "DaybookJournal", "DaybookSimulation", "JournalChild",
        "TestSupport",
      ],
      swiftSettings: settings),

    // The promises of the simulated clock, disk and logs.
    .testTarget(
      name: "DaybookSimulationTests",
      dependencies: [
        "DaybookCLibrary", "DaybookPlatform", "DaybookJournal", "DaybookSimulation", "TestSupport",
      ],
      swiftSettings: settings),

    // The promises of a store: rows, changes, contexts, moments.
    .testTarget(
      name: "DaybookStoreTests",
      dependencies: [
        "DaybookCLibrary", "DaybookPlatform", "DaybookJournal", "DaybookStore", "DaybookText",
        "DaybookSimulation", "TestSupport", "StoreTestSupport", "TextTestSupport",
      ],
      swiftSettings: settings),

    // Import, export, and the schema that a text implies.
    .testTarget(
      name: "DaybookTextTests",
      dependencies: [
        "DaybookCLibrary", "DaybookPlatform", "DaybookJournal", "DaybookStore", "DaybookText",
        "DaybookSimulation", "TestSupport", "StoreTestSupport", "TextTestSupport",
      ],
      swiftSettings: settings),

    // The promises of a list: order, sections, windows, and exact differences.
    .testTarget(
      name: "DaybookResultsTests",
      dependencies: [
        "DaybookCLibrary", "DaybookJournal", "DaybookStore", "DaybookResults", "DaybookSimulation",
        "TestSupport", "StoreTestSupport",
      ],
      swiftSettings: settings),

    // The promises of controllers: a view that follows their calls shows the list.
    .testTarget(
      name: "DaybookTests",
      dependencies: [
        "DaybookCLibrary", "DaybookPlatform", "DaybookStore", "DaybookResults", "Daybook",
        "DaybookTesting", "TestSupport", "StoreTestSupport",
      ],
      swiftSettings: settings),

    // The promises of the table view, the transcripts and the laws of lists.
    .testTarget(
      name: "DaybookTestingTests",
      dependencies: [
        "DaybookJournal", "Daybook", "DaybookTesting", "TestSupport", "StoreTestSupport",
      ],
      swiftSettings: settings),

    // Sort orders, time zones and errors of Foundation.
    .testTarget(
      name: "DaybookFoundationTests",
      dependencies: [
        "DaybookPlatform", "DaybookFoundation", "Daybook", "DaybookResults", "DaybookTesting",
        "TestSupport",
      ],
      swiftSettings: settings),

    // The rules of a shared log, on PostgreSQL servers that the tests start.
    .testTarget(
      name: "DaybookPostgresTests",
      dependencies: [
        "DaybookCLibrary", "DaybookPlatform", "DaybookPostgres", "DaybookJournal", "DaybookStore",
        "DaybookTesting", "DaybookBenchmarks", "DaybookExamples", "DaybookTool", "ReplicaChild",
        "TestSupport", "StoreTestSupport",
        .target(name: "CLibPQ", condition: .when(traits: ["Postgres"])),
      ],
      exclude: ["Transcripts"], swiftSettings: settings),

    // The output of the tool, in sessions as a user would type them.
    .testTarget(
      name: "DaybookToolTests",
      dependencies: [
        "DaybookCLibrary", "DaybookPlatform", "DaybookJournal", "DaybookStore", "DaybookText",
        "DaybookResults", "Daybook", "DaybookTool", "DaybookTesting", "TestSupport",
        "StoreTestSupport",
      ],
      exclude: ["Transcripts", "Shells", "Browsers", "Browsing/Screens"], swiftSettings: settings),

    // The output and the files of the examples, to the letter.
    .testTarget(
      name: "DaybookExamplesTests",
      dependencies: [
        "DaybookCLibrary", "DaybookExamples", "Daybook", "DaybookStore", "DaybookText",
        "DaybookJournal", "DaybookTesting", "TestSupport",
      ],
      swiftSettings: settings),

    // A process for tests to kill.
    .executableTarget(
      name: "JournalChild",
      dependencies: ["DaybookCLibrary", "DaybookJournal", "DaybookSimulation"],
      path: "Tests/JournalChild",
      swiftSettings: settings),

    // A process with a replica of a shared log, for tests to kill.
    .executableTarget(
      name: "ReplicaChild",
      dependencies: ["DaybookCLibrary", "DaybookPostgres", "DaybookStore", "DaybookJournal"],
      path: "Tests/ReplicaChild",
      swiftSettings: settings),

    // The reports and verdicts of the benchmarks.
    .testTarget(
      name: "DaybookBenchmarksTests", dependencies: ["DaybookBenchmarks", "TestSupport"],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)

// Some of the test targets, for builds that run no other tests: their names with commas. Programs
// that these tests do not run are not built either.
if let names = Context.environment["DAYBOOK_TESTS"]?.split(separator: ",").map(String.init) {
  let known = package.targets.filter { $0.type == .test }.map(\.name)
  if let unknown = names.first(where: { !known.contains($0) }) {
    fatalError("DAYBOOK_TESTS: \(unknown) is not one of \(known.joined(separator: ", ")).")
  }
  var needed: Set<String> = []
  var found = names
  while let name = found.popLast() {
    guard needed.insert(name).inserted else { continue }
    for dependency in package.targets.first(where: { $0.name == name })?.dependencies ?? [] {
      switch dependency {
      case .targetItem(let name, _), .byNameItem(let name, _): found.append(name)
      default: break
      }
    }
  }
  package.targets.removeAll {
    ($0.type == .test || $0.type == .executable) && !needed.contains($0.name)
  }
  let targets = Set(package.targets.map(\.name))
  package.products.removeAll { product in
    (product as? Product.Executable)?.targets.allSatisfy { !targets.contains($0) } ?? false
  }
}

// Test files that a build leaves out: their paths with commas.
for path in Context.environment["DAYBOOK_WITHOUT_TESTS"]?.split(separator: ",") ?? [] {
  let parts = path.split(separator: "/", maxSplits: 2)
  guard parts.count == 3, parts[0] == "Tests" else {
    fatalError("DAYBOOK_WITHOUT_TESTS: \(path) is not the path of a test file.")
  }
  package.targets.first { $0.name == parts[1] }?.exclude.append(String(parts[2]))
}

// A fuzzer of journal bytes. It is built only on request, as libFuzzer contains a main function.
if Context.environment["DAYBOOK_FUZZ"] != nil {
  package.products.append(.executable(name: "hostile-fuzzer", targets: ["HostileFuzzer"]))
  package.targets.append(
    .executableTarget(
      name: "HostileFuzzer", dependencies: ["DaybookStore"], path: "Tests/HostileFuzzer",
      exclude: ["build.sh"],
      swiftSettings: settings))
}
