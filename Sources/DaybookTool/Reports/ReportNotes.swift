import DaybookJournal
@_spi(Tools) import DaybookStore

/// The transactions and tags that a report shows in addition to the recording of its list.
struct ReportNotes {
  /// The transactions that set values of the rows and are not steps, in order.
  var earlier: [StoreTransaction] = []
  /// The tags of moments that the page shows, the earliest moment first.
  var tags: [JournalTag] = []

  init() {}

  /// Creates the notes of a recording.
  ///
  /// - Parameter last: The last transaction of the recording; nil for the last one of the journal.
  /// - Complexity: O(*n*) in the number of transactions of the journal
  init(
    _ recording: ListRecording, through last: SequenceNumber?, in store: Store
  ) throws(StoreError) {
    tags = try store.tags().filter { tag in
      tag.sequence >= recording.firstSequence && tag.sequence <= last ?? tag.sequence
    }.sorted { ($0.sequence, $0.name) < ($1.sequence, $1.name) }
    earlier = try ReportNotes.transactions(recording.otherOrigins, in: store)
  }

  /// Returns the transactions with some numbers.
  private static func transactions(
    _ requested: Set<UInt64>, in store: Store
  ) throws(StoreError) -> [StoreTransaction] {
    guard var last = requested.max() else { return [] }
    var found: [StoreTransaction] = []
    if requested.contains(store.base.rawValue), let base = try store.baseTransaction() {
      found.append(base)
      last = requested.subtracting([store.base.rawValue]).max() ?? 0
    }
    var rest = try store.transactions(from: store.base.next)
    while last > store.base.rawValue, let transaction = try rest.next(),
      let sequence = transaction.sequence, sequence.rawValue <= last
    {
      if requested.contains(sequence.rawValue) { found.append(transaction) }
    }
    return found
  }

  /// Writes the notes as members of the data.
  func write(to writer: inout JSONWriter) {
    writer.key("earlier")
    writer.beginArray()
    for transaction in earlier {
      writer.beginObject()
      writer.write(headingOf: transaction)
      writer.endObject()
    }
    writer.endArray()
    writer.key("tags")
    writer.beginArray()
    for tag in tags {
      writer.beginArray()
      writer.write(DisplayWidth.shown(tag.name))
      writer.write(tag.sequence.rawValue)
      writer.endArray()
    }
    writer.endArray()
  }
}
