import DaybookJournal
import DaybookPlatform
import DaybookStore
import Synchronization

/// Performs the work of a browser on other threads, and reports the results to an inbox.
final class BrowserWorkers {
  private let journal: OpenJournal
  private let name: String
  private let inbox: BrowserInbox
  private let traveller: ListTraveller
  private let answers: BrowserAnswers
  private let headings: HeadingReader
  /// The task for a list or a page. A new task cancels it.
  private var current: Task<Void, Never>?
  private var headingTask: Task<Void, Never>?
  private var follower: JournalFollower?
  /// The number of stores that were opened to follow the journal.
  private var storeNumber = 0

  init(_ journal: OpenJournal, named name: String, inbox: BrowserInbox) {
    self.journal = journal
    self.name = name
    self.inbox = inbox
    traveller = ListTraveller(journal)
    answers = BrowserAnswers(journal, named: name)
    headings = HeadingReader(journal)
  }

  /// Starts work.
  ///
  /// - Parameter columnCount: The width of the screen.
  func start(_ work: BrowserModel.Work, columnCount: Int) {
    let (traveller, answers) = (traveller, answers)
    switch work {
    case .list(let view, let selected, let states, let wish):
      replaceCurrent(wish: wish) {
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
      replaceCurrent(wish: wish) {
        .page(
          try await answers.page(for: question, knowing: states, columnCount: columnCount),
          wish: wish)
      }
    case .cancel: current?.cancel()
    case .readHeadings(let sequences): read(sequences)
    case .moment(let typed): find(typed)
    case .follow: follow()
    case .stopFollowing:
      follower?.end()
      follower = nil
    case .stop, .quit: break
    }
  }

  private func replaceCurrent(
    wish: Int, _ body: @escaping @Sendable () async throws -> BrowserModel.Report
  ) {
    current?.cancel()
    let inbox = inbox
    current = Task {
      do { inbox.send(try await body()) } catch is CancellationError {} catch {
        inbox.send(.failure(BrowserWorkers.sentence(of: error), wish: wish))
      }
    }
  }

  /// Returns the sentence of an error.
  private static func sentence(of error: any Error) -> String {
    (error as? ToolError)?.sentence ?? "\(error)"
  }

  private func read(_ sequences: [UInt64]) {
    headingTask?.cancel()
    let (headings, inbox) = (headings, inbox)
    headingTask = Task {
      // Without headings, the numbers of the transactions are shown.
      guard let found = try? await headings.headings(sequences), !Task.isCancelled else { return }
      inbox.send(.headings(found))
    }
  }

  private func find(_ typed: String) {
    let (journal, inbox) = (follower?.journal ?? journal, inbox)
    Task {
      do throws(ToolError) {
        let sequence = try journal.knownSequence(at: typed, for: "g")
        inbox.send(.moment(sequence.rawValue, of: typed))
      } catch {
        inbox.send(.noMoment(error.sentence, of: typed))
      }
    }
  }

  // MARK: Following

  private func follow() {
    guard OpenJournal.importSource(name) == nil else {
      inbox.send(.noFollowing("A text journal cannot be followed. Import it first."))
      return
    }
    storeNumber += 1
    let (traveller, answers, headings, inbox) = (traveller, answers, headings, inbox)
    let number = storeNumber
    follower = JournalFollower(name) { journal in
      await traveller.use(journal, number: number)
      await answers.use(journal, number: number)
      await headings.use(journal, number: number)
    } report: { event in
      switch event {
      case .growth(let history): inbox.send(.growth(history))
      case .failure(let sentence): inbox.send(.noFollowing(sentence))
      }
    }
  }
}

extension OpenJournal {
  /// The numbers of the first and the last moment.
  var history: ClosedRange<UInt64> {
    let (base, last) = (store.base.rawValue, store.snapshot.sequence.rawValue)
    return base...max(base, last)
  }
}

/// Follows a journal that a different process writes, on a separate thread.
final class JournalFollower: Sendable {
  enum Event: Sendable {
    /// The journal was opened, or has new transactions.
    case growth(ClosedRange<UInt64>)
    /// The journal can no longer be followed.
    case failure(String)
  }

  private let isEnded = Atomic(false)
  private let opened = Mutex<OpenJournal?>(nil)

  /// The journal that is followed; nil until it is open.
  var journal: OpenJournal? { opened.withLock { $0 } }

  /// The longest time between two checks for new transactions, in milliseconds.
  private static let pause = 500

  /// - Parameters:
  ///   - name: The name of the journal.
  ///   - start: A closure that receives the open journal. The follower reports no event before the
  ///     closure returns.
  ///   - report: A closure that receives the events.
  init(
    _ name: String, start: @escaping @Sendable (OpenJournal) async -> Void,
    report: @escaping @Sendable (Event) -> Void
  ) {
    Task.detached { [self] in
      do throws(StoreError) {
        let journal = OpenJournal(
          name, following: try Store(following: name, mode: .manual))
        if isEnded.load(ordering: .relaxed) { return }
        await start(journal)
        opened.withLock { $0 = journal }
        if isEnded.load(ordering: .relaxed) { return }
        report(.growth(journal.history))
        _ = SystemThread(stackByteCount: 1 << 20) { [self] in watch(journal, report: report) }
      } catch {
        report(.failure("\(error)"))
      }
    }
  }

  /// Stops following the journal.
  func end() { isEnded.store(true, ordering: .relaxed) }

  private func watch(_ journal: OpenJournal, report: (Event) -> Void) {
    while !isEnded.load(ordering: .relaxed) {
      do throws(StoreError) {
        if try journal.store.catchUp() { report(.growth(journal.history)) }
      } catch {
        report(.failure("\(journal.error(error).sentence)"))
        return
      }
      journal.store.waitForTransactions(timeout: .milliseconds(JournalFollower.pause))
    }
  }
}
