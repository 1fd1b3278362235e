import DaybookCLibrary
import DaybookJournal
import DaybookStore

// Row 14 of the fault matrix with libFuzzer, which is guided by the coverage of the code.
//
//     Tests/HostileFuzzer/build.sh
//     DAYBOOK_FUZZ_SEEDS=seeds .build/fuzz/release/hostile-fuzzer
//     .build/fuzz/release/hostile-fuzzer seeds -max_len=65536 -max_total_time=600
//
// An input is a sequence of payloads, each preceded by its length in four bytes. The fuzzer builds
// their frames with valid checksums.

private struct Bank: Record {
  var id = 0
  var name = ""
  var tags: [String] = []
  var note: String?
  var details: Reference<Details>?
  static let schema = RecordSchema<Bank>("Bank")
    .attribute("name", at: \.name).attribute("tags", at: \.tags).attribute("note", at: \.note)
    .owned("details", at: \.details).unique(\.name)
}

private struct Details: Record {
  var id = "?"
  var amount = 0.0
  var banks: [Reference<Bank>] = []
  static let schema = RecordSchema<Details>("Details")
    .attribute("amount", at: \.amount).references("banks", at: \.banks)
}

typealias Arguments = UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>

@_silgen_name("LLVMFuzzerRunDriver")
func drive(
  _ count: UnsafeMutablePointer<CInt>, _ arguments: Arguments,
  _ fuzz: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

// The package manager gives this name to the main function of an executable.
/// Runs libFuzzer, or writes inputs for it.
@_cdecl("HostileFuzzer_main")
public func main(
  _ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> CInt {
  if let folder = getenv("DAYBOOK_FUZZ_SEEDS") { return writeSeeds(to: String(cString: folder)) }
  var count = count
  var arguments = arguments
  return withUnsafeMutablePointer(to: &arguments) { drive(&count, $0, fuzz) }
}

private func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = UnsafeBufferPointer(start: start, count: count)
  let journal = MemoryJournal()
  var offset = 0
  while offset + 4 < input.count {
    let length = (0..<4).reduce(0) { $0 | Int(input[offset + $1]) << (8 * $1) }
    offset += 4
    let end = min(input.count, offset + max(1, length))
    guard (try? journal.appendAndWait(Array(input[offset..<end]))) != nil else { return 0 }
    offset = end
  }
  for types in [[], [Bank.self, Details.self]] as [[any Record.Type]] {
    guard let store = try? Store.inMemory(types: types, journal: journal) else { continue }
    use(store)
  }
  return 0
}

/// Reads all records, states and transactions, and makes changes.
private func use(_ store: Store) {
  let snapshot = store.snapshot
  for entity in snapshot.entities {
    for record in (try? snapshot.objects(entity.name)) ?? [] {
      _ = try? store.history(of: entity.name, id: record.id)
    }
  }
  _ = try? (snapshot.objects(Bank.self), snapshot.objects(Details.self))
  for sequence in 0...min(20, snapshot.sequence.rawValue) {
    _ = try? store.snapshot(at: SequenceNumber(sequence)).objects("Bank")
  }
  if var transactions = try? store.transactions(from: 1) {
    while let transaction = try? transactions.next() {
      for change in transaction.changes { _ = (change.old, change.new, change.changedAttributes) }
    }
  }
  let context = store.makeContext(isolation: nil)
  try? context.insert(Bank(id: 77, name: "new"))
  for id in 0..<4 { try? context.delete("Bank", id: .int(Int64(id))) }
  _ = try? context.saveAndWait()
}

/// Writes initial inputs.
private func writeSeeds(to folder: String) -> CInt {
  mkdir(folder, 0o755)
  for number in 0..<8 {
    guard let bytes = try? seed(number), let file = fopen("\(folder)/seed-\(number)", "w") else {
      print("the seeds cannot be written to \(folder)")
      return 1
    }
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
  }
  return 0
}

/// Returns the payloads of a store with some transactions.
private func seed(_ number: Int) throws -> [UInt8] {
  let journal = MemoryJournal()
  let store = try Store.inMemory(types: [Bank.self, Details.self], journal: journal)
  let context = store.makeContext(isolation: nil)
  for step in 0...number {
    context.metadata.author = "a"
    let note = String(repeating: "n", count: step % 3 == 0 ? 600 : 5)
    try context.insert(Details(id: "d\(step)", amount: 1.5, banks: [Reference(step)]))
    try context.insert(
      Bank(
        id: step, name: "b\(step)", tags: ["x", "yy"], note: note, details: Reference("d\(step)")))
    if step > 1 {
      try context.update(Bank.self, id: step - 1) { $0.tags = [] }
      try context.delete(Bank.self, id: step - 2)
    }
    try context.saveAndWait()
  }
  var input: [UInt8] = []
  var reader = journal.transactions(from: 1)
  while let transaction = try reader.next() {
    let payload = transaction.payload.copy()
    input += (0..<4).map { UInt8(truncatingIfNeeded: payload.count >> (8 * $0)) } + payload
  }
  return input
}
