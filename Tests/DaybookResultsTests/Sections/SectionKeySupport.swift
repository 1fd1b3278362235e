import DaybookStore
import FoundationEssentials

@testable import DaybookResults

extension SectionKey {
  /// The key of the section of a value of a type, or of none.
  func key(of value: AttributeValue?, _ type: ScalarType) -> [UInt8] {
    var key = RowBuffer()
    if let value {
      append(value.bytes(as: type).span.bytes, to: &key)
    } else {
      append(nil as RawSpan?, to: &key)
    }
    return key.bytes
  }

  /// The name of the section of a value of a type.
  func name(of value: AttributeValue?, _ type: ScalarType) -> String {
    name(of: key(of: value, type).span.bytes)
  }

  /// Returns the part of a key that identifies the section.
  func own(in key: [UInt8]) -> [UInt8] { Array(key[ownRange(in: key.span.bytes)]) }
}

/// The name of the section of one kind that a value is in.
func sectionName(
  _ kind: SectionKind, _ type: ScalarType, _ value: AttributeValue?
) throws -> String {
  try SectionKey(kind, of: .scalar(type)).name(of: value, type)
}

/// The date that a text says.
func date(_ text: String) throws -> AttributeValue { .date(try DateText.date(text)) }

/// The decimal that a text says.
func decimal(_ text: String) throws -> AttributeValue { .decimal(try DecimalText.decimal(text)) }
