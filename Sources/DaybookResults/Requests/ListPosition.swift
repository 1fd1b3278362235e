import DaybookEssentials
import DaybookStore

/// The position of a record in the order of a request, for fetching the records after it.
///
/// ```swift
/// var request = ListRequest<Issue>(sortedBy: [.descending(\.created)], limit: 20)
/// let page = try store.fetch(request)
/// let next = try store.fetch(request.after(page.endPosition))
/// ```
///
/// A position contains the values of the sort keys and the creation number of the record. It stays
/// valid if the record is changed or deleted. A position can be encoded, for example as part of a
/// link to the next page, and is valid in other processes.
public struct ListPosition: Hashable, Sendable {
  /// The description of the order that the position belongs to.
  package let order: String
  /// The key of the record's section; empty for a list without sections.
  package let section: [UInt8]
  /// The key of the record in its section. The last eight bytes are the creation number.
  package let key: [UInt8]

  package init(order: String, section: [UInt8], key: [UInt8]) {
    self.order = order
    self.section = section
    self.key = key
  }
}

extension ListPosition: Codable {
  private enum CodingKeys: String, CodingKey { case order, section, key }

  /// Creates a position from its encoded form.
  ///
  /// - Throws: `DecodingError`
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    func bytes(_ name: CodingKeys) throws -> [UInt8] {
      let base64 = try values.decode(String.self, forKey: name)
      do { return try Base64Text.bytes(base64) } catch {
        throw DecodingError.dataCorruptedError(
          forKey: name, in: values, debugDescription: error.sentence)
      }
    }
    self.init(
      order: try values.decode(String.self, forKey: .order), section: try bytes(.section),
      key: try bytes(.key))
  }

  /// Encodes the position.
  ///
  /// - Throws: The errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(order, forKey: .order)
    try values.encode(Base64Text.text(of: section), forKey: .section)
    try values.encode(Base64Text.text(of: key), forKey: .key)
  }
}

extension ListRequest {
  /// Returns the request for the rows after a position; the same request for nil.
  ///
  /// ```swift
  /// let next = try store.fetch(request.after(page.endPosition))
  /// ```
  ///
  /// The position must be of a list with the same sort keys and sections. A request with a position
  /// has no ``offset``: fetching it otherwise throws ``RequestError`` with `startAndOffset`.
  public func after(_ position: ListPosition?) -> ListRequest {
    var request = self
    request.start = position ?? start
    return request
  }
}
