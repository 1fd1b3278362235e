import DaybookJournal
import DaybookSimulation
import DaybookStore
import DaybookText
import Testing
import TextTestSupport

@Suite struct `Inferring the schema of a text` {
  private let desk = TextDesk()

  /// Returns the attributes of the entity in the exported header, after inserts with these values.
  private func types(_ sets: String...) throws -> String {
    let inserts = sets.enumerated().map {
      #"{"op":"insert","entity":"F","id":\#($0.offset),"set":{\#($0.element)}}"#
    }
    let text = try desk.passage(lines(line(1, inserts.joined(separator: ","))))
    let header = text.split(separator: "\n")[0]
    return String(
      header.dropFirst(#"{"daybook":1,"entities":{"F":{"id":"int","attributes":"#.count).dropLast(3)
    )
  }

  @Test func `the inferred type of an attribute fits all its values`() throws {
    #expect(try types(#""a":null"#) == #"{"a":"string"}"#)
    #expect(try types(#""a":null"#, #""a":true"#) == #"{"a":"bool"}"#)
    #expect(try types(#""a":1"#, #""a":null"#) == #"{"a":"int64"}"#)
    #expect(try types(#""a":-1"#, #""a":1.5"#) == #"{"a":"double"}"#)
    #expect(try types(#""a":1e2"#, #""a":2"#) == #"{"a":"double"}"#)
    #expect(try types(#""a":"x""#) == #"{"a":"string"}"#)
    #expect(try types(#""a":18446744073709551615"#, #""a":1"#) == #"{"a":"uint64"}"#)
    #expect(try types(#""a":18446744073709551615"#, #""a":-1"#, #""a":0.5"#) == #"{"a":"double"}"#)
  }

  @Test func `inferred attributes and entities are in order of first appearance`() throws {
    #expect(
      try types(#""b":1"#, #""a":2,"b":3"#, #""c":null,"a":1"#)
        == #"{"b":"int64","a":"int64","c":"string"}"#)
    let text = try desk.passage(
      lines(
        line(1, #"{"op":"insert","entity":"B","id":"x"}"#),
        line(2, #"{"op":"insert","entity":"A","id":18446744073709551615,"set":{"n":1}}"#)))
    #expect(
      text
        == lines(
          #"{"daybook":1,"entities":{"B":{"id":"string","attributes":{}},"A":{"id":"uint","attributes":{"n":"int64"}}}}"#,
          line(1, #"{"op":"insert","entity":"B","id":"x","set":{}}"#),
          line(2, #"{"op":"insert","entity":"A","id":18446744073709551615,"set":{"n":1}}"#)))
  }

  @Test func `integers among doubles are imported as doubles`() throws {
    let text = try desk.passage(
      lines(
        line(1, #"{"op":"insert","entity":"F","id":1,"set":{"a":3}}"#),
        line(2, #"{"op":"update","entity":"F","id":1,"set":{"a":-0}}"#),
        line(3, #"{"op":"update","entity":"F","id":1,"set":{"a":2.50}}"#)))
    #expect(
      text
        == lines(
          #"{"daybook":1,"entities":{"F":{"id":"int","attributes":{"a":"double"}}}}"#,
          line(1, #"{"op":"insert","entity":"F","id":1,"set":{"a":3.0}}"#),
          line(2, #"{"op":"update","entity":"F","id":1,"set":{"a":-0.0}}"#),
          line(3, #"{"op":"update","entity":"F","id":1,"set":{"a":2.5}}"#)))
  }

  @Test func `inferred entities follow the entities of the header`() throws {
    let text = try desk.passage(
      lines(
        #"{"daybook":1,"entities":{"F":{"attributes":{"a":"int!"}}}}"#,
        line(1, #"{"op":"insert","entity":"G","id":1,"set":{"a":3}}"#)))
    #expect(
      text
        == lines(
          #"{"daybook":1,"entities":{"F":{"id":"string","attributes":{"a":"int64!"}},"G":{"id":"int","attributes":{"a":"int64"}}}}"#,
          line(1, #"{"op":"insert","entity":"G","id":1,"set":{"a":3}}"#)))
  }
}
