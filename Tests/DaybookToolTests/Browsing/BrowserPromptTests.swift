import TestSupport
import Testing

@testable import DaybookTool

/// The results of work that arrive while a prompt is open.
@Suite struct `The prompts of the browser` {
  private static let path = "Journal/Samples/games.jsonl"

  private func model() async throws -> BrowserModel {
    try await BrowserSession([Self.path, "Game", "--sort", "name"]).model
  }

  private func type(_ text: String, into model: inout BrowserModel) {
    for letter in text { _ = model.press(.character(letter)) }
  }

  /// Returns the question and the wish of the only page in an array of work.
  private func page(_ works: [BrowserModel.Work]) throws -> (page: BrowserPage, wish: Int) {
    for work in works {
      guard case .page(let question, _, let wish) = work else { continue }
      return (BrowserPage(question, title: "the page", lines: ["a line"], command: []), wish)
    }
    throw Surprise("no page was wanted")
  }

  @Test(arguments: ["/", "g", "b"])
  func `a page that arrives while the user types does not close the prompt`(
    key: Character
  ) async throws {
    var model = try await model()
    let (page, wish) = try page(model.press(.character("w")))
    _ = model.press(.character(key))
    type("12", into: &model)
    _ = model.receive(.page(page, wish: wish))
    #expect(model.prompt?.line.contents == "12")
    #expect(model.page == nil)
    #expect(model.wish == nil)
  }

  @Test func `only the answer to the typed filter closes the prompt of a search`() async throws {
    var model = try await model()
    _ = model.press(.character("b"))
    type("name = 1", into: &model)
    let (first, firstWish) = try page(model.press(.enter))
    #expect(model.prompt != nil)
    _ = model.press(.backspace)
    _ = model.receive(.page(first, wish: firstWish))
    #expect(model.prompt?.line.contents == "name = ")
    type("1", into: &model)
    let (second, secondWish) = try page(model.press(.enter))
    _ = model.receive(.page(second, wish: secondWish))
    #expect(model.prompt == nil)
    #expect(model.page?.title == "the page")
  }

  @Test func `a moment that is found after Esc is not shown`() async throws {
    var model = try await model()
    _ = model.press(.character("g"))
    type("3", into: &model)
    _ = model.press(.enter)
    _ = model.press(.escape)
    #expect(model.receive(.moment(3, of: "3")).isEmpty)
    #expect(model.moment == 10)
    // A different prompt stays open too.
    _ = model.press(.character("/"))
    #expect(model.receive(.moment(3, of: "3")).isEmpty)
    #expect(model.receive(.noMoment("no tag has this name.", of: "3")).isEmpty)
    #expect(model.prompt?.purpose == .filter && model.prompt?.error == nil)
    #expect(model.moment == 10)
    // So does a prompt for a different moment.
    _ = model.press(.escape)
    _ = model.press(.character("g"))
    type("5", into: &model)
    #expect(model.receive(.moment(3, of: "3")).isEmpty)
    #expect(model.prompt?.line.contents == "5")
    #expect(model.moment == 10)
  }

  @Test func `without a chosen entity, a typed moment selects a transaction`() async throws {
    let session = try await BrowserSession([Self.path])
    await session.press("\u{1B}")
    #expect(session.model.menu == nil && session.model.requestedView == nil)
    await session.press("g")
    await session.press("3\r")
    #expect(session.model.prompt == nil)
    #expect(session.model.selected == 3)
    await session.press("g\r")
    #expect(session.model.prompt == nil)
    #expect(session.model.selected == 3)
    // The chosen entity is shown at the moment.
    await session.press("e\r")
    #expect(session.model.picture?.view.moment == 3)
  }

  @Test func `the meaning of a typed moment is printed after the end of the browser`() throws {
    let session = try TerminalSession(
      ["browse", Self.path, "Game"], columnCount: 200,
      variables: ["DAYBOOK_NOW=2026-01-02T12:00:00Z", "TZ=UTC"])
    _ = try session.read { $0.last?.hasSuffix("--at 10") == true }
    try session.press("gyesterday\r")
    _ = try session.read { $0.last?.hasSuffix("--at 5") == true }
    try session.press("q")
    #expect(try session.end() == "exit 0")
    let rest = try session.rest().split(separator: "\u{1B}[?1049l")
    #expect(rest.count == 2)
    #expect(rest.last == "g yesterday means 2026-01-01T00:00:00Z, the start of the day in UTC.\n")
  }
}
