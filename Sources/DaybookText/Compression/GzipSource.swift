import DaybookJournal
import DaybookPlatform

/// A source of the decompressed bytes of a gzip file.
///
/// A source can throw only a disk error. If the file is damaged, the source stores a sentence in
/// ``damage``, and throws a disk error. The caller reports the sentence instead of the error.
final class GzipSource {
  private var reader: GzipReader
  private let path: String
  /// The sentence about the damage of the file; nil if none was found.
  private(set) var damage: String?

  init(_ source: @escaping LineReader.Source, path: String) {
    reader = GzipReader(source)
    self.path = path
  }

  func read(into memory: UnsafeMutableRawBufferPointer) throws(DiskError) -> Int {
    do { return try reader.read(into: memory) } catch {
      switch error {
      case .disk(let error): throw error
      case .damaged(let sentence):
        damage = sentence
        throw DiskError(.read, path: path, code: Errno.invalidArgument)
      }
    }
  }
}

/// One pass over the bytes of a text.
struct TextPieces {
  let source: LineReader.Source
  /// Returns the sentence about the damage that an error of the source reports; nil for an error of
  /// the disk.
  let damage: () -> String?
}
