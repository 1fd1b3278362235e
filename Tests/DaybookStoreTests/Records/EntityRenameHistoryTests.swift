import DaybookJournal
import DaybookSimulation
import DaybookText
import StoreTestSupport
import TestSupport
import Testing
import TextTestSupport

@testable import DaybookStore

/// The law: whatever names entities get, and whatever happens to the journal in between, each
/// record keeps its identifier, its values, its history and the references to it.
@Suite struct `Histories of renamed entities` {
  /// Two entities that refer to each other, by their numbers, and their current names.
  private struct Model {
    var names = ["First", "Second"]
    /// For each entity, the records: their text, and the record of the other entity that they refer
    /// to.
    var records: [[Int64: (text: String, target: Int64)]] = [[:], [:]]

    func definition(_ entity: Int, renamedFrom earlierName: String? = nil) -> EntityDefinition {
      let target = EntityReference(names[1 - entity], identifierKind: .int)
      return EntityDefinition(
        names[entity], renamedFrom: earlierName, identifiedBy: .int,
        attributes: [
          AttributeDefinition("text", type: .scalar(.string)),
          AttributeDefinition("other", type: .reference(target)),
        ], unique: [["text"]])
    }

    func values(_ entity: Int, _ id: Int64) -> [AttributeValue]? {
      records[entity][id].map { [.string($0.text), .reference(.int($0.target))] }
    }
  }

  /// Checks all records of a store, and what refers to them.
  private func check(_ model: Model, _ store: Store, _ what: String) throws {
    let snapshot = store.snapshot
    #expect(snapshot.entities.map(\.name) == model.names, "\(what)")
    for entity in 0...1 {
      let found = try snapshot.objects(model.names[entity])
      #expect(Set(found.map(\.id)) == Set(model.records[entity].keys.map { .int($0) }), "\(what)")
      for record in found {
        guard case .int(let id) = record.id else { continue }
        #expect(record.values == model.values(entity, id), "\(what): \(record)")
      }
      for target in 0..<8 as Range<Int64> {
        var referrers: Set<RecordIdentifier> = []
        snapshot.frozen.reader.forEachReferrer(of: EntityKey(1 - entity, id: .int(target))) {
          if $0 == entity {
            referrers.insert(snapshot.frozen.reader.identifier(ofSlot: $2, in: $0))
          }
        }
        let expected = model.records[entity].filter { $0.value.target == target }.keys
        #expect(referrers == Set(expected.map { .int($0) }), "\(what)")
      }
    }
    #expect(Audit.differences(snapshot, try store.replayed()) == [], "\(what)")
  }

  @Test func `records of renamed entities are found after everything that changes a journal`()
    throws
  {
    for seed in 0..<UInt64(FaultRow.count(300, full: 3000, least: 20)) {
      var random = SplitMix64(seed: seed)
      func below(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
      let disk = SimulatedDisk()
      disk.mapsFiles = true
      var place = CheckpointPlace(disk: disk)
      var model = Model()
      var earlierNames: [String?] = [nil, nil]
      /// The state of the model after each transaction.
      var moments: [SequenceNumber: Model] = [:]
      for generation in 0..<6 {
        let what = "seed \(seed), generation \(generation)"
        let entities = (0...1).map { model.definition($0, renamedFrom: earlierNames[$0]) }
        let store = try Store(at: place.path, entities: entities, options: place.options)
        try check(model, store, what)
        let context = store.makeContext()
        for _ in 0..<1 + below(3) {
          for _ in 0...below(4) {
            let (entity, id) = (below(2), Int64(below(8)))
            let name = model.names[entity]
            if model.records[entity][id] != nil, below(3) == 0 {
              try context.delete(name, id: .int(id))
              model.records[entity][id] = nil
              for (other, record) in model.records[1 - entity] where record.target == id {
                // The reference is removed; the test uses a target that is in no record.
                try context.setValue(
                  .reference(.int(99)), forKey: "other", of: model.names[1 - entity],
                  id: .int(other))
                model.records[1 - entity][other]?.target = 99
              }
              try context.saveAndWait()
              moments[store.snapshot.sequence] = model
              continue
            }
            let record = (text: "\(random.next())", target: Int64(below(8)))
            model.records[entity][id] = record
            let values = try #require(model.values(entity, id))
            try context.upsert(DynamicRecord(name, id: .int(id), values: values))
          }
          try context.saveAndWait()
          moments[store.snapshot.sequence] = model
        }
        try check(model, store, "\(what), changed")
        for (sequence, moment) in moments where sequence >= store.base {
          for entity in 0...1 {
            let found = try store.snapshot(at: sequence).objects(model.names[entity])
            for record in found {
              guard case .int(let id) = record.id else { continue }
              #expect(record.values == moment.values(entity, id), "\(what), \(sequence)")
            }
            #expect(found.count == moment.records[entity].count, "\(what), \(sequence)")
          }
        }
        try store.closeAndWait()
        switch below(5) {
        case 0: try Store.compact(at: place.path, options: place.options)
        case 1:
          let desk = TextDesk(disk: disk)
          let text = try desk.exported(place.path)
          let path = "text\(generation)"
          try desk.importing(text, to: path)
          #expect(try desk.exported(path) == text, "\(what)")
          place.path = path
        default: break
        }
        for entity in 0...1 where below(2) == 0 {
          earlierNames[entity] = model.names[entity]
          model.names[entity] = "Name\(generation)\(entity)"
        }
      }
    }
  }
}
