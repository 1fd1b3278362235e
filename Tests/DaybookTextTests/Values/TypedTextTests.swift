import DaybookStore
import Testing

@testable @_spi(Tools) import DaybookText

@Suite struct `Values in words and cells` {
  private func value(_ text: String, _ type: ScalarType) throws -> AttributeValue {
    try TypedText.value(text, as: .scalar(type))
  }

  @Test func `a string is the text itself`() throws {
    for text in ["", "null", "true", "7", "\"a\"", " a ", "{", "\n"] {
      #expect(try value(text, .string) == .string(text))
      #expect(try value(text, .url) == .url(text))
    }
  }

  @Test func `numbers and Boolean values are JSON`() throws {
    #expect(try value("-128", .int8) == .int(-128))
    #expect(try value("18446744073709551615", .uint64) == .uint(.max))
    #expect(try value("1e3", .double) == .double(1000))
    #expect(try value("7", .double) == .double(7))
    #expect(try value("-Infinity", .float) == .float(-.infinity))
    #expect(try value("NaN", .double) == .double(.nan))
    #expect(try value("false", .bool) == .bool(false))
  }

  @Test func `a reference is the identifier of its target`() throws {
    let strings = AttributeType.reference(EntityReference("T", identifierKind: .string))
    let integers = AttributeType.reference(EntityReference("T", identifierKind: .int))
    #expect(try TypedText.value("7", as: strings) == .reference(.string("7")))
    #expect(try TypedText.value("7", as: integers) == .reference(.int(7)))
    #expect(try TypedText.value("[1,2]", as: .array(.int8)) == .array([.int(1), .int(2)]))
  }

  @Test(arguments: [
    (
      "7.5", ScalarType.int64,
      "expected an integer from -9223372036854775808 to 9223372036854775807, found '7.5'."
    ),
    ("", .bool, "expected true or false, found ''."),
    ("null", .int8, "expected an integer from -128 to 127, found 'null'."),
    ("1e999", .double, "1e999 is out of range; a double is at most 1.7976931348623157e+308."),
    ("x", .decimal, "expected a digit of a number, found 'x'."),
  ]) func `a text of a different type is an error`(
    text: String, type: ScalarType, sentence: String
  ) {
    do {
      _ = try value(text, type)
      Issue.record("\(text) is a value of type \(type.name)")
    } catch {
      #expect((error as? TypedTextError)?.sentence == sentence)
    }
  }
}
