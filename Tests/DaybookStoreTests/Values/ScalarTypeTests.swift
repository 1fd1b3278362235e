import DaybookStore
import Testing

@Suite struct `The types of values` {
  @Test func `each has a name of its own, by which it is found`() {
    for type in ScalarType.allCases { #expect(ScalarType(name: type.name) == type) }
    #expect(Set(ScalarType.allCases.map(\.name)).count == 17)
    #expect(ScalarType(name: "int") == .int64)
    #expect(ScalarType(name: "Int") == nil)
  }

  @Test func `those of one width have it`() {
    let widths = ScalarType.allCases.map { $0.byteCount ?? 0 }
    #expect(widths == [1, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 20, 0, 8, 16, 0, 0])
  }
}
