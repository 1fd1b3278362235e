import DaybookJournal

extension Checkpoint {
  /// What makes rows for records whose own are damaged: with their identifiers, as far as they are kept beside
  /// the rows, and the defaults of their schemas.
  ///
  /// - Parameter space: The checkpoint's pages, which never change.
  func standIns(in space: PageSpace) -> LateRows.Source {
    var newest: [String: Layout] = [:]
    var names: [String] = []
    for layout in layouts {
      if newest.updateValue(layout, forKey: layout.entity.name) == nil {
        names.append(layout.entity.name)
      }
    }
    let entities = zip(state.tables, names.compactMap { newest[$0] }).map {
      (table: $0, layout: $1)
    }
    return { range, body in
      for (table, layout) in entities {
        table.forEach(in: space) { slot, location, creation in
          guard location.region == .file, range.contains(location.rawValue) else { return }
          let id = table.identifier(in: slot, space) ?? .string("damaged \(slot)")
          var buffer = RowBuffer()
          layout.appendDefaults(id, creation: creation, to: &buffer)
          body(location.rawValue, buffer.bytes.span.bytes)
        }
      }
    }
  }
}

extension Layout {
  /// Appends the row of a record that has nothing but its identifier.
  fileprivate func appendDefaults(
    _ id: RecordIdentifier, creation: UInt64, to buffer: inout RowBuffer
  ) {
    let values = entity.attributes.map { attribute in
      attribute.defaultValue.fits(attribute.type) ? attribute.defaultValue : .null
    }
    let start = buffer.count
    DynamicRecord(entity.name, id: id, values: values).append(self, to: &buffer)
    buffer.put(creation, at: start + 6)
  }
}
