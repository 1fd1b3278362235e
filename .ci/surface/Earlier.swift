// A program for version 0.2. It compiles, and the compiler names a replacement in each line of each function.
import Daybook
import DaybookJournal
import DaybookSimulation

struct Bank: Record {
  var id = 0
  var name = ""
  var owner: Reference<Bank>?
  var others: [Reference<Bank>] = []
  static let schema = RecordSchema<Bank>("Bank").attribute("name", at: \.name)
}

func values(_ receipt: Receipt, _ point: ChainPoint, _ group: FrameGroup, _ transaction: JournalTransaction) {
  _ = receipt.check
  _ = receipt.raisedFrom
  _ = receipt.clockIsFarBehind
  _ = point.check
  _ = ChainPoint(sequence: .zero, time: .distantPast, check: 0)
  _ = SharedHead(next: .zero, check: 0)
  _ = group.end.check
  _ = group.check
  _ = group.previousCheck
  _ = transaction.check
  _ = Durability.batched(milliseconds: 100)
}

func contexts(_ context: EditingContext) throws {
  try context.undoPassingOverConflicts()
  try context.redoPassingOverConflicts()
  try context.dropUndo()
  try context.dropRedo()
  _ = try context.referrers(to: 1, by: \Bank.owner)
  _ = try context.referrers(to: 1, by: \Bank.others)
  _ = try context.inverse("banks", of: "Bank", id: .int(1))
}

func stores(_ store: Store) throws {
  _ = try store.snapshot.referrers(to: 1, by: \Bank.owner)
  _ = try store.snapshot.referrers(to: 1, by: \Bank.others)
  _ = try store.snapshot.inverse("banks", of: "Bank", id: .int(1))
  _ = try store.catchUpByOne()
  store.waitForMore(milliseconds: 100)
  _ = try Store(following: "banks", catchingUp: .automatic)
  _ = Store.FollowMode.byItself
  _ = Store.FollowMode.whenCalled
  _ = Store.CatchingUp.automatic
  _ = store.statistics.fetches.findCount
  _ = store.statistics.fetches.findDuration
}

func schemas(_ schema: RecordSchema<Bank>) {
  _ = schema.unique("name", "owner")
  _ = schema.indexed("name")
  _ = schema.searchable("name")
  _ = schema.reference("owner", at: \.owner, whenDeleted: .cascade)
  _ = schema.references("others", at: \.others, whenDeleted: .nullify)
  _ = DeleteRule.none
}

func lists(_ progress: FetchProgress, _ plan: FetchPlan) {
  _ = progress.seenCount
  _ = plan.wantedCount
  _ = ObservedResults<Bank>.self
  _ = SectionKind.day(minutesFromUTC: 60)
  _ = SectionKind.week(minutesFromUTC: 60)
  _ = SectionKind.month(minutesFromUTC: 60)
  _ = SectionKind.year(minutesFromUTC: 60)
  _ = Sectioning.named("size", version: 1) { (bank: Bank) in bank.name }
}

func disks(_ disk: SimulatedDisk) {
  _ = FaultPlan.failForEver(from: 1, with: 5)
  _ = FaultPlan.shortForEver()
  _ = FaultPlan.lieOnSync()
  _ = FaultPlan.none.and(.none)
  _ = LogFaultPlan.none.and(.none)
  disk.forgetCalls()
}
