import Testing
import TestSupport

@testable import DaybookTool

/// No message of the tool contains the password of a URL that the user has typed.
@Suite("Passwords in messages")
struct HiddenPasswordTests {
  @Test(arguments: [
    ("try: daybook publish b postgres://me:hush@db/app/b", "postgres://me:***@db/app/b"),
    ("found 'postgres://me:hu@sh@db/app'", "'postgres://me:***@db/app'"),
    ("postgres://me:hu/sh@db/app", "postgres://me:***@db/app"),
    ("postgres://:hush@db/app", "postgres://:***@db/app"),
    ("postgres://db/app?password=hush&sslpassword=hush", "?password=***&sslpassword=***"),
  ])
  func `a password is replaced by asterisks`(_ text: String, _ shown: String) {
    let hidden = StandardError.withoutPasswords(text)
    #expect(hidden.contains(shown) && !hidden.contains("hush"), "\(hidden)")
  }

  @Test(arguments: [
    "postgres://me@db:5432/app/b: a log", "a:b@c", "http://db:80/a and me@db", "password=x",
  ])
  func `a text without a password is unchanged`(_ text: String) {
    #expect(StandardError.withoutPasswords(text) == text)
  }

  @Test(arguments: [
    "push b.daybook $URL", "create-log $URL --reader x", "sync $URL", "status $URL", "repair $URL",
    "remove-log $URL --yes", "remove-log $URL",
    "clone a b $URL", "publish missing $URL", "show $URL Item",
  ])
  func `a command that fails does not print the password`(_ command: String) throws {
    try TemporaryDirectory.with { scratch in
      let lines = try BuiltTool.run(
        "URL=postgres://me:hush@127.0.0.1:1/app/b; daybook \(command)", scratch)
      #expect(!lines.isEmpty && !lines.contains { $0.contains("hush") }, "\(lines)")
    }
  }
}
