import DaybookStore

/// A builder for the plan of a request. `FetchRequest.plan(_:)` creates a builder, adds the filter,
/// the sections and the sort keys, and then reads ``plan``.
///
/// Each addition compiles one part of the request and records the attributes that this part reads.
/// The plan needs these attributes to recognize changes that cannot affect the list.
struct PlanMaker {
  private let entity: Int
  private let catalog: Catalog
  private var filter: CompiledFilter?
  private var section: (reading: ValueReading, key: SectionKey)?
  private var closureSection: (closure: SectionClosure, key: SectionKey)?
  private var sectionSource: SectionSource?
  private var order: [(reading: ValueReading, part: OrderKeyPart)] = []
  /// The paths that the plan reads. Each path occurs once.
  private var reads: [PathRead] = []
  /// The attributes of the row itself that the plan reads, by purpose.
  private var ownReads = OwnReads.others

  init(_ entity: Int, in catalog: Catalog) {
    self.entity = entity
    self.catalog = catalog
  }

  /// Adds the filter, which restricts the rows.
  mutating func add(_ filter: Filter) throws(RequestError) {
    do {
      let compiled = try filter.compiled(for: entity, in: catalog)
      self.filter = compiled
      for read in compiled.reads { record(read, for: \.filter) }
      // A Swift predicate may read any attribute of the record.
      if compiled.evaluations != nil { ownReads.filter = .all }
    } catch { throw RequestError(.filter(error)) }
  }

  mutating func add(
    _ sectioning: Sectioning, following first: SortKey?
  ) throws(RequestError) {
    if let closure = sectioning.closure { return try add(closure, of: sectioning) }
    let path = try path(sectioning.names, at: sectioning.place, for: \.section)
    do {
      let key = try SectionKey(
        sectioning.kind, of: path.end, comparator: first?.comparator ?? .plain,
        isDescending: first?.isDescending ?? sectioning.isDescending)
      section = (ValueReading(path, in: catalog), key)
      sectionSource = SectionSource(sectioning.names, key: key)
    } catch {
      throw RequestError(
        .section(path: sectioning.names.joined(separator: "."), problem: "\(error)"))
    }
  }

  private mutating func add(
    _ closure: SectionClosure, of sectioning: Sectioning
  ) throws(RequestError) {
    guard closure.fits(entity, in: catalog) else {
      throw RequestError(.unknownType(closure.typeName, section: closure.name))
    }
    do {
      let key = try SectionKey(
        .value, of: .scalar(.string), isDescending: sectioning.isDescending)
      closureSection = (closure, key)
      ownReads.section = .all
      sectionSource = SectionSource(closure, key: key)
    } catch { throw RequestError(.section(path: closure.name, problem: "\(error)")) }
  }

  /// Adds a sort key, after the sort keys that were added before it.
  mutating func add(_ key: SortKey) throws(RequestError) {
    let path = try path(key.names, at: key.place, for: \.order)
    let reading = ValueReading(path, in: catalog)
    do {
      let part = try OrderKeyPart(
        path.end, comparator: key.comparator, isDescending: key.isDescending,
        isOptional: reading.isOptional)
      order.append((reading, part))
    } catch {
      throw RequestError(.sort(path: key.names.joined(separator: "."), problem: "\(error)"))
    }
  }

  /// Returns the path of some names, and records that the plan reads it.
  ///
  /// - Parameter use: The purpose of the attribute, if the row itself contains it.
  private mutating func path(
    _ names: [String], at place: FilterPlace, for use: WritableKeyPath<OwnReads, AttributeBits>
  ) throws(RequestError) -> ValuePath {
    if let root = place.root, root != catalog.names[entity] {
      throw RequestError(
        .otherEntity(names.joined(separator: "."), root: root, entity: catalog.names[entity]))
    }
    do {
      let path = try ValuePath(names, from: entity, in: catalog)
      record(PathRead(path, in: catalog), for: use)
      return path
    } catch { throw RequestError(error, of: names, in: catalog) }
  }

