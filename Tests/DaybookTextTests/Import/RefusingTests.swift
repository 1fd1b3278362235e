import DaybookJournal
import DaybookStore
import DaybookTesting
import DaybookText
import TestSupport
import Testing

/// Texts that cannot be imported, and what is said about each. Nothing of any is imported.
@Suite struct `Refusing a text journal` {
  private let desk = TextDesk()

  private let header =
    #"{"daybook":1,"entities":{"F":{"id":"string","attributes":{"t":"string","n":"int8","r":"int64!"}}}}"#
  private let insert = #"{"op":"insert","entity":"F","id":"a","set":{"r":1}}"#

  private func header(_ attributes: String, _ more: String = "") -> String {
    #"{"daybook":1,"entities":{"F":{"attributes":{\#(attributes)}\#(more)}}}"#
  }

  private func insert(_ set: String, id: String = #""a""#, _ more: String = "") -> String {
    #"{"op":"insert","entity":"F","id":\#(id),"set":{\#(set)}\#(more)}"#
  }

  private func expect(
    _ text: String, _ sentence: String, _ location: SourceLocation = #_sourceLocation
  ) {
    #expect(desk.complaint(text) == sentence, sourceLocation: location)
    #expect(desk.names.isEmpty, sourceLocation: location)
  }

