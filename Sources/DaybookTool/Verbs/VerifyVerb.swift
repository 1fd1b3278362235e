import DaybookStore

/// `daybook verify`: what is the matter with a journal.
enum VerifyVerb {
  static let verb = Verb(
    name: "verify", summary: "look for everything that is wrong with a journal",
    arguments: [
      Verb.Argument(name: "JOURNAL", summary: "a journal, a text journal, or - for standard input")
    ],
    flags: [
      Verb.Flag(
        name: "--deep",
        summary: "make earlier states, cached lists and checkpoints in two ways, and compare")
    ],
    notes: """
      Looks at every byte and its checks, at the order and times of transactions, at
      what each of them does, and at the records that come of it: values that are
      required and missing, or unique and shared, and required references to records
      that do not exist. Each complaint is a line; without any the last line is OK,
      with what was counted. Other references that lead nowhere are counted, and are
      nothing wrong.

      A journal that is OK can be used by every verb, and what export writes of it
      can be imported and is the same journal again.

      With --deep, states of earlier moments are made by folding what came before
      them and by taking back what came after; the list of each cache beside the journal
      is made anew, brought forward, and replayed from the beginning; and each checkpoint
      is held against the state that the journal comes to.

      Exits with 1 if there is a complaint, also of a torn tail.
      """,
    example: "daybook verify Journal/Samples/Records/companies.daybook --deep",
    run: run)

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    let name = invocation["JOURNAL"]
    var check = JournalCheck(name, to: invocation.output)
    let journal: OpenJournal
    if let text = OpenJournal.text(name) {
      do {
        journal = try OpenJournal(name, text: text)
      } catch let error as ToolError
        where error.status == .problem
      {
        try check.complain(error.sentence)
        return try check.end()
      }
    } else {
      guard try check.lookAtBytes() else { return try check.end() }
      do { journal = try OpenJournal(name) } catch let error as ToolError
        where error.status == .problem && check.complaintCount > 0
      {
        // The complaints say why it cannot be opened.
        return try check.end()
      }
    }
    try check.lookAtRecords(of: journal)
    if invocation.has("--deep") {
      try check.lookAtHistory(of: journal)
      if journal.imported == nil {
        try check.lookAtCaches(of: journal)
        try check.lookAtCheckpoints(of: journal)
      }
    }
    return try check.end()
  }
}
