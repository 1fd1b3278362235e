#if Postgres
  import Testing

  @_spi(Tools) @testable import DaybookPostgres

  @Suite("The address of a log")
  struct PostgresAddressTests {
    private func name(_ url: String) throws -> String { try PostgresAddress(url).displayName }

    private func defect(_ url: String) -> String {
      do {
        return "no defect: \(try PostgresAddress(url).displayName)"
      } catch {
        return error.reason
      }
    }

    @Test func `the name contains hosts, ports and the database, but no user and no password`()
      throws
    {
      #expect(try name("postgres://me:hush@db/app") == "postgres://db/app")
      #expect(try name("postgresql://me:hush@a:1,b:2/app?user=x") == "postgres://a:1,b:2/app")
      #expect(try name("postgres://a,b/app?port=7&password=hush") == "postgres://a:7,b:7/app")
      #expect(try name("host=a,b port=1,2 dbname=app password=hush") == "postgres://a:1,b:2/app")
      #expect(
        try name("postgres://me:p%40ss%2Fword@db/app?sslpassword=hush") == "postgres://db/app")
      #expect(try name("postgres:///app") == "postgres:///app")
    }

    @Test func `no defect of a URL contains a part of a password`() {
      let unreadable = """
        its URL cannot be read. Write it as postgres://user@host:port/database, and each special \
        character of a password as a percent sign and two digits
        """
      let at = """
        its URL contains an @ after the user's part. In a password, write it as %40, and a slash \
        as %2F
        """
      let port = """
        the port of its URL is not a number from 1 to 65535. In a password, write a slash as %2F
        """
      #expect(defect("postgres://me:hu%sh@db/app") == unreadable)
      #expect(defect("postgres://me:hush@[db/app") == unreadable)
      #expect(defect("nonsense") == unreadable)
      #expect(defect("host=db password=hush secret=hush") == unreadable)
      #expect(defect("postgres://me:hu@sh@db/app") == at)
      #expect(defect("postgres://me:1/hush@db/app") == at)
      #expect(defect("postgres://me:hu/sh") == port)
      #expect(defect("postgres://me@db:70000/app") == port)
    }

    @Test func `the hosts are rotated together with their ports`() throws {
      let address = try PostgresAddress(
        "postgres://a:1,b:2,c:3/app?hostaddr=10.0.0.1,10.0.0.2,10.0.0.3")
      func lists(_ firstHost: Int) -> [String] {
        let parameters = address.parameters(firstHost: firstHost)
        return ["host", "hostaddr", "port"].map { keyword in
          parameters.first { $0.keyword == keyword }?.value ?? ""
        }
      }
      #expect(lists(0) == ["a,b,c", "10.0.0.1,10.0.0.2,10.0.0.3", "1,2,3"])
      #expect(lists(1) == ["b,c,a", "10.0.0.2,10.0.0.3,10.0.0.1", "2,3,1"])
      #expect(lists(5) == ["c,a,b", "10.0.0.3,10.0.0.1,10.0.0.2", "3,1,2"])
    }

    @Test func `one host is selected together with its port`() throws {
      let address = try PostgresAddress(
        "postgres://a:1,b:2,c:3/app?hostaddr=10.0.0.1,10.0.0.2,10.0.0.3")
      let limited = address.limited(toHost: 1).parameters(firstHost: 0)
      let values = ["host", "hostaddr", "port", "dbname"].map { keyword in
        limited.first { $0.keyword == keyword }?.value ?? ""
      }
      #expect(values == ["b", "10.0.0.2", "2", "app"])
      #expect(address.hostCount == 3)
      let onePort = try PostgresAddress("host=a,b port=7 dbname=app")
      #expect(onePort.hostCount == 2)
      #expect(try PostgresAddress("postgres:///app").hostCount == 1)
      let second = onePort.limited(toHost: 1).parameters(firstHost: 0)
      #expect(second.contains { $0 == ("host", "b") } && second.contains { $0 == ("port", "7") })
    }

    @Test func `a message becomes a part of a sentence without the password`() throws {
      let address = try PostgresAddress("postgres://me:hush@db/app")
      #expect(
        address.clean("a failed: FATAL:  hush is wrong\n\tIs it so?\nb failed: no hush.\n")
          == "a failed: *** is wrong; b failed: no ***")
    }

    @Test func `the number of servers follows the settings of the primary`() {
      func count(_ names: String, commit: String = "on", fsync: String = "on") -> Int {
        ServerDurability(standbyNames: names, synchronousCommit: commit, fsync: fsync).serverCount
      }
      #expect(count("") == 1)
      #expect(count(" ") == 1)
      #expect(count("*") == 2)
      #expect(count("a, b") == 2)
      #expect(count("first") == 2)
      #expect(count("2 (a, b, c)") == 3)
      #expect(count("ANY 2 (\"a b\", c)") == 3)
      #expect(count("FIRST 3(a, b, c)") == 4)
      #expect(count("9223372036854775807 (a)") == 10_001)
      #expect(count("-5 (a)") == 2)
      #expect(count("*", commit: "remote_apply") == 2)
      #expect(count("*", commit: "local") == 1)
      #expect(count("*", commit: "off") == 0)
      #expect(count("*", fsync: "off") == 0)
    }
  }

  @Suite("The URL of a log")
  struct PostgresLogURLTests {
    private func parts(_ url: String) throws -> [String] {
      let parts = try PostgresLogURL(url)
      return [parts.database, parts.log, parts.withoutPassword]
    }

    private func sentence(_ url: String) -> String {
      do {
        return "no defect: \(try PostgresLogURL(url))"
      } catch {
        return "\(error)"
      }
    }

    @Test func `the hosts before the connected one were tried`() throws {
      let one = try PostgresAddress("postgres://a:1,b:2,a:3/app")
      #expect(one.hosts(from: 0, through: ("a", "1")) == [0])
      #expect(one.hosts(from: 0, through: ("a", "3")) == [0, 1, 2])
      #expect(one.hosts(from: 5, through: ("b", "2")) == [2, 0, 1])
      // A host that the address does not contain shows nothing.
      #expect(one.hosts(from: 0, through: ("c", "1")) == [])
      let other = try PostgresAddress("postgres://a,b/app")
      #expect(other.hosts(from: 1, through: ("a", "5432")) == [1, 0])
    }

    @Test func `the last part of the path is the name of the log`() throws {
      #expect(
        try parts("postgres://me:hush@db:7/app/banks") == [
          "postgres://me:hush@db:7/app", "banks", "postgres://me@db:7/app/banks",
        ])
      #expect(
        try parts("postgresql://db/banks?sslmode=require") == [
          "postgresql://db/banks?sslmode=require", "banks",
          "postgres://db/banks?sslmode=require",
        ])
      #expect(
        try parts("postgres://m%40e@a:1,b:2/app/my%20banks%2Fold?target_session_attrs=read-write")
          == [
            "postgres://m%40e@a:1,b:2/app?target_session_attrs=read-write", "my banks/old",
            "postgres://m%40e@a:1,b:2/app/my%20banks%2Fold?target_session_attrs=read-write",
          ])
      #expect(try parts("postgres:///app/banks")[2] == "postgres:///app/banks")
      #expect(try parts("postgres://[::1]:7/app/banks")[2] == "postgres://[::1]:7/app/banks")
    }

    @Test func `a URL without a password means the same log`() throws {
      for url in [
        "postgres://me:hush@a:1,b:2/app/banks?password=x&options=-c%20geqo%3Doff",
        "postgres://%2Fvar%2Frun/app/b%C3%A4nke?sslpassword=hush", "postgres:///a/b?host=c&port=7",
        "postgres://a,b/app/banks?port=7&hostaddr=10.0.0.1,10.0.0.2", "postgres://db/app/a%40b",
        "postgres://[fe80::1%25eth0]:7/app/banks",
      ] {
        let shown = try PostgresLogURL(url).withoutPassword
        #expect(!shown.contains("hush"))
        let (one, two) = (PostgresLog(url), PostgresLog(shown))
        #expect(one.name == two.name)
        #expect(one.address == shown)
        #expect(two.address == shown)
      }
    }

    @Test func `a URL without a log is refused, and no sentence contains a password`() {
      let defect = """
        The log of the URL cannot be used: its URL must be postgres://user@host:port/database/log, \
        with each special character of a part as a percent sign and two digits.
        """
      for url in [
        "postgres://me:hush@db", "postgres://me:hush@db/", "postgres://me:hush@db/app/", "banks",
        "postgres://me:1/hu@db/hu@sh", "http://db/app/banks", "postgres://db/app/b%ff",
        "postgres://db/app/b%2", "postgres://?x=/a/b",
      ] {
        #expect(sentence(url) == defect, "\(url)")
      }
      #expect(
        sentence("postgres://me:hu%sh@db/app/banks") == """
          The log of the URL cannot be used: its URL cannot be read. Write it as \
          postgres://user@host:port/database, and each special character of a password as a percent \
          sign and two digits.
          """)
    }
  }
#endif