  @Test func `lines that are not the JSON that belongs there are refused`() {
    expect(
      lines(header, line(1), #""#),
      #"t:3:1: a value was expected, and the line ends there."#)
    expect(
      lines(header, #"   "#),
      #"t:2:4: a value was expected, and the line ends there."#)
    expect(
      lines(header, #"{"tx":1,"time":"2020-01-01T00:00:01Z","changes":[]"#),
      #"t:2:51: a comma or "}" was expected, and the line ends there."#)
    expect(
      lines(
        #"\#u{FEFF}{"daybook":1,"entities":{"F":{"id":"string","attributes":{"t":"string","n":"int8","r":"int64!"}}}}"#
      ),
      #"t:1:1: the line begins with a byte order mark, and JSON text has none."#)
    expect(
      lines(#"[]"#),
      #"t:1:1: an object was expected, and an array stands there."#)
    expect(
      lines(#"5"#),
      #"t:1:1: an object was expected, and a number stands there."#)
    expect(
      lines(#""x""#),
      #"t:1:1: an object was expected, and a string stands there."#)
    expect(
      lines(header, line(1), #"{"tx":2,"time":"2020-01-01T00:00:02Z","changes":[]}x"#),
      #"t:3:52: the end of the line was expected, and "x" stands there."#)
    expect(
      lines(#"{"tx":1,"tx":2}"#),
      #"t:1:9: each key was expected once, and "tx" stands in column 2 already."#)
    expect(
      lines(#"{"tx":1.0,"time":"2020-01-01T00:00:00Z"}"#),
      #"t:1:7: an integer from -9223372036854775808 to 9223372036854775807 was expected, and "1.0" stands there."#
    )
    expect(
      lines(#"{"tx":1,"time":"2020-01-01T00:00:00Z","meta":[]}"#),
      #"t:1:46: an object was expected, and an array stands there."#)
    expect(
      lines(#"{"tx":1,"time":"2020-01-01T00:00:00Z","meta":{"a":{"b":1,"b":2}}}"#),
      #"t:1:58: each key was expected once, and "b" stands in column 52 already."#)
    expect(
      lines(#"{"tx":1,"time":"2020-01-01T00:00:00Z","changes":{}}"#),
      #"t:1:49: an array was expected, and an object stands there."#)
    expect(
      lines(header, line(1, #"{"op":"insert","entity":5,"id":"a"}"#)),
      #"t:2:74: a string was expected, and a number stands there."#)
    expect(
      lines(line(1, insert(#""x":1,"x":2"#))),
      #"t:1:100: each key was expected once, and "x" stands in column 94 already."#)
  }

  @Test func `keys that there are not, and keys that are missing are refused`() {
    expect(
      lines(#"{"tx":1,"time":"2020-01-01T00:00:00Z","change":[]}"#),
      #"t:1:39: "change" is no key of a transaction: those are "tx", "time", "meta" and "changes"."#
    )
    expect(
      lines(#"{"time":"2020-01-01T00:00:00Z","changes":[]}"#),
      #"t:1:1: a transaction has "tx", and this one has none."#)
    expect(
      lines(#"{"tx":1,"changes":[]}"#),
      #"t:1:1: a transaction has "time", and this one has none."#)
    expect(
      lines(header, header),
      #"t:2:2: "daybook" is no key of a transaction: those are "tx", "time", "meta" and "changes"."#
    )
    expect(
      lines(#"{"daybook":1,"entitys":{}}"#),
      #"t:1:14: "entitys" is no key of a header: those are "daybook", "entities" and "base"."#)
    expect(
      lines(#"{"entities":{}}"#),
      #"t:1:1: a header has "daybook", and this one has none."#)
    expect(
      lines(line(1, #"{"op":"insert","entity":"F","id":"a","sets":{}}"#)),
      #"t:1:87: "sets" is no key of a change: those are "op", "entity", "id", "set" and "created"."#
    )
    expect(
      lines(line(1, #"{"entity":"F","id":"a"}"#)),
      #"t:1:50: a change has "op", and this one has none."#)
    expect(
      lines(line(1, #"{"op":"insert","id":"a"}"#)),
      #"t:1:50: a change has "entity", and this one has none."#)
    expect(
      lines(line(1, #"{"op":"insert","entity":"F"}"#)),
      #"t:1:50: a change has "id", and this one has none."#)
    expect(
      lines(line(1, insert, #"{"op":"update","entity":"F","id":"a"}"#)),
      #"t:1:102: an update has "set", and this one has none."#)
    expect(
      lines(line(1, insert, #"{"op":"delete","entity":"F","id":"a","set":{}}"#)),
      #"t:1:139: a delete has no "set"."#)
    expect(
      lines(line(1, insert, #"{"op":"update","entity":"F","id":"a","set":{},"created":3}"#)),
      #"t:1:148: only an insert has "created"."#)
    expect(
      lines(#"{"daybook":1,"entities":{"F":{"ids":"int"}}}"#),
      #"t:1:31: "ids" is no key of an entity: those are "id", "attributes" and "unique"."#)
    expect(
      lines(header(#""a":{"typ":"int"}"#)),
      #"t:1:50: "typ" is no key of an attribute: those are "type", "default", "inverse", "onDelete", "checked" and "renamedFrom"."#
    )
    expect(
      lines(header(#""a":{"default":1}"#)),
      #"t:1:49: an attribute has "type", and this one has none."#)
  }

  @Test func `headers that contradict themselves are refused`() {
    expect(
      lines(#"{"daybook":2}"#),
      #"t:1:12: text journals of version 1 are read, and this one is of version 2."#)
    expect(
      lines(#"{"daybook":1,"base":0}"#),
      #"t:1:21: a base is transaction 1 or a later one, and 0 stands there."#)
    expect(
      lines(#"{"daybook":1,"base":5}"#),
      #"t:1:21: the state as of transaction 5 was expected in a line behind the header, and there is none."#
    )
    expect(
      lines(#"{"daybook":1,"base":5}"#, line(1)),
      #"t:2:7: transaction 5 was expected, and 1 stands there."#)
    expect(
      lines(#"{"daybook":1,"entities":{"":{}}}"#),
      #"t:1:26: an entity has a name, and none stands there."#)
    expect(
      lines(#"{"daybook":1,"entities":{"F":{"id":"text"}}}"#),
      #"t:1:36: "text" is no kind of identifier: those are int, uint, string and uuid."#)
    expect(
      lines(header(#""a":"strin!""#)),
      #"t:1:49: "strin" is no type: those are bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float, double, decimal, string, date, uuid, data, url, ref:Entity, refs:Entity and [type]."#
    )
    expect(
      lines(header(#""a":"[[int8]]""#)),
      #"t:1:49: "[[int8]]" is no type: those are bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float, double, decimal, string, date, uuid, data, url, ref:Entity, refs:Entity and [type]."#
    )
    expect(
      lines(header(#""a":"ref:Bank""#)),
      #"t:1:49: a reference leads to an entity that the header names, and it names no "Bank"."#)
    expect(
      lines(header(#""a":"refs:Bank!""#)),
      #"t:1:49: a reference leads to an entity that the header names, and it names no "Bank"."#)
    expect(
      lines(header(#""id":"int8""#)),
      #"t:1:45: an attribute of F is called "id", which is the name of the identifier."#)
    expect(
      lines(header(#""":"int8""#)),
      #"t:1:45: an attribute has a name, and this one of F has none."#)
    expect(
      lines(header(#""a":{"type":"int8","default":300}"#)),
      #"t:1:74: the default of F.a: an integer from -128 to 127 was expected, and 300 stands there."#
    )
    expect(
      lines(header(#""a":{"type":"int8","inverse":"b"}"#)),
      #"t:1:74: only a reference has an inverse, and F.a is none."#)
    expect(
      lines(header(#""a":{"type":"int8","onDelete":"cascade"}"#)),
      #"t:1:75: only a reference has a delete rule, and F.a is none."#)
    expect(
      lines(header(#""a":{"type":"ref:F","onDelete":"restrict"}"#)),
      #"t:1:76: "restrict" is no delete rule: those are nullify, cascade, deny and none."#)
    expect(
      lines(header(#""a":{"type":"ref:F","inverse":"b"},"b":"int8""#)),
      #"t:1:75: the inverse of F.a is said to be F.b, which does not refer back to it."#)
    expect(
      lines(header(#""a":"int8""#, #","unique":[["b"]]"#)),
      #"t:1:68: F is to be unique by "b", which is none of its attributes."#)
    expect(
      lines(header(#""a":"[int8]""#, #","unique":[["a"]]"#)),
      #"t:1:70: F is to be unique by "a", which holds several values."#)
    expect(
      lines(header(#""a":"int8""#, #","unique":[[]]"#)),
      #"t:1:67: F is to be unique by nothing; a list has an attribute at least."#)
  }

  @Test func `numbers, times and operations that do not fit are refused`() {
    expect(
      lines(line(2)),
      #"t:1:7: transaction 1 was expected, and 2 stands there."#)
    expect(
      lines(header, line(1), line(3)),
      #"t:3:7: transaction 2 was expected, and 3 stands there."#)
    expect(
      lines(header, line(1), line(1)),
      #"t:3:7: transaction 2 was expected, and 1 stands there."#)
    expect(
      lines(header, line(0)),
      #"t:2:7: transaction 1 was expected, and 0 stands there."#)
    expect(
      lines(#"{"tx":-1,"time":"2020-01-01T00:00:00Z"}"#),
      #"t:1:7: transaction 1 was expected, and -1 stands there."#)
    expect(
      lines(#"{"tx":1,"time":"yesterday","changes":[]}"#),
      #"t:1:17: the time: expected a year of four digits, found 'y'."#)
    expect(
      lines(#"{"tx":1,"time":"2020-13-01T00:00:00Z","changes":[]}"#),
      #"t:1:22: the time: months are 01 to 12, not 13."#)
    expect(
      lines(#"{"tx":1,"time":"2300-01-01T00:00:00Z","changes":[]}"#),
      #"t:1:17: the time: times end with 2262-04-11T23:47:16.854775807Z; this one is later."#)
    expect(
      lines(#"{"tx":1,"time":"1600-01-01T00:00:00Z","changes":[]}"#),
      #"t:1:17: the time: times begin with 1677-09-21T00:12:43.145224192Z; this one is earlier."#)
    expect(
      lines(#"{"tx":1,"time":"2020-01-01T00:00:00.1234567891Z","changes":[]}"#),
      #"t:1:37: the time: a time has up to 9 fraction digits, this one has 10."#)
    expect(
      lines(line(1, #"{"op":"upsert","entity":"F","id":"a"}"#)),
      #"t:1:56: "insert", "update" or "delete" was expected, and "upsert" stands there."#)
    expect(
      lines(line(1, #"{"op":"insert","entity":"","id":"a"}"#)),
      #"t:1:74: an entity has a name, and none stands there."#)
  }

  @Test func `records that are or are not there, or lack something are refused`() {
    expect(
      lines(header, line(1, insert), line(2, insert)),
      #"t:3:50: F "a" is there already."#)
    expect(
      lines(header, line(1, insert, insert)),
      #"t:2:102: F "a" is there already."#)
    expect(
      lines(header, line(1, #"{"op":"update","entity":"F","id":"a","set":{}}"#)),
      #"t:2:50: there is no F "a" to update."#)
    expect(
      lines(header, line(1, #"{"op":"delete","entity":"F","id":"a"}"#)),
      #"t:2:50: there is no F "a" to delete."#)
    expect(
      lines(
        header, line(1, insert),
        line(
          2, #"{"op":"delete","entity":"F","id":"a"}"#, #"{"op":"delete","entity":"F","id":"a"}"#)),
      #"t:3:88: there is no F "a" to delete."#)
    expect(
      lines(header, line(1, insert(#""t":"é""#, id: #""b""#))),
      #"t:2:50: F "b" has no r at the end of the line, and must have one."#)
    expect(
      lines(
        header, line(1, insert),
        line(
          2, #"{"op":"update","entity":"F","id":"a","set":{"t":"x"}}"#,
          #"{"op":"update","entity":"F","id":"a","set":{"r":null}}"#)),
      #"t:3:50: F "a" has no r at the end of the line, and must have one."#)
    expect(
      lines(header, line(1, insert(#""r":1"#, id: #""a""#, #","created":0"#))),
      #"t:2:111: an integer from 1 to 9223372036854775807 was expected, and 0 stands there."#)
    expect(
      lines(header, line(1, insert(#""r":1"#, id: #""a""#, #","created":18446744073709551615"#))),
      #"t:2:111: an integer from 1 to 9223372036854775807 was expected, and 18446744073709551615 stands there."#
    )
    expect(
      lines(header, line(1, insert(#""r":1"#, id: #""a""#, #","created":1.5"#))),
      #"t:2:111: an integer from 1 to 9223372036854775807 was expected, and 1.5 stands there."#)
    expect(
      lines(
        header,
        line(
          1, insert(#""r":1"#, id: #""a""#, #","created":4"#),
          insert(#""r":1"#, id: #""b""#, #","created":4"#))),
      #"t:2:165: the creation number 4 is that of another record."#)
    expect(
      lines(header, line(1, insert), line(2, insert(#""r":1"#, id: #""b""#, #","created":1"#))),
      #"t:3:101: the creation number 1 is that of another record."#)
    expect(
      lines(
        header,
        line(
          1, insert(#""r":1"#, id: #""a""#, #","created":9223372036854775807"#),
          insert(#""r":1"#, id: #""b""#))),
      #"t:2:132: no creation number is left behind 9223372036854775807, which was given before."#)
    expect(
      lines(header, line(1, #"{"op":"delete","entity":"F","id":"a"}"#), #"x"#),
      #"t:2:50: there is no F "a" to delete."#)
  }

  @Test func `values that are not of their type are refused`() {
    expect(
      lines(header, line(1, insert(#""r":1,"x":1"#))),
      #"t:2:100: the header names no attribute "x" of F."#)
    expect(
      lines(header, line(1, insert(#""r":"1""#))),
      #"t:2:98: F.r: an integer from -9223372036854775808 to 9223372036854775807 was expected, and a string stands there."#
    )
    expect(
      lines(header, line(1, insert(#""r":1.0"#))),
      #"t:2:98: F.r: an integer from -9223372036854775808 to 9223372036854775807 was expected, and 1.0 stands there."#
    )
    expect(
      lines(header, line(1, insert(#""r":9223372036854775808"#))),
      #"t:2:98: F.r: an integer from -9223372036854775808 to 9223372036854775807 was expected, and 9223372036854775808 stands there."#
    )
    expect(
      lines(header, line(1, insert(#""n":128"#))),
      #"t:2:98: F.n: an integer from -128 to 127 was expected, and 128 stands there."#)
    expect(
      lines(header, line(1, insert(#""t":5"#))),
      #"t:2:98: F.t: a string was expected, and 5 stands there."#)
    expect(
      lines(header, line(1, insert(#""t":[]"#))),
      #"t:2:98: F.t: a string was expected, and an array stands there."#)
    expect(
      lines(header, line(1, insert(#""t":{}"#))),
      #"t:2:98: F.t: a string was expected, and an object stands there."#)
    expect(
      lines(header, line(1, insert(#""#, id: #"5"#))),
      #"t:2:83: the identifier of F: an identifier in a string was expected, and 5 stands there."#)
    expect(
      lines(header, line(1, insert(#""#, id: #"null"#))),
      #"t:2:83: the identifier of F: an identifier in a string was expected, and null stands there."#
    )
    expect(
      lines(header(#""a":"bool""#), line(1, insert(#""a":1"#))),
      #"t:2:98: F.a: true or false was expected, and 1 stands there."#)
    expect(
      lines(header(#""a":"uint8""#), line(1, insert(#""a":-1"#))),
      #"t:2:98: F.a: an integer from 0 to 255 was expected, and -1 stands there."#)
    expect(
      lines(header(#""a":"uint64""#), line(1, insert(#""a":18446744073709551616"#))),
      #"t:2:98: F.a: an integer from 0 to 18446744073709551615 was expected, and 18446744073709551616 stands there."#
    )
    expect(
      lines(header(#""a":"float""#), line(1, insert(#""a":1e39"#))),
      #"t:2:98: F.a: floats reach up to 3.4028235e+38, and 1e39 stands there."#)
    expect(
      lines(header(#""a":"float""#), line(1, insert(#""a":"nan""#))),
      #"t:2:98: F.a: a number, "NaN", "Infinity" or "-Infinity" was expected, and a string stands there."#
    )
    expect(
      lines(header(#""a":"double""#), line(1, insert(#""a":1e400"#))),
      #"t:2:98: F.a: doubles reach up to 1.7976931348623157e+308, and 1e400 stands there."#)
    expect(
      lines(header(#""a":"double""#), line(1, insert(#""a":true"#))),
      #"t:2:98: F.a: a number, "NaN", "Infinity" or "-Infinity" was expected, and true stands there."#
    )
    expect(
      lines(header(#""a":"double""#), line(1, insert(#""a":99999999999999999999"#))),
      #"t:2:98: F.a: integers have 64 bits, and 99999999999999999999 has more."#)
    expect(
      lines(header(#""a":"decimal""#), line(1, insert(#""a":1.5"#))),
      #"t:2:98: F.a: a decimal in a string was expected, and 1.5 stands there."#)
    expect(
      lines(header(#""a":"decimal""#), line(1, insert(#""a":"1.5x""#))),
      #"t:2:102: F.a: expected the end of the number, found 'x'."#)
    expect(
      lines(header(#""a":"date""#), line(1, insert(#""a":5"#))),
      #"t:2:98: F.a: a date in a string was expected, and 5 stands there."#)
    expect(
      lines(header(#""a":"date""#), line(1, insert(#""a":"2020-02-30T00:00:00Z""#))),
      #"t:2:107: F.a: February 2020 has days 01 to 29, not 30."#)
    expect(
      lines(header(#""a":"date""#), line(1, insert(#""a":"\u0032020-02-30""#))),
      #"t:2:98: F.a: February 2020 has days 01 to 29, not 30."#)
    expect(
      lines(header(#""a":"uuid""#), line(1, insert(#""a":"x""#))),
      #"t:2:99: F.a: expected a digit of a UUID, 0 to 9 or A to F, found 'x'."#)
    expect(
      lines(header(#""a":"uuid""#), line(1, insert(#""a":1"#))),
      #"t:2:98: F.a: a UUID in a string was expected, and 1 stands there."#)
    expect(
      lines(header(#""a":"data""#), line(1, insert(#""a":"a""#))),
      #"t:2:100: F.a: base64 has groups of four characters, padded with '='; this has 1."#)
    expect(
      lines(header(#""a":"data""#), line(1, insert(#""a":1"#))),
      #"t:2:98: F.a: base64 in a string was expected, and 1 stands there."#)
    expect(
      lines(header(#""a":"url""#), line(1, insert(#""a":1"#))),
      #"t:2:98: F.a: a URL in a string was expected, and 1 stands there."#)
    expect(
      lines(header(#""a":"[int8]""#), line(1, insert(#""a":1"#))),
      #"t:2:98: F.a: an array was expected, and 1 stands there."#)
    expect(
      lines(header(#""a":"[int8]""#), line(1, insert(#""a":[1,null]"#))),
      #"t:2:101: F.a: an integer from -128 to 127 was expected, and null stands there."#)
    expect(
      lines(header(#""a":"[int8]""#), line(1, insert(#""a":[1,300]"#))),
      #"t:2:101: F.a: an integer from -128 to 127 was expected, and 300 stands there."#)
    expect(
      lines(header(#""a":"[int8]""#), line(1, insert(#""a":[[1]]"#))),
      #"t:2:99: F.a: an integer from -128 to 127 was expected, and an array stands there."#)
    expect(
      lines(header(#""a":"refs:F""#), line(1, insert(#""a":"x""#))),
      #"t:2:98: F.a: an array of identifiers was expected, and a string stands there."#)
    expect(
      lines(header(#""a":"refs:F""#), line(1, insert(#""a":[1]"#))),
      #"t:2:99: F.a: an identifier in a string was expected, and 1 stands there."#)
    expect(
      lines(header(#""a":"ref:F""#), line(1, insert(#""a":1"#))),
      #"t:2:98: F.a: an identifier in a string was expected, and 1 stands there."#)
    expect(
      lines(#"{"daybook":1,"entities":{"F":{"id":"int"}}}"#, line(1, insert(#""#, id: #""5""#))),
      #"t:2:83: the identifier of F: an integer from -9223372036854775808 to 9223372036854775807 was expected, and a string stands there."#
    )
    expect(
      lines(#"{"daybook":1,"entities":{"F":{"id":"uint"}}}"#, line(1, insert(#""#, id: #"-5"#))),
      #"t:2:83: the identifier of F: an integer from 0 to 18446744073709551615 was expected, and -5 stands there."#
    )
    expect(
      lines(#"{"daybook":1,"entities":{"F":{"id":"uuid"}}}"#, line(1, insert(#""#, id: #""5""#))),
      #"t:2:85: the identifier of F: expected 36 characters of a UUID, found the end."#)
    expect(
      lines(#"{"daybook":1,"entities":{"F":{"id":"int"}}}"#, line(1, insert(#""#, id: #"1.5"#))),
      #"t:2:83: the identifier of F: an integer from -9223372036854775808 to 9223372036854775807 was expected, and 1.5 stands there."#
    )
  }

  @Test func `types that do not go together are refused`() {
    expect(
      lines(line(1, insert(#""x":1"#)), line(2, insert(#""x":"1""#, id: #""b""#))),
      #"t:2:98: F.x: an integer stands in line 1, column 98, and a string here; a header can declare a type."#
    )
    expect(
      lines(line(1, insert(#""x":true"#), insert(#""x":1.5"#, id: #""b""#))),
      #"t:1:153: F.x: true or false stands in line 1, column 98, and a number here; a header can declare a type."#
    )
    expect(
      lines(line(1, insert(#""x":[]"#))),
      #"t:1:98: F.x: an array stands there, and only a header can declare one."#)
    expect(
      lines(line(1, insert(#""x":"é""#)), line(2, insert(#""x":{"k":1}"#, id: #""b""#))),
      #"t:2:98: F.x: an object stands there, and only a header can declare what an attribute holds, never objects; a string stands in line 1, column 98."#
    )
    expect(
      lines(line(1, insert(#""x":99999999999999999999"#))),
      #"t:1:98: F.x: integers have 64 bits, and 99999999999999999999 has more."#)
    expect(
      lines(line(1, insert(#""x":1e400"#))),
      #"t:1:98: F.x: doubles reach up to 1.7976931348623157e+308, and 1e400 stands there."#)
    expect(
      lines(line(1, insert(#""x":-1"#)), line(2, insert(#""x":9223372036854775808"#, id: #""b""#))),
      #"t:2:98: F.x: a negative integer stands in line 1, column 98, and one of 64 bits here; no type holds both."#
    )
    expect(
      lines(line(1, insert(#""x":9223372036854775808"#)), line(2, insert(#""x":-1"#, id: #""b""#))),
      #"t:2:98: F.x: an integer of 64 bits stands in line 1, column 98, and a negative one here; no type holds both."#
    )
    expect(
      lines(line(1, insert(#""id":1"#))),
      #"t:1:94: an attribute of F is called "id", which is the name of the identifier."#)
    expect(
      lines(line(1, insert(#""":1"#))),
      #"t:1:94: an attribute has a name, and this one of F has none."#)
    expect(
      lines(line(1, insert(#""#)), line(2, insert(#""#, id: #"1"#))),
      #"t:2:83: the identifier of F: an identifier in a string was expected, and 1 stands there; the first one stands in line 1, column 83."#
    )
    expect(
      lines(line(1, insert(#""#, id: #"1"#)), line(2, insert(#""#))),
      #"t:2:83: the identifier of F: an integer from -9223372036854775808 to 9223372036854775807 was expected, and a string stands there; the first one stands in line 1, column 83."#
    )
    expect(
      lines(line(1, insert(#""#, id: #"1.5"#))),
      #"t:1:83: the identifier of F: an integer or a string was expected, and 1.5 stands there."#)
    expect(
      lines(line(1, insert(#""#, id: #"null"#))),
      #"t:1:83: the identifier of F: an integer or a string was expected, and null stands there."#)
  }
}
