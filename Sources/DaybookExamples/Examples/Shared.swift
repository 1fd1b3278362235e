import Daybook

#if Postgres
  import DaybookPostgres
  import Foundation

  // A shopping list that three machines edit. Each has a replica of one log, which is in a cluster
  // of PostgreSQL servers.

  struct ShoppingItem: Record {
    var id = ""
    var amount = 0
    var buyer: String?

    static let schema = RecordSchema<ShoppingItem>("ShoppingItem")
      .attribute("amount", at: \.amount).attribute("buyer", at: \.buyer)
  }

  /// A machine with a replica of the list.
  struct ShoppingMachine: Sendable {
    let name: String
    let store: Store

    init(_ name: String, at path: String, sharing url: String) async throws {
      self.name = name
      store = try await Store(at: path, sharing: PostgresLog(url), records: ShoppingItem.self)
    }

    /// Saves changes, also while a server fails and another one takes its place.
    func write(
      _ body: @escaping @Sendable (EditingContext) throws -> Void
    ) async throws {
      _ = try await store.commit(
        TransactionMetadata(author: name), waitingUpTo: .seconds(60), body: body)
    }

    /// The list as text, after everything that was saved before the call.
    func list() async throws -> String {
      try await store.pull()
      let items = try store.fetch(ShoppingItem.self, sortedBy: [.ascending(\.id)])
      return items.map { item in
        "\(item.amount) \(item.id)" + (item.buyer.map { ", bought by \($0)" } ?? "")
      }.joined(separator: "\n")
    }
  }

  /// The third machine: a process that adds eggs one by one. After its goal it waits until its
  /// standard input ends, so that it can be killed at any speed.
  enum CountingMachine {
    static let goal = 20

    /// Runs the process of the machine, if the words of a command line request it.
    static func run(_ words: [String]) async -> Int32? {
      guard words.count == 4, words[1] == "--counting-machine" else { return nil }
      do {
        let machine = try await ShoppingMachine("cleo", at: words[2], sharing: words[3])
        var isDone = false
        while !isDone {
          try await machine.write { context in
            try context.update(ShoppingItem.self, id: "eggs") { eggs in
              if eggs.amount < goal { eggs.amount += 1 }
            }
          }
          isDone = try machine.store.object(ShoppingItem.self, id: "eggs")?.amount == goal
        }
        while readLine() != nil {}
        try await machine.store.close()
        return 0
      } catch {
        print(error)
        return 3
      }
    }

    /// Starts the process.
    static func start(
      at path: String, sharing url: String, input: Any = FileHandle.nullDevice
    ) throws -> Process {
      let process = Process()
      process.executableURL = Bundle.main.executableURL
      process.arguments = ["--counting-machine", path, url]
      process.standardInput = input
      try process.run()
      return process
    }
  }

  extension Example {
    static let shared = Example(
      "shared", summary: "three machines, one list, and a server that is killed",
      repeatsJournal: false
    ) { stage in
      let cluster = try ExampleCluster()
      defer { cluster.stop() }
      try await PostgresLog.createSchema(
        cluster.url.replacing("/postgres/shopping", with: "/postgres"))
      stage.heading("Three machines edit one list")
      stage.say("Two PostgreSQL servers run. A commit is acknowledged when both have it.")
      func machine(_ name: String) async throws -> ShoppingMachine {
        try await ShoppingMachine(
          name, at: stage.path("\(name).daybook"), sharing: cluster.url)
      }

      stage.act("ann creates the log, and ben opens a replica of it")
      let ann = try await machine("ann")
      try await ann.write { context in
        try context.insert(ShoppingItem(id: "bread", amount: 1))
        try context.insert(ShoppingItem(id: "eggs"))
        try context.insert(ShoppingItem(id: "milk", amount: 2))
      }
      let ben = try await machine("ben")
      stage.log(try await ben.list())

      stage.act("both change the milk at the same time, and both changes stay")
      async let more: Void = ann.write {
        try $0.update(ShoppingItem.self, id: "milk") { $0.amount = 3 }
      }
      async let bought: Void = ben.write {
        try $0.update(ShoppingItem.self, id: "milk") { $0.buyer = "ben" }
      }
      _ = try await (more, bought)
      stage.log(try await ann.list())

      stage.act("cleo adds eggs one by one, in a process that is killed")
      let cleoPath = stage.path("cleo.daybook")
      let input = Pipe()
      let cleo = try CountingMachine.start(at: cleoPath, sharing: cluster.url, input: input)
      while try ann.store.object(ShoppingItem.self, id: "eggs")?.amount ?? 0 < 3 {
        guard cleo.isRunning else {
          throw ExampleCluster.Refusal(description: "The process of cleo has ended too early.")
        }
        try await Task.sleep(for: .milliseconds(5))
      }
      kill(cleo.processIdentifier, SIGKILL)
      cleo.waitUntilExit()
      try input.fileHandleForWriting.close()
      stage.log("the process was ended by signal \(cleo.terminationStatus)")

      stage.act("the primary is killed too, and the standby takes its place")
      try cluster.failOver()
      try await ann.write { try $0.insert(ShoppingItem(id: "tea", amount: 1)) }
      try await ben.write { try $0.update(ShoppingItem.self, id: "bread") { $0.amount = 2 } }
      stage.log("ann and ben have saved")

      stage.act("cleo comes back, and continues where she was")
      let again = try CountingMachine.start(at: cleoPath, sharing: cluster.url)
      again.waitUntilExit()
      stage.log("the process ended with status \(again.terminationStatus)")

      stage.act("compare the lists and the replicas")
      let third = try await machine("cleo")
      let lists = [try await ann.list(), try await ben.list(), try await third.list()]
      stage.log(lists[0])
      let machines = [ann, ben, third]
      for machine in machines { try await machine.store.close() }
      let heads = try machines.map { try JournalReader(at: stage.path("\($0.name).daybook")).head }
      guard Set(lists).count == 1, Set(heads).count == 1 else {
        throw ExampleCluster.Refusal(description: "The machines differ: \(lists) \(heads)")
      }
      stage.log("the three replicas have the same \(heads[0].sequence) transactions")
    }
  }
#else
  extension Example {
    /// The error of a build without PostgreSQL.
    private struct Absence: Error, CustomStringConvertible {
      let description =
        "shared needs PostgreSQL: install the server and libpq, and type: "
        + "swift run --traits Postgres daybook-examples shared"
    }

    static let shared = Example(
      "shared", summary: "three machines, one list, and a server that is killed"
    ) { _ in throw Absence() }
  }
#endif
