import TestSupport
import Testing

@Suite struct `The rules on the page on live lists` {
  /// Returns the numbers of the rules that a comment cites: `// Rules 2 to 4, 7 and 9: …`.
  private func cited(_ line: String) -> [Int] {
    guard let start = line.firstRange(of: "// Rule")?.upperBound else { return [] }
    let text = line[start...].drop { $0 == "s" }.prefix { $0 != "." && $0 != ":" }
    let words = text.split { " ,".contains($0) }
    var rules: [Int] = []
    for (place, word) in words.enumerated() {
      guard let rule = Int(word) else { continue }
      if place > 1, words[place - 1] == "to", let first = rules.last, first < rule {
        rules += first + 1...rule
      } else {
        rules.append(rule)
      }
    }
    return rules
  }

  @Test func `a test cites each rule, and each cited rule exists`() throws {
    let page = try ProjectFiles.lines("Sources/DaybookResults/DaybookResults.docc/LiveLists.md")
    let rules = page.compactMap { line -> Int? in
      let number = line.prefix { $0.isNumber }
      return line.dropFirst(number.count).hasPrefix(". ") ? Int(number) : nil
    }
    #expect(rules == Array(1...43))
    var found: Set<Int> = []
    var folders = ["Tests/DaybookResultsTests"]
    while let folder = folders.popLast() {
      for name in try ProjectFiles.names(in: folder) where name != "LiveListsPageTests.swift" {
        let path = "\(folder)/\(name)"
        if name.hasSuffix(".swift") {
          for line in try ProjectFiles.lines(path) { found.formUnion(cited(line)) }
        } else {
          folders.append(path)
        }
      }
    }
    #expect(found.sorted() == rules)
  }

  @Test func `single numbers, lists and ranges are read from a citation`() {
    #expect(cited("  // Rules 2 to 4, 7 and 9: the reason.") == [2, 3, 4, 7, 9])
    #expect(cited("// Rule 16: its section changed.") == [16])
    #expect(cited("// Rules without a number.") == [])
  }
}
