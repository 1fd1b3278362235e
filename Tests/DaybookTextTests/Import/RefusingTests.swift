import DaybookJournal
import DaybookSimulation
import DaybookStore
import DaybookText
import TestSupport
import Testing
import TextTestSupport

/// Texts that cannot be imported, and their error messages. An import of them writes nothing.
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
    #expect(desk.problem(text) == sentence, sourceLocation: location)
    #expect(desk.names.isEmpty, sourceLocation: location)
  }

  @Test func `lines with invalid or unexpected JSON are refused`() {
    expect(
      lines(header, line(1), #""#),
      #"t:3:1: expected a value, found the end of the line."#)
    expect(
      lines(header, #"   "#),
      #"t:2:4: expected a value, found the end of the line."#)
    expect(
      lines(header, #"{"tx":1,"time":"2020-01-01T00:00:01Z","changes":[]"#),
      #"t:2:51: expected a comma or "}", found the end of the line."#)
    expect(
      lines(
        #"\#u{FEFF}{"daybook":1,"entities":{"F":{"id":"string","attributes":{"t":"string","n":"int8","r":"int64!"}}}}"#
      ),
      #"t:1:1: the line starts with a byte order mark, which JSON does not allow."#)
    expect(
      lines(#"[]"#),
      #"t:1:1: expected an object, found an array."#)
    expect(
      lines(#"5"#),
      #"t:1:1: expected an object, found a number."#)
    expect(
      lines(#""x""#),
      #"t:1:1: expected an object, found a string."#)
    expect(
      lines(header, line(1), #"{"tx":2,"time":"2020-01-01T00:00:02Z","changes":[]}x"#),
      #"t:3:52: expected the end of the line, found "x"."#)
    expect(
      lines(#"{"tx":1,"tx":2}"#),
      #"t:1:9: the key "tx" is repeated; it is already in column 2."#)
    expect(
      lines(#"{"tx":1.0,"time":"2020-01-01T00:00:00Z"}"#),
      #"t:1:7: expected an integer from -9223372036854775808 to 9223372036854775807, found "1.0"."#
    )
    expect(
      lines(#"{"tx":1,"time":"2020-01-01T00:00:00Z","meta":[]}"#),
      #"t:1:46: expected an object, found an array."#)
    expect(
      lines(#"{"tx":1,"time":"2020-01-01T00:00:00Z","meta":{"a":{"b":1,"b":2}}}"#),
      #"t:1:58: the key "b" is repeated; it is already in column 52."#)
    expect(
      lines(#"{"tx":1,"time":"2020-01-01T00:00:00Z","changes":{}}"#),
      #"t:1:49: expected an array, found an object."#)
    expect(
      lines(header, line(1, #"{"op":"insert","entity":5,"id":"a"}"#)),
      #"t:2:74: expected a string, found a number."#)
    expect(
      lines(line(1, insert(#""x":1,"x":2"#))),
      #"t:1:100: the key "x" is repeated; it is already in column 94."#)
  }

  @Test func `unknown and missing keys are refused`() {
    expect(
      lines(#"{"tx":1,"time":"2020-01-01T00:00:00Z","change":[]}"#),
      #"t:1:39: unknown key "change" in a transaction; the keys are "tx", "time", "meta" and "changes"."#
    )
    expect(
      lines(#"{"time":"2020-01-01T00:00:00Z","changes":[]}"#),
      #"t:1:1: a transaction needs the key "tx", which is missing."#)
    expect(
      lines(#"{"tx":1,"changes":[]}"#),
      #"t:1:1: a transaction needs the key "time", which is missing."#)
    expect(
      lines(header, header),
      #"t:2:2: unknown key "daybook" in a transaction; the keys are "tx", "time", "meta" and "changes"."#
    )
    expect(
      lines(#"{"daybook":1,"entitys":{}}"#),
      #"t:1:14: unknown key "entitys" in a header; the keys are "daybook", "entities" and "base"."#)
    expect(
      lines(#"{"entities":{}}"#),
      #"t:1:1: a header needs the key "daybook", which is missing."#)
    expect(
      lines(line(1, #"{"op":"insert","entity":"F","id":"a","sets":{}}"#)),
      #"t:1:87: unknown key "sets" in a change; the keys are "op", "entity", "id", "set" and "created"."#
    )
    expect(
      lines(line(1, #"{"entity":"F","id":"a"}"#)),
      #"t:1:50: a change needs the key "op", which is missing."#)
    expect(
      lines(line(1, #"{"op":"insert","id":"a"}"#)),
      #"t:1:50: a change needs the key "entity", which is missing."#)
    expect(
      lines(line(1, #"{"op":"insert","entity":"F"}"#)),
      #"t:1:50: a change needs the key "id", which is missing."#)
    expect(
      lines(line(1, insert, #"{"op":"update","entity":"F","id":"a"}"#)),
      #"t:1:102: an update needs the key "set", which is missing."#)
    expect(
      lines(line(1, insert, #"{"op":"delete","entity":"F","id":"a","set":{}}"#)),
      #"t:1:139: a delete cannot have "set"."#)
    expect(
      lines(line(1, insert, #"{"op":"update","entity":"F","id":"a","set":{},"created":3}"#)),
      #"t:1:148: only an insert can have "created"."#)
    expect(
      lines(#"{"daybook":1,"entities":{"F":{"ids":"int"}}}"#),
      #"t:1:31: unknown key "ids" in an entity; the keys are "id", "renamedFrom", "attributes" and "unique"."#
    )
    expect(
      lines(header(#""a":{"typ":"int"}"#)),
      #"t:1:50: unknown key "typ" in an attribute; the keys are "type", "default", "inverse", "onDelete", "whenDeleted", "checked" and "renamedFrom"."#
    )
    expect(
      lines(header(#""a":{"default":1}"#)),
      #"t:1:49: an attribute needs the key "type", which is missing."#)
  }

  @Test func `headers that give a name to two entities are refused`() {
    func header(_ entities: String) -> String { #"{"daybook":1,"entities":{"# + entities + "}}" }
    expect(
      lines(header(#""F":{"renamedFrom":""}"#)), #"t:1:45: the earlier name of F is empty."#)
    expect(
      lines(header(#""F":{"renamedFrom":"G"},"G":{}"#)),
      #"t:1:45: F is renamed from "G", which is another entity."#)
    expect(
      lines(header(#""F":{"renamedFrom":"F"}"#)),
      #"t:1:45: F is renamed from "F", which is another entity."#)
    expect(
      lines(header(#""F":{"renamedFrom":"E"},"G":{"renamedFrom":"E"}"#)),
      #"t:1:69: F and G are both renamed from "E"."#)
    expect(
      lines(
        header(#""F":{"renamedFrom":"E"}"#),
        #"{"tx":1,"time":"2026-01-01T00:00:00Z","changes":[{"op":"insert","entity":"E","id":"1"}]}"#
      ),
      #"t:2:74: "E" was renamed to F, so no entity can have this name."#)
  }

  @Test func `headers with contradictions are refused`() {
    expect(
      lines(#"{"daybook":2}"#),
      #"t:1:12: the text journal has version 2, but only version 1 can be read."#)
    expect(
      lines(#"{"daybook":1,"base":0}"#),
      #"t:1:21: expected a base of transaction 1 or later, found 0."#)
    expect(
      lines(#"{"daybook":1,"base":5}"#),
      #"t:1:21: expected the state as of transaction 5 in the line after the header, found the end of the text."#
    )
    expect(
      lines(#"{"daybook":1,"base":5}"#, line(1)),
      #"t:2:7: expected transaction 5, found 1."#)
    expect(
      lines(#"{"daybook":1,"entities":{"":{}}}"#),
      #"t:1:26: the name of the entity is empty."#)
    expect(
      lines(#"{"daybook":1,"entities":{"F":{"id":"text"}}}"#),
      #"t:1:36: unknown kind of identifier "text"; the kinds are int, uint, string and uuid."#)
    expect(
      lines(header(#""a":"strin!""#)),
      #"t:1:49: unknown type "strin"; the types are bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float, double, decimal, string, date, uuid, data, url, ref:Entity, refs:Entity and [type]."#
    )
    expect(
      lines(header(#""a":"[[int8]]""#)),
      #"t:1:49: unknown type "[[int8]]"; the types are bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float, double, decimal, string, date, uuid, data, url, ref:Entity, refs:Entity and [type]."#
    )
    expect(
      lines(header(#""a":"ref:Bank""#)),
      #"t:1:49: the reference leads to "Bank", which the header does not declare."#)
    expect(
      lines(header(#""a":"refs:Bank!""#)),
      #"t:1:49: the reference leads to "Bank", which the header does not declare."#)
    expect(
      lines(header(#""id":"int8""#)),
      #"t:1:45: an attribute of F is named "id", which is reserved for the identifier."#)
    expect(
      lines(header(#""":"int8""#)),
      #"t:1:45: the name of an attribute of F is empty."#)
    expect(
      lines(header(#""a":{"type":"int8","default":300}"#)),
      #"t:1:74: the default of F.a: expected an integer from -128 to 127, found 300."#
    )
    expect(
      lines(header(#""a":{"type":"int8","inverse":"b"}"#)),
      #"t:1:74: only a reference can have an inverse; F.a is not a reference."#)
    expect(
      lines(header(#""a":{"type":"ref:F","inverse":"id"}"#)),
      #"t:1:75: the inverse of F.a is named "id", which is reserved for the identifier."#)
    expect(
      lines(header(#""a":{"type":"int8","onDelete":"cascade"}"#)),
      #"t:1:75: only a reference can have a delete rule; F.a is not a reference."#)
    expect(
      lines(header(#""a":{"type":"ref:F","onDelete":"restrict"}"#)),
      #"t:1:76: unknown delete rule "restrict"; the rules are nullify, cascade, deny and none."#)
    expect(
      lines(header(#""a":{"type":"int8","whenDeleted":"cascade"}"#)),
      #"t:1:78: only a reference can have a delete rule; F.a is not a reference."#)
    expect(
      lines(header(#""a":{"type":"ref:F","whenDeleted":"restrict"}"#)),
      #"t:1:79: unknown delete rule "restrict"; the rules are nullify, cascade, deny and none."#)
    expect(
      lines(header(#""a":{"type":"refs:F","whenDeleted":"cascade"}"#)),
      #"t:1:80: F.a has several references; only a reference to one record can have the rule cascade."#
    )
    expect(
      lines(header(#""a":{"type":"ref:F","inverse":"b"},"b":"int8""#)),
      #"t:1:75: the inverse of F.a is declared as F.b, which does not refer back to it."#)
    expect(
      lines(header(#""a":"int8""#, #","unique":[["b"]]"#)),
      #"t:1:68: "unique" of F names "b", which is not an attribute."#)
    expect(
      lines(header(#""a":"[int8]""#, #","unique":[["a"]]"#)),
      #"t:1:70: "unique" of F names "a", which has several values."#)
    expect(
      lines(header(#""a":"int8""#, #","unique":[[]]"#)),
      #"t:1:67: a list in "unique" of F is empty; it needs at least one attribute."#)
  }

  @Test func `invalid transaction numbers, times and operations are refused`() {
    expect(
      lines(line(2)),
      #"t:1:7: expected transaction 1, found 2."#)
    expect(
      lines(header, line(1), line(3)),
      #"t:3:7: expected transaction 2, found 3."#)
    expect(
      lines(header, line(1), line(1)),
      #"t:3:7: expected transaction 2, found 1."#)
    expect(
      lines(header, line(0)),
      #"t:2:7: expected transaction 1, found 0."#)
    expect(
      lines(#"{"tx":-1,"time":"2020-01-01T00:00:00Z"}"#),
      #"t:1:7: expected transaction 1, found -1."#)
    expect(
      lines(#"{"tx":1,"time":"yesterday","changes":[]}"#),
      #"t:1:17: the time: expected a year of four digits, found 'y'."#)
    expect(
      lines(#"{"tx":1,"time":"2020-13-01T00:00:00Z","changes":[]}"#),
      #"t:1:22: the time: months are 01 to 12, not 13."#)
    expect(
      lines(#"{"tx":1,"time":"2300-01-01T00:00:00Z","changes":[]}"#),
      #"t:1:17: the time: out of range; the latest time is 2262-04-11T23:47:16.854775807Z."#)
    expect(
      lines(#"{"tx":1,"time":"1600-01-01T00:00:00Z","changes":[]}"#),
      #"t:1:17: the time: out of range; the earliest time is 1677-09-21T00:12:43.145224192Z."#)
    expect(
      lines(#"{"tx":1,"time":"2020-01-01T00:00:00.1234567891Z","changes":[]}"#),
      #"t:1:37: the time: a time has at most 9 fraction digits, not 10."#)
    expect(
      lines(line(1, #"{"op":"upsert","entity":"F","id":"a"}"#)),
      #"t:1:56: expected "insert", "update" or "delete", found "upsert"."#)
    expect(
      lines(line(1, #"{"op":"insert","entity":"","id":"a"}"#)),
      #"t:1:74: the name of the entity is empty."#)
  }

  @Test func `changes of existing, missing or incomplete records are refused`() {
    expect(
      lines(header, line(1, insert), line(2, insert)),
      #"t:3:50: F "a" already exists."#)
    expect(
      lines(header, line(1, insert, insert)),
      #"t:2:102: F "a" already exists."#)
    expect(
      lines(header, line(1, #"{"op":"update","entity":"F","id":"a","set":{}}"#)),
      #"t:2:50: cannot update F "a", which does not exist."#)
    expect(
      lines(header, line(1, #"{"op":"delete","entity":"F","id":"a"}"#)),
      #"t:2:50: cannot delete F "a", which does not exist."#)
    expect(
      lines(
        header, line(1, insert),
        line(
          2, #"{"op":"delete","entity":"F","id":"a"}"#, #"{"op":"delete","entity":"F","id":"a"}"#)),
      #"t:3:88: cannot delete F "a", which does not exist."#)
    expect(
      lines(header, line(1, insert(#""t":"é""#, id: #""b""#))),
      #"t:2:50: F "b" has no r, which is required."#)
    expect(
      lines(
        header, line(1, insert),
        line(
          2, #"{"op":"update","entity":"F","id":"a","set":{"t":"x"}}"#,
          #"{"op":"update","entity":"F","id":"a","set":{"r":null}}"#)),
      #"t:3:50: F "a" has no r, which is required."#)
    expect(
      lines(header, line(1, insert(#""r":1"#, id: #""a""#, #","created":0"#))),
      #"t:2:111: expected an integer from 1 to 9223372036854775807, found 0."#)
    expect(
      lines(header, line(1, insert(#""r":1"#, id: #""a""#, #","created":18446744073709551615"#))),
      #"t:2:111: expected an integer from 1 to 9223372036854775807, found 18446744073709551615."#
    )
    expect(
      lines(header, line(1, insert(#""r":1"#, id: #""a""#, #","created":1.5"#))),
      #"t:2:111: expected an integer from 1 to 9223372036854775807, found 1.5."#)
    expect(
      lines(
        header,
        line(
          1, insert(#""r":1"#, id: #""a""#, #","created":4"#),
          insert(#""r":1"#, id: #""b""#, #","created":4"#))),
      #"t:2:165: a different record already has the creation number 4."#)
    expect(
      lines(header, line(1, insert), line(2, insert(#""r":1"#, id: #""b""#, #","created":1"#))),
      #"t:3:101: a different record already has the creation number 1."#)
    expect(
      lines(
        header,
        line(
          1, insert(#""r":1"#, id: #""a""#, #","created":9223372036854775807"#),
          insert(#""r":1"#, id: #""b""#))),
      #"t:2:132: no creation number is left: a record already has the highest, 9223372036854775807."#
    )
    expect(
      lines(header, line(1, #"{"op":"delete","entity":"F","id":"a"}"#), #"x"#),
      #"t:2:50: cannot delete F "a", which does not exist."#)
  }

  @Test func `values of a wrong type are refused`() {
    expect(
      lines(header, line(1, insert(#""r":1,"x":1"#))),
      #"t:2:100: the header declares no attribute "x" of F."#)
    expect(
      lines(header, line(1, insert(#""r":"1""#))),
      #"t:2:98: F.r: expected an integer from -9223372036854775808 to 9223372036854775807, found a string."#
    )
    expect(
      lines(header, line(1, insert(#""r":1.0"#))),
      #"t:2:98: F.r: expected an integer from -9223372036854775808 to 9223372036854775807, found 1.0."#
    )
    expect(
      lines(header, line(1, insert(#""r":9223372036854775808"#))),
      #"t:2:98: F.r: expected an integer from -9223372036854775808 to 9223372036854775807, found 9223372036854775808."#
    )
    expect(
      lines(header, line(1, insert(#""n":128"#))),
      #"t:2:98: F.n: expected an integer from -128 to 127, found 128."#)
    expect(
      lines(header, line(1, insert(#""t":5"#))),
      #"t:2:98: F.t: expected a string, found 5."#)
    expect(
      lines(header, line(1, insert(#""t":[]"#))),
      #"t:2:98: F.t: expected a string, found an array."#)
    expect(
      lines(header, line(1, insert(#""t":{}"#))),
      #"t:2:98: F.t: expected a string, found an object."#)
    expect(
      lines(header, line(1, insert(#""#, id: #"5"#))),
      #"t:2:83: the identifier of F: expected an identifier in a string, found 5."#)
    expect(
      lines(header, line(1, insert(#""#, id: #"null"#))),
      #"t:2:83: the identifier of F: expected an identifier in a string, found null."#
    )
    expect(
      lines(header(#""a":"bool""#), line(1, insert(#""a":1"#))),
      #"t:2:98: F.a: expected true or false, found 1."#)
    expect(
      lines(header(#""a":"uint8""#), line(1, insert(#""a":-1"#))),
      #"t:2:98: F.a: expected an integer from 0 to 255, found -1."#)
    expect(
      lines(header(#""a":"uint64""#), line(1, insert(#""a":18446744073709551616"#))),
      #"t:2:98: F.a: expected an integer from 0 to 18446744073709551615, found 18446744073709551616."#
    )
    expect(
      lines(header(#""a":"float""#), line(1, insert(#""a":1e39"#))),
      #"t:2:98: F.a: 1e39 is out of range; a float is at most 3.4028235e+38."#)
    expect(
      lines(header(#""a":"float""#), line(1, insert(#""a":"nan""#))),
      #"t:2:98: F.a: expected a number, "NaN", "Infinity" or "-Infinity", found a string."#
    )
    expect(
      lines(header(#""a":"double""#), line(1, insert(#""a":1e400"#))),
      #"t:2:98: F.a: 1e400 is out of range; a double is at most 1.7976931348623157e+308."#)
    expect(
      lines(header(#""a":"double""#), line(1, insert(#""a":true"#))),
      #"t:2:98: F.a: expected a number, "NaN", "Infinity" or "-Infinity", found true."#
    )
    expect(
      lines(header(#""a":"double""#), line(1, insert(#""a":99999999999999999999"#))),
      #"t:2:98: F.a: the integer 99999999999999999999 does not fit in 64 bits."#)
    expect(
      lines(header(#""a":"decimal""#), line(1, insert(#""a":1.5"#))),
      #"t:2:98: F.a: expected a decimal in a string, found 1.5."#)
    expect(
      lines(header(#""a":"decimal""#), line(1, insert(#""a":"1.5x""#))),
      #"t:2:102: F.a: expected the end of the number, found 'x'."#)
    expect(
      lines(header(#""a":"date""#), line(1, insert(#""a":5"#))),
      #"t:2:98: F.a: expected a date in a string, found 5."#)
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
      #"t:2:98: F.a: expected a UUID in a string, found 1."#)
    expect(
      lines(header(#""a":"data""#), line(1, insert(#""a":"a""#))),
      #"t:2:100: F.a: base64 needs groups of four characters, padded with '='; the length is 1."#)
    expect(
      lines(header(#""a":"data""#), line(1, insert(#""a":1"#))),
      #"t:2:98: F.a: expected base64 in a string, found 1."#)
    expect(
      lines(header(#""a":"url""#), line(1, insert(#""a":1"#))),
      #"t:2:98: F.a: expected a URL in a string, found 1."#)
    expect(
      lines(header(#""a":"[int8]""#), line(1, insert(#""a":1"#))),
      #"t:2:98: F.a: expected an array, found 1."#)
    expect(
      lines(header(#""a":"[int8]""#), line(1, insert(#""a":[1,null]"#))),
      #"t:2:101: F.a: expected an integer from -128 to 127, found null."#)
    expect(
      lines(header(#""a":"[int8]""#), line(1, insert(#""a":[1,300]"#))),
      #"t:2:101: F.a: expected an integer from -128 to 127, found 300."#)
    expect(
      lines(header(#""a":"[int8]""#), line(1, insert(#""a":[[1]]"#))),
      #"t:2:99: F.a: expected an integer from -128 to 127, found an array."#)
    expect(
      lines(header(#""a":"refs:F""#), line(1, insert(#""a":"x""#))),
      #"t:2:98: F.a: expected an array of identifiers, found a string."#)
    expect(
      lines(header(#""a":"refs:F""#), line(1, insert(#""a":[1]"#))),
      #"t:2:99: F.a: expected an identifier in a string, found 1."#)
    expect(
      lines(header(#""a":"ref:F""#), line(1, insert(#""a":1"#))),
      #"t:2:98: F.a: expected an identifier in a string, found 1."#)
    expect(
      lines(#"{"daybook":1,"entities":{"F":{"id":"int"}}}"#, line(1, insert(#""#, id: #""5""#))),
      #"t:2:83: the identifier of F: expected an integer from -9223372036854775808 to 9223372036854775807, found a string."#
    )
    expect(
      lines(#"{"daybook":1,"entities":{"F":{"id":"uint"}}}"#, line(1, insert(#""#, id: #"-5"#))),
      #"t:2:83: the identifier of F: expected an integer from 0 to 18446744073709551615, found -5."#
    )
    expect(
      lines(#"{"daybook":1,"entities":{"F":{"id":"uuid"}}}"#, line(1, insert(#""#, id: #""5""#))),
      #"t:2:85: the identifier of F: expected 36 characters of a UUID, found the end."#)
    expect(
      lines(#"{"daybook":1,"entities":{"F":{"id":"int"}}}"#, line(1, insert(#""#, id: #"1.5"#))),
      #"t:2:83: the identifier of F: expected an integer from -9223372036854775808 to 9223372036854775807, found 1.5."#
    )
  }

  @Test func `conflicting types of one attribute are refused`() {
    expect(
      lines(line(1, insert(#""x":1"#)), line(2, insert(#""x":"1""#, id: #""b""#))),
      #"t:2:98: F.x: found a string, but line 1, column 98 has an integer. Declare a type in a header."#
    )
    expect(
      lines(line(1, insert(#""x":true"#), insert(#""x":1.5"#, id: #""b""#))),
      #"t:1:153: F.x: found a number, but line 1, column 98 has true or false. Declare a type in a header."#
    )
    expect(
      lines(line(1, insert(#""x":[]"#))),
      #"t:1:98: F.x: found an array, which needs a type in the header."#)
    expect(
      lines(line(1, insert(#""x":"é""#)), line(2, insert(#""x":{"k":1}"#, id: #""b""#))),
      #"t:2:98: F.x: found an object, which an attribute cannot contain; line 1, column 98 has a string."#
    )
    expect(
      lines(line(1, insert(#""x":99999999999999999999"#))),
      #"t:1:98: F.x: the integer 99999999999999999999 does not fit in 64 bits."#)
    expect(
      lines(line(1, insert(#""x":1e400"#))),
      #"t:1:98: F.x: 1e400 is out of range; a double is at most 1.7976931348623157e+308."#)
    expect(
      lines(line(1, insert(#""x":-1"#)), line(2, insert(#""x":9223372036854775808"#, id: #""b""#))),
      #"t:2:98: F.x: found an integer above 63 bits, but line 1, column 98 has a negative integer; no type can represent both."#
    )
    expect(
      lines(line(1, insert(#""x":9223372036854775808"#)), line(2, insert(#""x":-1"#, id: #""b""#))),
      #"t:2:98: F.x: found a negative integer, but line 1, column 98 has an integer above 63 bits; no type can represent both."#
    )
    expect(
      lines(line(1, insert(#""id":1"#))),
      #"t:1:94: an attribute of F is named "id", which is reserved for the identifier."#)
    expect(
      lines(line(1, insert(#""":1"#))),
      #"t:1:94: the name of an attribute of F is empty."#)
    expect(
      lines(line(1, insert(#""#)), line(2, insert(#""#, id: #"1"#))),
      #"t:2:83: the identifier of F: expected an identifier in a string, found 1; the first identifier is in line 1, column 83."#
    )
    expect(
      lines(line(1, insert(#""#, id: #"1"#)), line(2, insert(#""#))),
      #"t:2:83: the identifier of F: expected an integer from -9223372036854775808 to 9223372036854775807, found a string; the first identifier is in line 1, column 83."#
    )
    expect(
      lines(line(1, insert(#""#, id: #"1.5"#))),
      #"t:1:83: the identifier of F: expected an integer or a string, found 1.5."#)
    expect(
      lines(line(1, insert(#""#, id: #"null"#))),
      #"t:1:83: the identifier of F: expected an integer or a string, found null."#)
  }
}
