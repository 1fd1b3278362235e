import DaybookSimulation
import DaybookStore
import Testing

@Suite struct `Sets of attributes` {
  /// No attribute, one byte, the end of the first word, and more.
  static let counts = [0, 1, 7, 8, 9, 63, 64, 65, 72, 128, 129, 130]

  @Test(arguments: counts) func `a set of attributes contains the inserted ones and no others`(
    count: Int
  ) {
    var random = SplitMix64(seed: 7)
    for _ in 0..<20 {
      var set = AttributeSet(count: count)
      var model: Set<Int> = []
      for attribute in 0..<count where Bool.random(using: &random) {
        set.insert(attribute)
        model.insert(attribute)
      }
      #expect((0..<count + 70).filter(set.contains) == model.sorted())
      #expect(set.isEmpty == model.isEmpty)
    }
  }

  @Test(arguments: counts) func `a set of all attributes has no bit beyond them`(count: Int) {
    let all = AttributeSet(all: count)
    var model = AttributeSet(count: count)
    for attribute in 0..<count { model.insert(attribute) }
    #expect(all == model)
    #expect(all.isEmpty == (count == 0))
  }

  @Test(arguments: counts) func `a union of attribute sets contains the attributes of both`(
    count: Int
  ) {
    var random = SplitMix64(seed: 8)
    var (one, other, both) = (
      AttributeSet(count: count), AttributeSet(count: count), AttributeSet(count: count)
    )
    for attribute in 0..<count {
      if Bool.random(using: &random) {
        one.insert(attribute)
        both.insert(attribute)
      }
      if Bool.random(using: &random) {
        other.insert(attribute)
        both.insert(attribute)
      }
    }
    one.formUnion(other)
    #expect(one == both)
  }

  @Test(arguments: counts) func `a set of attributes survives encoding with the lowest bit first`(
    count: Int
  ) {
    var set = AttributeSet(count: count)
    for attribute in stride(from: 0, to: count, by: 3) { set.insert(attribute) }
    let bytes = (0..<set.byteCount).map(set.byte)
    #expect(bytes.count == (count + 7) / 8)
    #expect(AttributeSet(bytes) == set)
    for attribute in 0..<count {
      #expect(bytes[attribute / 8] >> (attribute % 8) & 1 == (attribute % 3 == 0 ? 1 : 0))
    }
  }

  @Test func `uniting attribute sets of different sizes traps`() async {
    await #expect(processExitsWith: .failure) {
      var set = AttributeSet(count: 8)
      set.formUnion(AttributeSet(count: 9))
    }
  }
}
