@_spi(Tools) import DaybookResults
import DaybookStore
import FoundationEssentials
import Testing

@Suite struct `The filter language` {
  private func written(_ text: String, _ arguments: [AttributeValue] = []) throws -> String {
    let filter = try Filter(text, arguments: arguments)
    #expect(try Filter(filter.description) == filter)
    return filter.description
  }

  @Test func `the parser accepts operators and keywords in every case and spelling`() throws {
    let spellings = [
      "a = 1": "a == 1", "a == 1": "a == 1", "a <> 1": "a != 1", "a != 1": "a != 1",
      "a<1": "a < 1", "a<=1": "a <= 1", "a>1": "a > 1", "a >=1": "a >= 1",
      "a beginswith 'x'": #"a BEGINSWITH "x""#, "a EndsWith 'x'": #"a ENDSWITH "x""#,
      "a contains[C] 'x'": #"a CONTAINS[c] "x""#, "a LIKE[ d ]'x'": #"a LIKE[d] "x""#,
      "a matches[dc] 'x'": #"a MATCHES[cd] "x""#, "a ==[cd] 'x'": #"a ==[cd] "x""#,
      "a in {1, 2}": "a IN {1, 2}", "a IN (1,2)": "a IN {1, 2}", "a In {}": "a IN {}",
      "a between {1, 2}": "a BETWEEN {1, 2}", "any a == 1": "ANY a == 1",
      "All a == 1": "ALL a == 1", "NONE a == 1": "NONE a == 1",
      "a.@count > 2": "a.@count > 2", "a.b.@COUNT > 2": "a.b.@count > 2",
      "truePredicate": "TRUEPREDICATE", "FALSEPREDICATE": "FALSEPREDICATE",
      "! a == 1": "NOT a == 1", "not a == 1": "NOT a == 1",
      "a == 1 && b == 2 || c == 3": "a == 1 AND b == 2 OR c == 3",
      "a == 1 and b == 2 or c == 3": "a == 1 AND b == 2 OR c == 3",
      "a == yes": "a == true", "a == No": "a == false", "a == TRUE": "a == true",
      "a == null": "a == nil", "a == NIL": "a == nil", "5 < a": "5 < a", "a < b.c": "a < b.c",
      "id == 7": "id == 7",
    ]
    for (text, expected) in spellings { #expect(try written(text) == expected) }
  }

  @Test func `NOT binds tighter than AND, and AND tighter than OR`() throws {
    let a = try Filter("a == 1")
    let b = try Filter("b == 1")
    let c = try Filter("c == 1")
    #expect(try Filter("NOT a == 1 AND b == 1 OR c == 1") == (!a && b || c))
    #expect(try Filter("c == 1 OR NOT a == 1 AND b == 1") == (c || (!a && b)))
    #expect(try Filter("NOT (a == 1 AND b == 1) OR c == 1") == (!(a && b) || c))
    #expect(try Filter("a == 1 AND (b == 1 OR c == 1)") == (a && (b || c)))
    #expect(try written("a == 1 AND (b == 1 OR c == 1)") == "a == 1 AND (b == 1 OR c == 1)")
    #expect(try Filter("(a == 1 AND b == 1) AND c == 1") == (a && (b && c)))
    #expect(try written("NOT NOT (a == 1 OR b == 1)") == "NOT NOT (a == 1 OR b == 1)")
  }

  @Test func `strings have either quotation marks, escapes and raw newlines`() throws {
    func string(_ text: String) throws -> Filter { try Filter("a == %@", text) }
    #expect(try Filter(#"a == "it's""#) == string("it's"))
    #expect(try Filter(#"a == 'say "x"'"#) == string(#"say "x""#))
    #expect(try Filter(#"a == '\\ \" \' \n \t \u{e9} \u{1F600}'"#) == string("\\ \" ' \n \t é 😀"))
    #expect(try Filter("a == 'one\ntwo'") == string("one\ntwo"))
    #expect(try written("a == 'one\ntwo\u{7}'") == #"a == "one\ntwo\u{7}""#)
  }

  @Test func `the parser keeps numbers exactly`() throws {
    #expect(try written("a == -5") == "a == -5")
    #expect(try written("a == 0.10") == "a == 0.1")
    #expect(try written("a == 5.0") == "a == 5")
    #expect(try written("a == 1e6") == "a == 1000000")
    #expect(try written("a == 18446744073709551615") == "a == 18446744073709551615")
    #expect(try written("a == 99999999999999999999") == "a == 99999999999999999999")
    #expect(try written("a == 1e-300") == "a == 1e-300")
    #expect(try written("a == -0.0") == "a == 0")
    #expect(try Filter("a == %@", 0.5) == Filter("a == 0.5"))
    #expect(try Filter("a == %@", UInt8(5)) == Filter("a == 5"))
    #expect(try Filter("a == %@", Decimal(5)) == Filter("a == 5"))
    #expect(
      try written("a == %@", [.double(0.1)])
        == "a == 1.000000000000000055511151231257827021181583404541015625e-1")
    #expect(try written("a == %@", [.double(.nan)]) == #"a == "NaN""#)
    #expect(try written("a == %@", [.float(-.infinity)]) == #"a == "-Infinity""#)
  }

