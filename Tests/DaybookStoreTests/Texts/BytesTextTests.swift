import DaybookSimulation
import FoundationEssentials
import Testing

@testable import DaybookStore

@Suite struct `Base64 strings` {
  @Test(
    arguments: [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
      ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ])
  func `bytes have the base64 strings of RFC 4648`(_ bytes: String, _ text: String) throws {
    #expect(Base64Text.text(of: Array(bytes.utf8)) == text)
    #expect(try Base64Text.bytes(text) == Array(bytes.utf8))
  }

  @Test(
    arguments: [
      ("Z", 1, "base64 needs groups of four characters, padded with '='; the length is 1."),
      ("Zg", 2, "base64 needs groups of four characters, padded with '='; the length is 2."),
      ("Zg=", 3, "base64 needs groups of four characters, padded with '='; the length is 3."),
      ("Z===", 1, "expected a character of base64, found '='."),
      ("=", 1, "base64 needs groups of four characters, padded with '='; the length is 1."),
      ("====", 0, "expected a character of base64, found '='."),
      ("Zg==Zg==", 2, "expected a character of base64, found '='."),
      ("Zg==\n", 2, "expected a character of base64, found '='."),
      ("Zm 9", 2, "expected a character of base64, found U+0020."),
      ("Zm9-", 3, "expected a character of base64, found '-'."),
      ("éZm9", 0, "expected a character of base64, found U+00E9."),
      ("Zh==", 1, "the last character of the base64 text has unused bits set."),
      ("Zm9=", 2, "the last character of the base64 text has unused bits set."),
    ])
  func `a string that is no base64 is refused with a message`(
    _ text: String, _ offset: Int, _ sentence: String
  ) {
    let error = #expect(throws: TextError.self) { try Base64Text.bytes(text) }
    #expect(error?.sentence == sentence)
    #expect(error?.scalarOffset == offset)
  }

  @Test func `every pair of bytes survives encoding and decoding`() {
    var wrong: [Int] = []
    for number in 0..<65_536 {
      let bytes = [UInt8(number >> 8), UInt8(number & 255)]
      if (try? Base64Text.bytes(Base64Text.text(of: bytes))) != bytes { wrong.append(number) }
    }
    #expect(wrong == [])
  }

  @Test func `only canonical base64 groups of one byte are read`() {
    let written = Set((0..<256).map { Base64Text.text(of: [UInt8($0)]) })
    var read = 0
    for first in UInt8(0)..<128 {
      for second in UInt8(0)..<128 {
        let text = [first, second, UInt8(ascii: "="), UInt8(ascii: "=")]
        guard (try? Base64Text.bytes(text.span)) != nil else { continue }
        read += 1
        #expect(written.contains(String(decoding: text, as: UTF8.self)))
      }
    }
    #expect(read == 256)
  }

  @Test func `base64 strings equal those of Foundation for every length`() throws {
    var generator = SplitMix64(seed: 51)
    for length in 0..<300 {
      let bytes = (0..<length).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
      let text = Base64Text.text(of: bytes)
      #expect(text == Data(bytes).base64EncodedString())
      #expect(try Base64Text.bytes(text) == bytes)
      var output: [UInt8] = [1]
      Base64Text.append(bytes.span, to: &output)
      #expect(output == [1] + Array(text.utf8))
      var damaged = Array(text.utf8)
      guard length > 0 else { continue }
      damaged[Int(generator.next() % UInt64(damaged.count))] = UInt8(generator.next() % 256)
      if let back = try? Base64Text.bytes(damaged.span) {
        #expect(Base64Text.text(of: back) == String(decoding: damaged, as: UTF8.self))
      }
    }
  }
}

@Suite struct `UUID strings` {
  @Test func `UUID strings equal those of Foundation and are read in either case`() throws {
    var generator = SplitMix64(seed: 52)
    for _ in 0..<1_000 {
      let words = (generator.next(), generator.next())
      let uuid = unsafeBitCast(words, to: UUID.self)
      let text = UUIDText.text(of: uuid)
      #expect(text == uuid.uuidString)
      #expect(try UUIDText.uuid(text) == uuid)
      #expect(try UUIDText.uuid(text.lowercased()) == uuid)
    }
  }

  @Test(
    arguments: [
      ("", 0, "expected 36 characters of a UUID, found the end."),
      (
        "E621E1F8-C36C-495A-93FC-0C247A3E6E5", 35,
        "expected 36 characters of a UUID, found the end."
      ),
      ("E621E1F8-C36C-495A-93FC-0C247A3E6E5FF", 36, "expected the end of the UUID, found 'F'."),
      ("E621E1F8C36C495A93FC0C247A3E6E5F", 8, "expected '-' in a UUID, found 'C'."),
      (
        "{E621E1F8-C36C-495A-93FC-0C247A3E6E5F}", 0,
        "expected a digit of a UUID, 0 to 9 or A to F, found '{'."
      ),
      (
        "E621E1G8-C36C-495A-93FC-0C247A3E6E5F", 6,
        "expected a digit of a UUID, 0 to 9 or A to F, found 'G'."
      ),
      (
        "E621E1é8-C36C-495A-93FC-0C247A3E6E5F", 6,
        "expected a digit of a UUID, 0 to 9 or A to F, found U+00E9."
      ),
    ])
  func `a string that is no UUID is refused with a message`(
    _ text: String, _ offset: Int, _ sentence: String
  ) {
    let error = #expect(throws: TextError.self) { try UUIDText.uuid(text) }
    #expect(error?.sentence == sentence)
    #expect(error?.scalarOffset == offset)
  }

  @Test func `a digit of a UUID string is one of 22 bytes`() {
    let text = Array("E621E1F8-C36C-495A-93FC-0C247A3E6E5F".utf8)
    for place in [0, 7, 9, 35] {
      let read = (UInt8.min...255).filter { byte in
        var other = text
        other[place] = byte
        return (try? UUIDText.uuid(other.span)) != nil
      }
      #expect(read == Array("0123456789ABCDEFabcdef".utf8))
    }
  }
}
