import DaybookJournal
import DaybookStore

/// What a list is, as text: which rows, in which order and sections, by which rules.
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
/// Two lists with the same definition over the same state of a journal have the same rows in the same
/// places, in whatever process. The window is no part of it: it can be moved over one list.
///
/// | line | says |
/// | ---- | ---- |
/// | `list` | how rows are put in order, as a version |
/// | `text` | a check of the tables by which texts are compared |
/// | `where` | the filter; not there if there is none |
/// | `sort` | a sort key, the first one first |
/// | `sections` | what sections are made of; not there if there are none |
/// | `layout` | a check of all layouts of an entity that matters, the list's own first |
package struct ListDefinition: Hashable, Sendable {
  /// The lines.
  package let text: String

  /// The version of the rules by which rows are put in order: of keys, sections and ties. Whoever changes
  /// what any list comes to raises it.
  private static let version = 2

  /// Why no text says what a list is.
  package enum Obstacle: Error, Hashable {
    /// A part of the filter is evaluated on records.
    case evaluatedPredicate
    /// Sections are those of a time zone, whose rules the system may learn anew.
    case timeZone
    /// A schema has another type for an attribute than it had, and the program's closure converts values.
    case conversion
    /// An unknown value is read as the one that the schema declares, and another program may know it.
    case unknownValues
  }

  /// What a request comes to.
  package init<R: FetchableRecord>(
    _ request: FetchRequest<R>, plan: ResultPlan, catalog: Catalog
  ) throws(Obstacle) {
    if let filter = request.filter, filter.evaluatesPredicates { throw .evaluatedPredicate }
    if case .zoned = request.sectioning?.kind.form { throw .timeZone }
    if plan.entities.contains(where: { ListDefinition.converts($0, in: catalog) }) {
      throw .conversion
    }
    if plan.readsSubstitutes { throw .unknownValues }
    var lines = ["list \(ListDefinition.version)", "text \(TextTables.check)"]
    lines.append("entity \(FilterOperand.text(of: [request.entity]))")
    if let filter = request.filter { lines.append("where \(filter)") }
    lines += request.sortKeys.map { "sort \($0)" }
    if let sectioning = request.sectioning { lines.append("sections \(sectioning)") }
    let others = plan.entities.subtracting([plan.entity]).sorted()
    for entity in [plan.entity] + others {
      let name = FilterOperand.text(of: [catalog.names[entity]])
      lines.append("layout \(name) \(ListDefinition.check(catalog.history[entity]))")
    }
    text = lines.map { $0 + "\n" }.joined()
  }

  /// Whether values of an entity are converted that were of another type once.
  private static func converts(_ entity: Int, in catalog: Catalog) -> Bool {
    catalog.history[entity].dropLast().contains { layout in
      catalog.mapping(of: layout.number).sources.contains {
        if case .other = $0 { true } else { false }
      }
    }
  }

  /// A check of layouts, but for their numbers, which a store that follows gives itself.
  private static func check(_ layouts: [Layout]) -> String {
    var buffer = RowBuffer()
    for layout in layouts { Layout(number: 0, of: layout.entity).append(to: &buffer) }
    return Hexadecimal.digits(XXH64.check(buffer.bytes.span.bytes, seed: 0))
  }
}

extension SortKey: CustomStringConvertible {
  /// The key as the command line has it: `details.closeDate:desc`.
  public var description: String {
    let comparator =
      switch comparator {
      case .plain: ""
      case .caseInsensitive: ":ci"
      case .caseAndDiacriticInsensitive: ":cdi"
      case .natural: ":natural"
      }
    return FilterOperand.text(of: names) + (isDescending ? ":desc" : "") + comparator
  }
}

extension Sectioning: CustomStringConvertible {
  /// The sections as the command line has them: `closeDate:month:desc`.
  public var description: String {
    let made = closure.map { "\($0)" } ?? FilterOperand.text(of: names) + "\(kind)"
    return made + (isDescending ? ":desc" : "")
  }
}

extension SectionClosure: CustomStringConvertible {
  /// `named "size" version 1 of Bank`
  package var description: String {
    "named \(FilterConstant.quoted(name)) version \(version) of \(FilterConstant.quoted(typeName))"
  }
}

extension SectionKind: CustomStringConvertible {
  /// What stands behind the path: `:month:zone=+02:00`; nothing for the value itself.
  public var description: String {
    switch form {
    case .value: ""
    case .letter: ":letter"
    case .prefix(let count): ":prefix=\(count)"
    case .period(let period, minutesFromUTC: let minutes):
      ":\(period)" + (minutes == 0 ? "" : ":zone=\(SectionKind.zone(minutes))")
    case .zoned(let period, let zone): ":\(period):zone=\(zone)"
    case .range(let width): ":range=\(width)"
    }
  }

  private static func zone(_ minutes: Int) -> String {
    func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let size = minutes.magnitude
    return (minutes < 0 ? "-" : "+") + digits(Int(size / 60)) + ":" + digits(Int(size % 60))
  }
}

/// The tables of Unicode that come with this process, by which texts are folded and normalized.
enum TextTables {
  /// A check by which tables of one version are told from those of another: of the age of every sixteenth
  /// scalar of the first two planes. Each version of Unicode adds whole columns of scalars there.
  //
  // The version itself cannot be asked for. To look at all scalars would take longer than to make a list.
  static let check: String = {
    var ages: [UInt8] = []
    ages.reserveCapacity(0x20000 / 16 * 2)
    for value in stride(from: 0 as UInt32, to: 0x20000, by: 16) {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let age = scalar.properties.age
      ages.append(UInt8(truncatingIfNeeded: age?.major ?? 0))
      ages.append(UInt8(truncatingIfNeeded: age?.minor ?? 0))
    }
    return Hexadecimal.digits(XXH64.check(ages.span.bytes, seed: 0))
  }()
}