  /// Records that the plan reads a path.
  private mutating func record(
    _ read: PathRead, for use: WritableKeyPath<OwnReads, AttributeBits>
  ) {
    if !read.isForeign, let attribute = read.attribute { ownReads[keyPath: use].insert(attribute) }
    if !reads.contains(where: { $0.isSame(as: read) }) { reads.append(read) }
  }

  /// The plan of all additions.
  var plan: ResultPlan {
    var matches: ResultPlan.Check?
    if let filter { matches = { row, state in filter.matches(row, in: state) } }
    var sections: ResultPlan.Sections?
    if let (reading, key) = section {
      sections = ResultPlan.Sections(
        append: reading.encoder { value, buffer in key.append(value, to: &buffer) },
        name: { bytes in key.name(of: bytes.span.bytes) }, source: sectionSource)
    }
    if let (closure, key) = closureSection {
      sections = ResultPlan.Sections(
        append: { row, state, buffer in closure.append(row, in: state, as: key, to: &buffer) },
        name: { bytes in key.name(of: bytes.span.bytes) }, source: sectionSource)
    }
    var planReads = PlanReads()
    planReads.own = ownReads
    planReads.foreign = reads.filter(\.isForeign)
    planReads.includesSubstitutes = reads.contains { $0.readsSubstitute(in: catalog) }
    planReads.interest = filter?.interest
    planReads.evaluations = filter?.evaluations
    planReads.catalog = catalog
    return ResultPlan(
      entity: entity, matches: matches, sections: sections, order: appendOrder, reads: planReads)
  }

  /// An encoder that appends the parts of all sort keys, in order.
  //
  // The closure of several keys calls the closure of all keys but the last, and then appends the
  // last key. An array of closures, or of the paths that they read, would be copied for each row.
  private var appendOrder: ResultPlan.KeyEncoder {
    var all: ResultPlan.KeyEncoder?
    for (reading, part) in order {
      let append = reading.encoder { value, buffer in part.append(value, to: &buffer) }
      guard let before = all else {
        all = append
        continue
      }
      all = { row, state, buffer in
        before(row, state, &buffer)
        append(row, state, &buffer)
      }
    }
    return all ?? { _, _, _ in }
  }
}

/// A reader of the value at the end of one path, for a sort key or for sections. The reader treats
/// a reference to a record that does not exist as a missing value.
private struct ValueReading: Sendable {
  private let path: ValuePath
  private let target: ReferenceTarget?

  init(_ path: ValuePath, in catalog: Catalog) {
    self.path = path
    target = ReferenceTarget(path, in: catalog)
  }

  /// A Boolean value that indicates whether the value may be missing. Even a required reference may
  /// be missing, because its record may not exist.
  var isOptional: Bool { path.isOptional || target != nil }

  /// Returns an encoder that reads the value of a row and passes its bytes to a closure; nil for a
  /// missing value.
  @inline(__always)
  func encoder(
    _ append: @escaping @Sendable (borrowing RawSpan?, inout RowBuffer) -> Void
  ) -> ResultPlan.KeyEncoder {
    let (path, target) = (path, target)
    if let target {
      return { row, state, buffer in
        path.withBytes(of: row, in: state) { bytes in
          if let bytes, !target.exists(bytes, in: state) { return append(nil, &buffer) }
          append(bytes, &buffer)
        }
      }
    }
    guard path.steps.isEmpty, let own = path.path else {
      return { row, state, buffer in
        path.withBytes(of: row, in: state) { append($0, &buffer) }
      }
    }
    // The closure reads directly from the row, which is faster than the general call. A large value
    // that is stored outside of its row needs the general call.
    return { row, state, buffer in
      let isHere = state.withRow(at: row) { bytes in
        if own.isElsewhere(in: bytes) { return false }
        own.withBytes(in: bytes) { append($0, &buffer) }
        return true
      }
      if !isHere { path.withBytes(of: row, in: state) { append($0, &buffer) } }
    }
  }
}
