import DaybookJournal
import DaybookStore

/// Conversions of single texts to attribute values: of words in a command line, and of the cells of
/// a table.
@_spi(Tools) public enum TypedText {
  /// Returns the value of a type that a text without quotation marks represents.
  ///
  /// - A string or a URL is the text itself.
  /// - A date, a decimal, a UUID and data are the texts that a text journal contains.
  /// - A Boolean value and a number are JSON. `NaN`, `Infinity` and `-Infinity` are numbers too.
  /// - A reference is the identifier of its target.
  /// - Arrays are JSON.
  ///
  /// - Throws: ``TypedTextError``
  /// - Complexity: O(*n*)
  public static func value(
    _ contents: String, as type: AttributeType
  ) throws(TypedTextError) -> AttributeValue {
    switch type {
    case .scalar(let scalar) where isString(scalar, contents: contents):
      return try value(of: TextValue(content: .string(contents), offset: 0), as: type, in: contents)
    case .reference(let target):
      return .reference(try identifier(contents, as: target.identifierKind))
    case .scalar:
      // A text that is not JSON leads to the same sentence as JSON of a different type.
      let json = (try? parsed(contents)) ?? TextValue(content: .string(contents), offset: 0)
      // Null is not a value, so it does not fit.
      if case .null = json.content { throw mismatch(type, contents: contents) }
      return try value(of: json, as: type, in: contents)
    case .array, .references: return try value(json: contents, as: type)
    }
  }

  /// Returns the value of a type that a JSON text represents. `null` is no value.
  ///
  /// - Throws: ``TypedTextError``
  /// - Complexity: O(*n*)
  public static func value(
    json contents: String, as type: AttributeType
  ) throws(TypedTextError) -> AttributeValue {
    let json: TextValue
    do throws(TextJournalError) { json = try parsed(contents) } catch {
      throw TypedTextError(sentence: error.sentence)
    }
    do { return try AttributeValue(json, as: type) } catch {
      throw TypedTextError(sentence: error.sentence)
    }
  }

  /// Returns the identifier of a kind that a text represents.
  ///
  /// - Throws: ``TypedTextError``
  /// - Complexity: O(*n*)
  public static func identifier(
    _ contents: String, as kind: IdentifierKind
  ) throws(TypedTextError) -> RecordIdentifier {
    let string = TextValue(content: .string(contents), offset: 0)
    let json =
      switch kind {
      case .string, .uuid: string
      case .int, .uint: (try? parsed(contents)) ?? string
      }
    do { return try RecordIdentifier(json, as: kind) } catch {
      throw TypedTextError(error, of: contents)
    }
  }

  /// Returns whether values of a type are strings in JSON.
  private static func isString(_ type: ScalarType, contents: String) -> Bool {
    switch type {
    case .string, .url, .decimal, .date, .uuid, .data: true
    case .float, .double: ["NaN", "Infinity", "-Infinity"].contains(contents)
    default: false
    }
  }

  private static func parsed(_ contents: String) throws(TextJournalError) -> TextValue {
    var reader = TextReader(
      LineReader.Line(number: 1, bytes: ByteView(Array(contents.utf8))), path: "")
    let value = try reader.readValue()
    try reader.finish()
    return value
  }

  private static func value(
    of json: TextValue, as type: AttributeType, in contents: String
  ) throws(TypedTextError) -> AttributeValue {
    do { return try AttributeValue(json, as: type) } catch {
      throw TypedTextError(error, of: contents)
    }
  }

  private static func mismatch(_ type: AttributeType, contents: String) -> TypedTextError {
    do throws(TypedTextError) {
      _ = try value(of: TextValue(content: .object, offset: 0), as: type, in: contents)
    } catch { return error }
    preconditionFailure("an object is a value of type \(type.name)")
  }
}

/// The error of a text that does not represent a value of a type.
@_spi(Tools) public struct TypedTextError: Error, Hashable, Sendable {
  /// A sentence with the expected and the found value.
  public let sentence: String

  init(sentence: String) { self.sentence = sentence }

  init(_ defect: TextDefect, of contents: String) {
    guard let expected = defect.expected else {
      sentence = defect.sentence
      return
    }
    let shown = String(String.UnicodeScalarView(contents.unicodeScalars.prefix(80)))
    sentence = "expected \(expected), found '\(shown)\(shown == contents ? "" : "…")'."
  }
}
