import DaybookJournal
import DaybookStore

/// The definition of a list as text: its rows, their order and sections, and the versions of the
/// rules. A cache file contains it, so that a controller recognizes the cache of a different list.
///
/// ```
/// list 2
/// text 8c5b6f1d2f0e9a47
/// entity FailedBankInfo
/// where state != "PR"
/// sort details.closeDate:desc
/// sections state
/// layout FailedBankInfo 0d9e2b6c41f7a853
/// layout FailedBankDetails 6a1c44e08b92d07f
/// ```
///
/// Two lists with equal definitions over one state of a journal have equal rows at equal positions,
/// in every process. The window is not part of the definition, because a cache contains all rows of
/// the list.
///
/// | line | contents |
/// | ---- | -------- |
/// | `list` | the version of the rules that sort rows |
/// | `text` | a checksum of the Unicode tables that comparisons of strings use |
/// | `entity` | the name of the list's own entity |
/// | `where` | the filter; left out for a request without a filter |
/// | `sort` | a sort key, the most significant first |
/// | `sections` | the definition of the sections; left out for a list without sections |
/// | `start` | the position after which the rows are; left out for rows from the first on |
/// | `layout` | a checksum of all layouts of an entity that the list reads; its own entity first |
package struct ListDefinition: Hashable, Sendable {
  /// The lines, each with a newline at its end.
  package let text: String

  /// The version of the rules that sort rows: keys, sections and ties. The version must increase
  /// with every change of the code that affects any list, because existing caches are wrong then.
  private static let version = 2

  /// The reason that a list has no definition as text.
  package enum Obstacle: Error, Hashable {
    /// A Swift predicate in the filter is evaluated on records.
    case evaluatedPredicate
    /// The sections use a time zone, and an update of the system may change the rules of time
    /// zones.
    case timeZone
    /// An attribute had a different type in an older layout, and a closure of the program converts
    /// its values.
    case conversion
    /// The list reads an attribute with a substitute for unknown values. A different program may be
    /// able to represent these values, and would sort or filter them differently.
    case unknownValues
  }

  /// Creates the definition of a request.
  package init<R: FetchableRecord>(
    _ request: ListRequest<R>, plan: ResultPlan, catalog: Catalog
  ) throws(Obstacle) {
    if let filter = request.filter, filter.evaluatesPredicates { throw .evaluatedPredicate }
    if case .zoned = request.sectioning?.kind.form { throw .timeZone }
    if plan.entities.contains(where: { ListDefinition.converts($0, in: catalog) }) {
      throw .conversion
    }
    if plan.readsSubstitutes { throw .unknownValues }
    var lines = ["list \(ListDefinition.version)", "text \(TextTables.checksum)"]
    lines.append("entity \(FilterOperand.text(of: [request.entity]))")
    if let filter = request.filter { lines.append("where \(filter)") }
    lines += request.sortKeys.map { "sort \($0)" }
    if let sectioning = request.sectioning { lines.append("sections \(sectioning)") }
    if let start = request.start {
      lines.append(
        "start \(Base64Text.text(of: start.section)) \(Base64Text.text(of: start.key))")
    }
    let others = plan.entities.subtracting([plan.entity]).sorted()
    for entity in [plan.entity] + others {
      let name = FilterOperand.text(of: [catalog.names[entity]])
      lines.append("layout \(name) \(ListDefinition.check(catalog.history[entity]))")
    }
    text = lines.map { $0 + "\n" }.joined()
  }

  /// Returns whether a closure of the program converts values of an entity that had a different
  /// type in an earlier layout.
  private static func converts(_ entity: Int, in catalog: Catalog) -> Bool {
    catalog.history[entity].dropLast().contains { layout in
      catalog.mapping(of: layout.number).sources.contains {
        if case .other = $0.source { true } else { false }
      }
    }
  }

  /// Returns a checksum of layouts without their numbers, because a store that follows a journal
  /// assigns its own numbers.
  private static func check(_ layouts: [Layout]) -> String {
    var buffer = RowBuffer()
    for layout in layouts { Layout(number: 0, of: layout.entity).append(to: &buffer) }
    return Hexadecimal.digits(XXH64.checksum(buffer.bytes.span.bytes, seed: 0))
  }
}

extension SortKey: CustomStringConvertible {
  /// The key in the syntax of the command line: `details.closeDate:desc`, or `title:words=fus ball`
  /// with folded words.
  public var description: String {
    if let words {
      return FilterOperand.text(of: names) + ":words=\(WordQuery(words).text)"
        + (isDescending ? ":desc" : "")
    }
    let comparator =
      switch comparator {
      case .plain: ""
      case .caseInsensitive: ":ci"
      case .caseAndDiacriticInsensitive: ":cdi"
      case .natural: ":natural"
      }
    return FilterOperand.text(ofKey: names) + (isDescending ? ":desc" : "") + comparator
  }
}

extension Sectioning: CustomStringConvertible {
  /// The sections in the syntax of the command line: `closeDate:month:desc`.
  public var description: String {
    let made = closure.map { "\($0)" } ?? FilterOperand.text(ofKey: names) + "\(kind)"
    return made + (isDescending ? ":desc" : "")
  }
}

extension SectionClosure: CustomStringConvertible {
  /// The closure as text: `named "size" version 1 of Bank`.
  package var description: String {
    "named \(FilterConstant.quoted(name)) version \(version) of \(FilterConstant.quoted(typeName))"
  }
}

extension SectionKind: CustomStringConvertible {
  /// The suffix of the path: `:month:zone=+02:00`; empty for the value itself.
  public var description: String {
    switch form {
    case .value: ""
    case .letter: ":letter"
    case .prefix(let count): ":prefix=\(count)"
    case .period(let period, let offset):
      ":\(period)" + (offset == .zero ? "" : ":zone=\(SectionKind.zone(offset))")
    case .zoned(let period, let zone): ":\(period):zone=\(zone)"
    case .range(let width): ":range=\(width)"
    }
  }

  private static func zone(_ offset: Duration) -> String {
    func digits(_ number: UInt64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let size = offset.components.seconds.magnitude / 60
    return (offset < .zero ? "-" : "+") + digits(size / 60) + ":" + digits(size % 60)
  }
}

/// The Unicode tables of this process, which fold and normalize strings.
enum TextTables {
  /// A checksum that distinguishes the tables of different versions of Unicode. The checksum covers
  /// the age of every sixteenth scalar of the first two planes, because each version of Unicode
  /// adds whole columns of sixteen scalars there.
  //
  // The standard library does not provide its Unicode version. A checksum of all scalars would take
  // longer than computing a list.
  static let checksum: String = {
    var ages: [UInt8] = []
    ages.reserveCapacity(0x20000 / 16 * 2)
    for value in stride(from: 0 as UInt32, to: 0x20000, by: 16) {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let age = scalar.properties.age
      ages.append(UInt8(truncatingIfNeeded: age?.major ?? 0))
      ages.append(UInt8(truncatingIfNeeded: age?.minor ?? 0))
    }
    return Hexadecimal.digits(XXH64.checksum(ages.span.bytes, seed: 0))
  }()
}
