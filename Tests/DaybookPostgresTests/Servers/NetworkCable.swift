#if Postgres
  import DaybookCLibrary
  import TestSupport

  /// A network between this machine and the namespace of a server, which a test can cut.
  ///
  /// The server is alive while the cable is cut, and packets in both directions disappear.
  final class NetworkCable: Sendable {
    /// The addresses of all cables, which documentation uses and no network.
    static let addresses = "198.51.100.0/24"

    static let absence = "network namespaces need the rights of root"

    /// A Boolean value that indicates whether this process may make namespaces and their networks.
    static let isAvailable =
      (try? PostgresServer.run("unshare -mn ip link add one type veth peer name two")) != nil

    let serverAddress: String
    private let name: String

    init() throws {
      // Each of 64 processes has a network of four addresses.
      let network = Int(getpid()) % 64 * 4
      name = "daybook\(getpid())"
      serverAddress = "198.51.100.\(network + 2)"
      do {
        try PostgresServer.run(
          """
          exec 2>/dev/null
          ip netns add \(name) &&
          ip link add \(name) type veth peer name cable netns \(name) &&
          ip address add 198.51.100.\(network + 1)/30 dev \(name) && ip link set \(name) up &&
          ip netns exec \(name) ip address add \(serverAddress)/30 dev cable &&
          ip netns exec \(name) ip link set cable up
          """)
      } catch {
        try? PostgresServer.run(removal)
        throw error
      }
    }

    deinit { try? PostgresServer.run(removal) }

    /// The words before a command that runs in the namespace.
    var prefix: String { "ip netns exec \(name)" }

    /// A command that removes the namespace, and its network with it.
    var removal: String { "{ ip netns delete \(name) || true; } 2>/dev/null" }

    func cut() throws { try PostgresServer.run("\(prefix) ip link set cable down") }

    func mend() throws { try PostgresServer.run("\(prefix) ip link set cable up") }
  }
#endif
