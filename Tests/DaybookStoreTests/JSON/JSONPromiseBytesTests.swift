@_spi(Tools) import DaybookStore
import Testing

/// Promises of callers, which stop the program when they are broken.
@Suite("A caller who breaks a promise to JSON") struct JSONPromiseBytesTests {
  @Test func `is stopped where a value is written without its key`() async {
    await #expect(processExitsWith: .failure) {
      var writer = JSONWriter()
      writer.beginObject()
      writer.write(1)
    }
  }

  @Test func `is stopped where a second value is written in one line`() async {
    await #expect(processExitsWith: .failure) {
      var writer = JSONWriter()
      writer.write(1)
      writer.writeNull()
    }
  }

  @Test func `is stopped where what is open is closed as something else`() async {
    await #expect(processExitsWith: .failure) {
      var writer = JSONWriter()
      writer.beginArray()
      writer.endObject()
    }
  }

  @Test func `is stopped where JSON would be deeper than it can be read`() async {
    await #expect(processExitsWith: .failure) {
      var writer = JSONWriter()
      for _ in 0...JSONReader.depthMax { writer.beginArray() }
    }
  }

  @Test func `is stopped where a key is asked for in an array`() async {
    await #expect(processExitsWith: .failure) {
      var reader = JSONReader(Array("[1]".utf8))
      try reader.beginArray()
      _ = try reader.nextKey()
    }
  }
}
