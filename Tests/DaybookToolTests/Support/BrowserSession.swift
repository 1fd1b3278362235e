import DaybookPlatform
import DaybookStore
import TestSupport

@testable import DaybookTool

/// A browser without a terminal. Each key and all its work are finished before the next key.
final class BrowserSession {
  private(set) var model: BrowserModel
  private let traveller: ListTraveller
  private let answers: BrowserAnswers
  private let headings: HeadingReader
  private let journal: OpenJournal
  private var decoder = KeyDecoder()
  /// Work that needs a terminal or a second process.
  private(set) var otherWork: [BrowserModel.Work] = []

  /// - Parameters:
  ///   - words: The arguments of `daybook browse`. The screen shows the path as it is given.
  ///   - directory: The directory of a relative path; the default is the project's.
  init(
    _ words: [String], in directory: String = ProjectFiles.root, columnCount: Int = 80,
    rowCount: Int = 24
  ) async throws {
    journal = try OpenJournal(
      words[0].hasPrefix("/") ? words[0] : FilePaths.join(directory, name: words[0]))
    let snapshot = journal.store.snapshot
    model = BrowserModel(
      journal: words[0],
      entities: snapshot.entities.map { ($0.name, snapshot.count(of: $0.name)) },
      history: journal.history, size: ScreenSize(columnCount: columnCount, rowCount: rowCount))
    traveller = ListTraveller(journal)
    answers = BrowserAnswers(journal, named: words[0])
    headings = HeadingReader(journal)
    if words.count > 1 {
      var query = BrowserQuery(entity: words[1])
      for place in stride(from: 2, to: words.count - 1, by: 2) {
        query[words[place]] = words[place + 1]
      }
      let view = BrowserView(query: query, moment: journal.history.upperBound, without: nil)
      await perform(model.want(view))
    } else {
      model.openMenu(.entity)
    }
    await perform(model.settled())
  }

  /// Presses the keys of some bytes.
  func press(_ bytes: String) async {
    for key in decoder.keys(of: bytes.utf8) + decoder.flush() { await press(key) }
  }

  func press(_ key: Key) async { await perform(model.press(key)) }

  func resize(columnCount: Int, rowCount: Int) async {
    model.size = ScreenSize(columnCount: columnCount, rowCount: rowCount)
    await perform(model.settled())
  }

  private func perform(_ works: [BrowserModel.Work]) async {
    for work in works {
      switch work {
      case .list(let view, let selected, let states, let wish):
        await report(wish: wish) {
          if let without = view.without {
            .list(
              try await answers.picture(
                of: view, without: without, selected: selected, knowing: states),
              wish: wish)
          } else {
            .list(try await traveller.picture(of: view, selected: selected), wish: wish)
          }
        }
      case .page(let question, let states, let wish):
        await report(wish: wish) {
          .page(
            try await answers.page(
              for: question, knowing: states, columnCount: model.size.columnCount),
            wish: wish)
        }
      case .readHeadings(let sequences):
        if let found = try? await headings.headings(sequences) {
          await perform(model.receive(.headings(found)))
        }
      case .moment(let text):
        do throws(ToolError) {
          let sequence = try journal.knownSequence(at: text, for: "g")
          await perform(model.receive(.moment(sequence.rawValue, of: text)))
        } catch {
          await perform(model.receive(.noMoment(error.sentence, of: text)))
        }
      case .cancel: break
      case .follow, .stopFollowing, .stop, .quit: otherWork.append(work)
      }
    }
  }

  private func report(
    wish: Int, _ body: () async throws -> BrowserModel.Report
  ) async {
    let report: BrowserModel.Report
    do { report = try await body() } catch {
      report = .failure((error as? ToolError)?.sentence ?? "\(error)", wish: wish)
    }
    await perform(model.receive(report))
  }

  /// The lines of the screen.
  var screen: [String] {
    BrowserDrawing(model).screen.lines.map { line in
      var text = line.text
      while text.last == " " { text.removeLast() }
      return text
    }
  }

  /// The identifiers of the rows of the list.
  var ids: [RecordIdentifier] { model.picture?.objects.identifiers ?? [] }
}

/// A recorded session of a browser: keys, and the screen after each of them.
///
/// ```
/// $ 80x24 Journal/Samples/games.jsonl Game --sort name
/// | the lines of the screen
/// > left
/// | the lines of the screen
/// ```
///
/// `> text …` types a text. `> resize 40x10` changes the size of the screen.
struct BrowserTranscript {
  private let lines: [String]

  static let directory = "Tests/DaybookToolTests/Browsing/Screens"

  static var names: [String] {
    get throws { try ProjectFiles.names(in: directory).filter { $0.hasSuffix(".txt") } }
  }

  init(_ name: String) throws {
    lines = try ProjectFiles.lines("\(BrowserTranscript.directory)/\(name)")
  }

  private static let keys: [String: Key] = [
    "left": .left, "right": .right, "up": .up, "down": .down, "home": .home, "end": .end,
    "page-up": .pageUp, "page-down": .pageDown, "tab": .tab, "back-tab": .backTab,
    "enter": .enter, "escape": .escape, "backspace": .backspace, "delete": .delete,
  ]

  /// Returns the session with the screens of the current build.
  func played() async throws -> [String] {
    var played = lines.prefix { !$0.hasPrefix("$ ") }.filter { !$0.isEmpty }
    var session: BrowserSession?
    for line in lines where line.hasPrefix("$ ") || line.hasPrefix("> ") {
      if !played.isEmpty { played.append("") }
      played.append(line)
      let words = line.dropFirst(2).split(separator: " ").map(String.init)
      if line.hasPrefix("$ ") {
        let size = BrowserTranscript.size(words[0])
        let options = words.dropFirst(2).map { $0.replacing("_", with: " ") }
        session = try await BrowserSession(
          [words[1]] + options, columnCount: size[0], rowCount: size[1])
      } else if words[0] == "text" {
        await session?.press(String(line.dropFirst("> text ".count)))
      } else if words[0] == "resize" {
        let size = BrowserTranscript.size(words[1])
        await session?.resize(columnCount: size[0], rowCount: size[1])
      } else {
        for word in words {
          await session?.press(
            BrowserTranscript.keys[word] ?? .character(Character(word)))
        }
      }
      played += session?.screen.map { $0.isEmpty ? "|" : "|\($0)" } ?? []
    }
    return played + [""]
  }

  private static func size(_ text: String) -> [Int] {
    text.split(separator: "x").compactMap { Int($0) }
  }
}
