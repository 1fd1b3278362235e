import DaybookStore
import StoreTestSupport
import Testing

@Suite struct `Catalogs` {
  @Test func `adding a layout to a copy of a catalog leaves the original unchanged`() throws {
    let store = try Store.inMemory(records: Numbered.self)
    let before = store.snapshot.frozen.catalog
    var after = before
    let layout = try #require(before.history.first?.first)
    let unique = try Store.inMemory(records: Unique.self).snapshot.frozen.catalog.newest(0)
    #expect(after.add(layout) == .known)
    let other = Layout(number: layout.number + 1, of: unique.entity)
    #expect(after.add(other) == .new)
    #expect(before.names == ["Numbered"] && after.names == ["Numbered", "Unique"])
    #expect(before.layouts.count == 1 && after.layouts.count == 2)
    #expect(before.index(of: "Unique") == nil && after.index(of: "Unique") == 1)
    #expect(before.fetches === after.fetches)
  }
}
