/// Reads the base of a compacted journal.
enum BaseReader {
  static func read(
    _ image: any JournalImage, _ header: JournalHeader, path: String
  ) throws(JournalError) -> [ByteView] {
    var payloads: [ByteView] = []
    var reader = FrameReader(image, header: header)
    while !reader.chain.isPastBase {
      let isWhole = try JournalError.translating(path) { () throws(DiskError) in
        try reader.advance()
      }
      guard isWhole else {
        throw JournalError(.damagedFrame, path: path, offset: reader.offset)
      }
      if reader.header.kind == .base { payloads.append(reader.payload) }
    }
    return payloads
  }
}
