#if Postgres
  import DaybookJournal
  import DaybookPlatform
  import Testing
  import TestSupport

  @testable import DaybookPostgres

  @Suite(
    "Networks between a machine and its server", .serialized,
    .enabled(if: PostgresServer.isInstalled, "\(PostgresServer.absence)"))
  struct PostgresNetworkServerTests {
    @Test(.enabled(if: NetworkCable.isAvailable, "\(NetworkCable.absence)"))
    func `an append over a cut cable is unknown, and is resolved when the cable is mended`()
      async throws
    {
      let cable = try NetworkCable()
      let server = try PostgresServer(cable: cable)
      let log = server.log(
        "cable", query: "connect_timeout=2",
        options: PostgresOptions(timeLimit: .seconds(2), notifiesFollowers: false))
      var groups = try await log.fill(2)
      try cable.cut()
      groups.append(.after(groups[2].end))
      #expect(
        await sentence { try await log.append(groups[3]) } == """
          The log \(log.name) did not answer an append, which may be in the log or not: the server \
          did not react for 2.0 seconds.
          """)
      // A new connection is not made either, and nothing is sent.
      let second = await sentence { try await log.append(groups[3]) }
      #expect(second.hasPrefix("The log \(log.name) cannot be reached: "), "\(second)")
      try cable.mend()
      #expect(try await log.appendUntilKnown(groups[3]) == .appended(serverCount: 1))
      #expect(try await log.readAll() == groups)
    }

    /// A command that makes a key and a certificate for the host `localhost`.
    private static func certificate(_ name: String) -> String {
      """
      openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 \
      -subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout \(name).key -out \(name).crt \
      && chmod 600 \(name).key
      """
    }

    private static let hasOpenSSL = (try? PostgresServer.run("command -v openssl")) != nil

    @Test(.enabled(if: hasOpenSSL, "openssl is not installed"))
    func `TLS verifies the certificate and the host`() async throws {
      let server = try PostgresServer(
        ["ssl=on", "ssl_cert_file=../server.crt", "ssl_key_file=../server.key"],
        preparation: """
          \(PostgresNetworkServerTests.certificate("server")) && \
          \(PostgresNetworkServerTests.certificate("other")) && \
          chown --reference=. server.key
          """)
      func log(_ host: String, root: String) -> PostgresLog {
        PostgresLog(
          """
          postgres://admin@\(host):\(server.port)/postgres?hostaddr=127.0.0.1\
          &sslmode=verify-full&sslrootcert=\(server.path(root))
          """, name: "tls")
      }
      let right = log("localhost", root: "server.crt")
      #expect(try await right.append(.header()) == .appended(serverCount: 1))
      #expect(
        try server.number(
          """
          select count(*) from pg_stat_ssl join pg_stat_activity using (pid)
          where ssl and application_name = 'daybook' and pid <> pg_backend_pid()
          """) == 1)
      let wrongHost = log("example.com", root: "server.crt")
      let first = await sentence { try await wrongHost.head() }
      #expect(first.hasPrefix("The log \(wrongHost.name) cannot be reached: "), "\(first)")
      #expect(
        first.contains(
          "server certificate for \"localhost\" does not match host name \"example.com\""),
        "\(first)")
      let wrongRoot = log("localhost", root: "other.crt")
      let second = await sentence { try await wrongRoot.head() }
      #expect(second.hasPrefix("The log \(wrongRoot.name) cannot be reached: "), "\(second)")
      #expect(second.contains("certificate verify failed"), "\(second)")
    }
  }
#endif
