import Daybook
import DaybookTesting
import Testing

@testable import DaybookTool

@Suite struct `Keys in options` {
  private func names(_ text: String) -> [String] { KeyText.names(text[...]) }

  @Test func `a name with separators is in backquotes or in quotation marks`() {
    #expect(names("`GICS Sector`") == ["GICS Sector"])
    #expect(names(#"#"GICS Sector""#) == ["GICS Sector"])
    #expect(names("a.`b.c`.#in.#'d.e'") == ["a", "b.c", "in", "d.e"])
    #expect(names(#"`a\\\u{60}\"\n`"#) == ["a\\`\"\n"])
    #expect(names("it's `so`") == ["it's `so`"])
    #expect(names("`a b") == ["`a b"])
    #expect(names("#") == ["#"] && names("#1") == ["#1"])
    let parts = KeyText.parts("`a,b`:desc,#\"c:d\":ci,e", at: ",").map(String.init)
    #expect(parts == ["`a,b`:desc", "#\"c:d\":ci", "e"])
    #expect(KeyText.parts("sum:`p:q`", at: ":").map(String.init) == ["sum", "`p:q`"])
  }

  @Test(arguments: 0..<UInt64(20)) func `the description of a sort key is read as the same path`(
    seed: UInt64
  ) {
    var random = SplitMix64(seed: seed)
    func below(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
    let scalars = Array("aB1_ .,:='\"`\\#@%()\n\t\u{1}é\u{301}😀".unicodeScalars)
    func name() -> String {
      var name = String.UnicodeScalarView()
      for _ in 0...below(6) { name.append(scalars[below(scalars.count)]) }
      return String(name)
    }
    for _ in 0..<200 {
      let path = (0...below(3)).map { _ in name() }
      let text = "\(SortKey(path: path)):desc,x"
      let keys = KeyText.parts(text[...], at: ",")
      #expect(keys.count == 2 && keys.last == "x", "\(text)")
      let parts = KeyText.parts(keys[0], at: ":")
      #expect(parts.count == 2 && parts.last == "desc", "\(text)")
      // A filter reads it as the same path too.
      #expect(KeyText.names(parts[0]) == path, "\(text)")
      #expect(throws: Never.self) { try Filter("\(SortKey(path: path)) == 1") }
    }
  }
}
