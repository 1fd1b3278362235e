@_spi(Tools) import DaybookStore
import Testing

/// Preconditions of callers, which trap when they are violated.
@Suite("Preconditions of JSON reading and writing") struct JSONPromiseBytesTests {
  @Test func `writing a value without its key traps`() async {
    await #expect(processExitsWith: .failure) {
      var writer = JSONWriter()
      writer.beginObject()
      writer.write(1)
    }
  }

  @Test func `writing a second value in one line traps`() async {
    await #expect(processExitsWith: .failure) {
      var writer = JSONWriter()
      writer.write(1)
      writer.writeNull()
    }
  }

  @Test func `closing an array as an object traps`() async {
    await #expect(processExitsWith: .failure) {
      var writer = JSONWriter()
      writer.beginArray()
      writer.endObject()
    }
  }

  @Test func `writing JSON deeper than the reading limit traps`() async {
    await #expect(processExitsWith: .failure) {
      var writer = JSONWriter()
      for _ in 0...JSONReader.depthMax { writer.beginArray() }
    }
  }

  @Test func `reading a key in an array traps`() async {
    await #expect(processExitsWith: .failure) {
      var reader = JSONReader(Array("[1]".utf8))
      try reader.beginArray()
      _ = try reader.nextKey()
    }
  }
}
