import DaybookEssentials

/// A Swift type of one's own that is stored whole, as data: its `Codable` form in JSON.
///
/// ```swift
/// struct Address: CodableAttribute { var street = "", city = "" }
///
/// static let schema = RecordSchema<Person>("Person").attribute("home", at: \.home)
/// ```
///
/// The store sees one value of type `data`: it cannot look inside, so what is to be filtered or
/// sorted by is better an attribute of its own. Two values are equal to it if their JSON is, with the
/// keys of objects in order; the order of a `Set` is not the same in each process, and so a set is
/// better an array.
///
/// Data that cannot be decoded is treated like a raw value without a case; see ``AttributeRepresentable``.
///
/// The type's `encode(to:)` must not throw. If it does, the program stops.
public protocol CodableAttribute: Codable, ScalarRepresentable, ElementRepresentable {}

extension CodableAttribute {
  /// Data.
  public static var scalarType: ScalarType { .data }

  /// Appends the value in JSON.
  public func append(to buffer: inout RowBuffer) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    do {
      try encoder.encode(self).append(to: &buffer)
    } catch {
      preconditionFailure("\(Self.self) cannot be encoded: \(error)")
    }
  }

  /// The value in JSON in these bytes; nil if it is none of this type.
  public init?(row bytes: RawSpan) {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    guard let data = Data(row: bytes), let value = try? decoder.decode(Self.self, from: data) else {
      return nil
    }
    self = value
  }
}
