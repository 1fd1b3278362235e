import DaybookJournal

/// The first pass over a journal, which determines its newest schema. An export to text needs this
/// pass, because the header of the text contains the schema and comes before the transactions.
///
/// A later schema can require an attribute that earlier rows lack. The survey finds such
/// attributes, so that the header does not declare them as required.
package struct SchemaSurvey {
  package private(set) var catalog = Catalog()
  /// For each layout with rows, the attributes that have no value in at least one of these rows.
  private var lacking: [UInt16: AttributeSet] = [:]

  package init() {}

  /// Adds the layouts and the rows of a payload.
  ///
  /// - Returns: The defect of the payload; nil if it is valid.
  package mutating func add(_ payload: ByteView) -> PayloadDefect? {
    payload.withSpan { bytes in
      var reader = PayloadReader(bytes, layouts: catalog.layouts)
      add(reader.takeNewLayouts())
      reader.use(catalog.layouts)
      while let change = reader.next(in: bytes) {
        guard change.kind != .delete else { continue }
        record(bytes.extracting(change.row), of: change.layout)
      }
      return reader.defect
    }
  }

  /// Adds layouts that no earlier payload contains.
  mutating func add(_ layouts: [Layout]) {
    for layout in layouts { _ = catalog.add(layout) }
  }

  /// Records the attributes without a value in a row.
  mutating func record(_ row: RawSpan, of layout: Layout) {
    var missing = lacking[layout.number] ?? AttributeSet(count: layout.fields.count)
    for index in layout.fields.indices where layout.range(of: index, in: row) == nil {
      missing.insert(index)
    }
    lacking[layout.number] = missing
  }

  /// The entities for the header of the text, as their newest layouts define them.
  ///
  /// An attribute is not required in this result if a row in the journal has no value for it.
  package var entities: [EntityDefinition] {
    catalog.history.map { history in
      guard var entity = history.last?.entity else {
        preconditionFailure("the entity has no layout")
      }
      for (index, attribute) in entity.attributes.enumerated() where attribute.isRequired {
        if isLacking(attribute, at: index, in: history) {
          entity.attributes[index].isRequired = false
        }
      }
      return entity
    }
  }

  private func isLacking(
    _ attribute: AttributeDefinition, at index: Int, in history: [Layout]
  ) -> Bool {
    history.contains { layout in
      guard let missing = lacking[layout.number] else { return false }
      switch catalog.mapping(of: layout.number)[index] {
      case .same(let source): return missing.contains(source)
      case .other: return true
      case .absent: return attribute.defaultValue.isNull
      }
    }
  }
}
