import TestSupport
import Testing

@testable import DaybookTool

/// The results of work that arrive while more keys are pressed.
@Suite struct `The model of the browser` {
  private static let words = [
    "Journal/Samples/games.jsonl", "Game", "--sort", "name",
  ]

  /// Returns the only wish for a list in an array of work.
  private static func wish(_ works: [BrowserModel.Work]) throws -> (BrowserView, Int) {
    for work in works { if case .list(let view, _, _, let wish) = work { return (view, wish) } }
    throw Surprise("no list was wanted")
  }

  @Test func `lists of intermediate moments are shown while a key is held`() async throws {
    var model = try await BrowserSession(Self.words).model
    let traveller = ListTraveller(try OpenJournal(ProjectFiles.path(Self.words[0])))
    let (first, firstWish) = try Self.wish(model.press(.left))
    let (second, secondWish) = try Self.wish(model.press(.left))
    #expect(second.moment == 8)
    let early = try await traveller.picture(of: first, selected: nil)
    _ = model.receive(.list(early, wish: firstWish))
    #expect(model.picture?.view.moment == 9)
    #expect(model.moment == 8)
    #expect(model.wish?.number == secondWish)
    let late = try await traveller.picture(of: second, selected: nil)
    _ = model.receive(.list(late, wish: secondWish))
    #expect(model.picture?.view.moment == 8)
    #expect(model.wish == nil)
    // A result that arrives after the last one is older.
    _ = model.receive(.list(early, wish: firstWish))
    #expect(model.picture?.view.moment == 8)
  }

  @Test func `Esc cancels work, whose result is then ignored`() async throws {
    var model = try await BrowserSession(Self.words).model
    let traveller = ListTraveller(try OpenJournal(ProjectFiles.path(Self.words[0])))
    let (view, wish) = try Self.wish(model.press(.left))
    #expect(BrowserDrawing(model).screen.lines[22].text.hasPrefix("reading (Esc cancels)"))
    _ = model.receive(.progress("reading the history: 34 %"))
    #expect(BrowserDrawing(model).screen.lines[22].text.hasPrefix("reading the history: 34 %"))
    let isCancelled = model.press(.escape).contains { if case .cancel = $0 { true } else { false } }
    #expect(isCancelled)
    #expect(model.moment == 10)
    _ = model.receive(.list(try await traveller.picture(of: view, selected: nil), wish: wish))
    #expect(model.picture?.view.moment == 10)
    #expect(model.message == "cancelled")
    // The next key requires the same work again.
    let (again, number) = try Self.wish(model.press(.left))
    #expect(again == view && number > wish)
    _ = model.receive(.list(try await traveller.picture(of: view, selected: nil), wish: wish))
    #expect(model.picture?.view.moment == 10)
  }

  @Test func `the search for a list ends if its task is cancelled`() async throws {
    let traveller = ListTraveller(try OpenJournal(ProjectFiles.path(Self.words[0])))
    let view = BrowserView(query: BrowserQuery(entity: "Game"), moment: 5, without: nil)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await traveller.picture(of: view, selected: nil)
    }
    await #expect(throws: CancellationError.self) { _ = try await task.value }
    let picture = try await traveller.picture(of: view, selected: nil)
    #expect(picture.objects.count == 5)
  }

  @Test func `the screen shows the sentence of a failure and the previous list`() async throws {
    var model = try await BrowserSession(Self.words).model
    let (_, wish) = try Self.wish(model.press(.left))
    _ = model.receive(.failure("the disk is gone.", wish: wish))
    #expect(model.picture?.view.moment == 10)
    #expect(model.moment == 10)
    #expect(BrowserDrawing(model).screen.lines[22].text.hasPrefix("the disk is gone."))
  }
}
