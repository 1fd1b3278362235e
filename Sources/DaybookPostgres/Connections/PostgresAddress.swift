#if Postgres
  import CLibPQ

  /// The parameters of a connection, as libpq reads them from a URL.
  struct PostgresAddress: Sendable {
    /// The parameters of the URL, and the defaults of this module. A parameter occurs once.
    private var parameters: [String: String]
    /// The parameters of the URL alone.
    private let given: [String: String]
    /// The address in messages: hosts, ports and the database, without the user and the password.
    let displayName: String
    /// The values that no message may contain.
    private let secrets: [String]

    /// A URL that cannot be used. The text contains nothing of the URL.
    struct Defect: Error {
      let reason: String
    }

    /// Parameters for URLs that do not contain them. libpq itself would wait without a limit.
    private static let defaults = [
      "connect_timeout": "5", "application_name": "daybook", "keepalives_idle": "30",
      "keepalives_interval": "10", "keepalives_count": "3",
    ]

    init(_ url: String) throws(Defect) {
      var given: [String: String] = [:]
      // The message of libpq is dropped: it contains parts of the URL, and so of the password.
      var message: UnsafeMutablePointer<CChar>?
      let list = PQconninfoParse(url, &message)
      if let message { PQfreemem(message) }
      guard let list else {
        throw Defect(
          reason: """
            its URL cannot be read. Write it as postgres://user@host:port/database, and each \
            special character of a password as a percent sign and two digits
            """)
      }
      defer { PQconninfoFree(list) }
      var option = list
      while let keyword = option.pointee.keyword {
        if let value = option.pointee.val {
          given[String(cString: keyword)] = String(cString: value)
        }
        option += 1
      }
      try PostgresAddress.check(given)
      self.given = given

      secrets = ["password", "sslpassword"].compactMap { given[$0] }.filter { !$0.isEmpty }
      displayName = PostgresAddress.displayName(given)
      var parameters = given.merging(PostgresAddress.defaults) { given, _ in given }
      parameters["client_encoding"] = "UTF8"
      self.parameters = parameters
    }

    /// Finds a password whose special characters are not encoded: the rest of it is then a part of
    /// the host, the port or the database.
    private static func check(_ given: [String: String]) throws(Defect) {
      let keywords = ["host", "hostaddr", "port", "dbname"]
      if keywords.contains(where: { given[$0]?.contains("@") ?? false }) {
        throw Defect(
          reason: """
            its URL contains an @ after the user's part. In a password, write it as %40, and a \
            slash as %2F
            """)
      }
      for port in list(given["port"]) where !port.isEmpty {
        guard let number = Int(port), 1...65535 ~= number else {
          throw Defect(
            reason: """
              the port of its URL is not a number from 1 to 65535. In a password, write a slash \
              as %2F
              """)
        }
      }
    }

    private static func list(_ value: String?) -> [String] {
      value.map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
        ?? []
    }

    private static func displayName(_ given: [String: String]) -> String {
      let ports = list(given["port"])
      let hosts = list(given["host"] ?? given["hostaddr"])
      let servers = hosts.indices.map { index in
        let port = ports.count == 1 ? ports[0] : index < ports.count ? ports[index] : ""
        return port.isEmpty ? hosts[index] : "\(hosts[index]):\(port)"
      }
      return "postgres://\(servers.joined(separator: ","))/\(given["dbname"] ?? "")"
    }

    /// A Boolean value that indicates whether the URL contains a password.
    var hasPassword: Bool { !secrets.isEmpty }

    /// Returns a URL of the address with a log's name as the last part of its path, without
    /// passwords.
    func url(ofLog log: String) -> String {
      let ports = PostgresAddress.list(given["port"])
      let hosts = PostgresAddress.list(given["host"])
      let servers = hosts.indices.map { index in
        // The zone of an IPv6 address follows a percent sign.
        let host =
          hosts[index].contains(":")
          ? "[\(hosts[index].replacing("%", with: "%25"))]" : PercentCode.encoded(hosts[index])
        let port = ports.count == 1 ? ports[0] : index < ports.count ? ports[index] : ""
        return port.isEmpty ? host : "\(host):\(port)"
      }
      var left = given
      for name in ["host", "dbname", "user", "password", "sslpassword"] { left[name] = nil }
      if !hosts.isEmpty { left["port"] = nil }
      let query = left.sorted { $0.key < $1.key }
        .map { "\($0.key)=\(PercentCode.encoded($0.value))" }.joined(separator: "&")
      let user = given["user"].map { "\(PercentCode.encoded($0))@" } ?? ""
      let parts = given["dbname"] == log ? [log] : [given["dbname"] ?? "", log]
      let path = parts.map { PercentCode.encoded($0) }.joined(separator: "/")
      return "postgres://\(user)\(servers.joined(separator: ","))/\(path)"
        + (query.isEmpty ? "" : "?\(query)")
    }

    /// Returns the parameters, with the list of hosts rotated so that it starts with a later host.
    func parameters(firstHost: Int) -> [(keyword: String, value: String)] {
      parameters.map { keyword, value in
        guard ["host", "hostaddr", "port"].contains(keyword) else { return (keyword, value) }
        let list = PostgresAddress.list(value)
        let rotated = list[(firstHost % list.count)...] + list[..<(firstHost % list.count)]
        return (keyword, rotated.joined(separator: ","))
      }
    }

    /// The number of hosts, each of which libpq tries.
    var hostCount: Int {
      max(
        1, PostgresAddress.list(parameters["host"]).count,
        PostgresAddress.list(parameters["hostaddr"]).count)
    }

    /// Returns the numbers of the hosts that libpq has tried in order, up to the connected one; an
    /// empty array if the address does not contain that host.
    func hosts(from first: Int, through last: (host: String, port: String)) -> [Int] {
      let hosts = PostgresAddress.list(parameters["host"] ?? parameters["hostaddr"])
      let ports = PostgresAddress.list(parameters["port"])
      var tried: [Int] = []
      for number in first..<first + hostCount {
        let index = number % hostCount
        tried.append(index)
        let port = ports.count == 1 ? ports[0] : index < ports.count ? ports[index] : ""
        let isLast = index < hosts.count && hosts[index] == last.host
        if isLast, port.isEmpty || port == last.port { return tried }
      }
      return []
    }

    /// Returns an address with a single host, which is given up after two seconds. libpq accepts no
    /// smaller limit.
    func limited(toHost number: Int) -> PostgresAddress {
      var limited = self
      limited.parameters["connect_timeout"] = "2"
      for keyword in ["host", "hostaddr", "port"] {
        let list = PostgresAddress.list(parameters[keyword])
        // A single port applies to all hosts.
        if list.count > 1 { limited.parameters[keyword] = list[number % list.count] }
      }
      return limited
    }

    /// Returns a message of libpq or of the server as a part of a sentence, without passwords.
    ///
    /// A message has one line for each host. Lines that begin with a tab are general advice.
    func clean(_ message: String) -> String {
      var text = message.split(separator: "\n").filter { !$0.hasPrefix("\t") }
        .joined(separator: "; ").replacing("FATAL:  ", with: "").replacing("ERROR:  ", with: "")
      if text.hasSuffix(".") { text.removeLast() }
      for secret in secrets { text = text.replacing(secret, with: "***") }
      return text
    }
  }
#endif
