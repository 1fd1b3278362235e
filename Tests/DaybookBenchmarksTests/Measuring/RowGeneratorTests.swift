import DaybookStore
import FoundationEssentials
import Testing

@testable import DaybookBenchmarks

/// Compares the generated rows and changes with those of a program in another language with the
/// same rules. Measurements are comparable only if both are the same everywhere.
@Suite struct `The rows and changes of the benchmarks` {
  private let generator = RowGenerator()

  private func line(_ row: Row) -> String {
    "\(row.id) \(row.state) \(row.amount) \(moment(row.createdAt)) \(row.name) \(row.city) \(row.note)"
  }

  /// Returns seconds with three decimal places.
  private func moment(_ date: Date) -> String {
    let thousandths = Int((date.timeIntervalSince1970 * 1000).rounded())
    let rest = String(thousandths % 1000)
    return "\(thousandths / 1000).\(String(repeating: "0", count: 3 - rest.count))\(rest)"
  }

  private func line(_ change: ChangeStream.Change) -> String {
    switch change {
    case .state(let id, let state): "\(id) state \(state)"
    case .createdAt(let id, let date): "\(id) createdAt \(moment(date))"
    case .note(let id, let note): "\(id) note \(note)"
    case .insert(let row): "insert \(line(row))"
    case .delete(let id): "delete \(id)"
    }
  }

  /// Returns the FNV-1a hash of lines with their line feeds.
  private func hash(_ lines: [String]) -> UInt64 {
    let bytes = (lines.joined(separator: "\n") + "\n").utf8
    return bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }

  @Test func `rows depend only on their numbers`() {
    #expect(
      [1, 2, 1_000_000].map { line(generator.row($0)) } == [
        "1 New Jersey 695969 1687518516.483 wykxqkisjvgzzkxzrmtyro jeghxrtmx banlcfvybgblrsamogzqeavwpjl",
        "2 Maryland 439194 1688843027.788 ahdmoxjunncfxsfr ltsxkgzddh hxkfcnsajbrcfstrbrovmnbvesunrrwpkn",
        "1000000 New Mexico 184850 1688919523.576 cbfpmwldwvoibolfh tsqatdvcd zgvmiwudngepkdwvgbwazobbuy",
      ])
    let rows = generator.rows(from: 1, count: 1000)
    #expect(hash(rows.map(line)) == 0x077F_7033_D2A8_0FCB)
  }

  @Test func `about half of the rows are in the list`() {
    #expect((1...100_000).count { generator.row($0).amount >= 500_000 } == 50_080)
  }

  @Test func `changes follow one stream of random numbers`() {
    var stream = ChangeStream(generator, rowCount: 1000)
    let lines = (0..<5000).map { _ in line(stream.next()) }
    #expect(
      lines.prefix(6) == [
        "insert 1001 Maine 256363 1633890134.180 uiqkxelvubtewbgkt exybayul sbxrhhdgukcnffzzxhqpsdjhzrjpb",
        "309 createdAt 1645500723.674", "629 state Oklahoma", "364 state South Dakota",
        "138 note tgdeapurrmlkmckfbcayouwcocwqs", "94 note vocscnuewyvppgmxzdfgzfileynxbuf",
      ])
    #expect(hash(lines) == 0x64C7_782C_5318_C4CB)
  }
}
