import DaybookStore
import Testing

@Suite struct `Scalar types` {
  @Test func `each scalar type is found by its unique name`() {
    for type in ScalarType.allCases { #expect(ScalarType(name: type.name) == type) }
    #expect(Set(ScalarType.allCases.map(\.name)).count == 17)
    #expect(ScalarType(name: "int") == .int64)
    #expect(ScalarType(name: "Int") == nil)
  }

  @Test func `scalar types of fixed width have a byte count`() {
    let widths = ScalarType.allCases.map { $0.byteCount ?? 0 }
    #expect(widths == [1, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 20, 0, 8, 16, 0, 0])
  }
}