  @Test func `arguments fill values and paths in order`() throws {
    let moment = Date(timeIntervalSinceReferenceDate: 0)
    #expect(
      try Filter("%K == %@ AND a IN %@ AND b == %@", "x.y", "CA", [1, 2], nil as Int?)
        == Filter("x.y == 'CA' AND a IN {1, 2} AND b == nil"))
    #expect(try Filter("%K > 2", "tags.@count") == Filter("tags.@count > 2"))
    #expect(try Filter("ANY %K.name == %@", "a", true) == Filter("ANY a.name == true"))
    #expect(try Filter("a < %@", moment) == Filter("a < '2001-01-01T00:00:00Z'"))
    #expect(try Filter("a IN {%@, 2, %@}", 1, 3) == Filter("a IN {1, 2, 3}"))
    #expect(
      try Filter("a == %@", arguments: [.data([1, 2, 3])]) == Filter("a == 'AQID'"))
    #expect(
      try Filter("a == %@", arguments: [.reference(.uint(.max))]).description
        == "a == 18446744073709551615")
  }

  @Test func `the number sign escapes attribute names that are not plain words`() throws {
    #expect(try written("#in == 1") == "#in == 1")
    #expect(try written("#other == 1") == "other == 1")
    #expect(try written("a.IN.#between == 1") == "a.#IN.#between == 1")
    #expect(try written(#"#"created at".x == 1"#) == "`created at`.x == 1")
    #expect(try written("größe_1 == 1") == "größe_1 == 1")
    #expect(try Filter("%K == 1", "any") == Filter("#any == 1"))
  }

  @Test func `a name in backquotes is the attribute with that name`() throws {
    #expect(try written("`Close Date` = 'x'") == #"`Close Date` == "x""#)
    #expect(try Filter("`Close Date` = 'x'") == Filter(#"#"Close Date" = 'x'"#))
    #expect(try written("`state` == 1 AND `in` == 2") == "state == 1 AND #in == 2")
    #expect(try written("ANY a.`b.c`.`d e`.@count == 1") == "ANY a.`b.c`.`d e`.@count == 1")
    #expect(try written(#"`it's "so"` == 1"#) == #"`it's "so"` == 1"#)
    #expect(try written(#"`a\\b\n\u{1}` == 1"#) == #"`a\\b\n\u{1}` == 1"#)
    // A name with a backquote has the other notation.
    #expect(try written(#"#"a`b\"c" == 1"#) == #"#"a`b\"c" == 1"#)
    #expect(try written(#"`a\u{60}b` == 1"#) == #"#"a`b" == 1"#)
  }

  @Test func `patterns with the wildcards of SQL are found`() throws {
    func found(_ text: String) throws -> [String] {
      try Filter(text).comparisonsWithSQLWildcards.map(\.description)
    }
    #expect(try found("a LIKE 'A%'") == [#"a LIKE "A%""#])
    #expect(try found("NOT (a LIKE[c] 'b_' OR x == 1) AND a LIKE 'c'") == [#"a LIKE[c] "b_""#])
    #expect(
      try found("NONE a.b LIKE '%' AND ALL c LIKE '_'") == [
        #"ANY a.b LIKE "%""#, #"ANY c LIKE "_""#,
      ])
    #expect(try found("a LIKE '%*' OR a LIKE '_?' OR a == '%' OR a MATCHES '%'") == [])
  }

  @Test func `the parser accepts a hundred nested parentheses`() throws {
    let open = String(repeating: "(", count: 100)
    let close = String(repeating: ")", count: 100)
    #expect(try Filter("\(open)a == 1\(close)") == Filter("a == 1"))
  }

  @Test func `the parser joins twenty thousand conditions without nesting`() throws {
    let part = "a == 1 AND "
    let filter = try Filter(String(repeating: part, count: 20_000) + "a == 1")
    #expect(filter.depth == 1)
    #expect(filter.description.hasPrefix("a == 1 AND a == 1"))
  }
}

@Suite struct `Random filters` {
  @Test(arguments: 0..<20) func `a description parses to an equal filter`(seed: UInt64) throws {
    var filters = RandomFilters(seed: seed)
    for _ in 0..<100 {
      let filter = filters.filter(depth: 4)
      let text = filter.description
      #expect(try Filter(text) == filter, "\(text)")
    }
  }
}
