/// Complete reads and writes, which repeat calls that are cut short or interrupted.
extension DiskFile {
  /// The number of interruptions in a row after which the interruption is reported as an error.
  ///
  /// Usually a signal interrupts a call once. The limit prevents an endless loop with a disk that
  /// always reports an interruption.
  private var interruptionMax: Int { 100 }

  /// Writes every byte.
  ///
  /// - Throws: ``DiskError`` if a call fails, or writes nothing. Earlier bytes may have been
  ///   written.
  public func writeAll(_ bytes: RawSpan, at offset: UInt64) throws(DiskError) {
    var done = 0
    var interruptions = 0
    while done < bytes.byteCount {
      do throws(DiskError) {
        let count = try write(
          bytes.extracting(done..<bytes.byteCount), at: offset + UInt64(done))
        guard count > 0 else { throw DiskError(.write, path: path, code: Errno.inputOutputError) }
        done += count
        interruptions = 0
      } catch {
        interruptions += 1
        guard error.code == Errno.interrupted, interruptions < interruptionMax else { throw error }
      }
    }
  }

  /// Reads until the buffer is full or the file ends.
  ///
  /// - Returns: The number of bytes that were read.
  package func readAll(
    at offset: UInt64, into buffer: inout MutableRawSpan
  ) throws(DiskError) -> Int {
    var done = 0
    var interruptions = 0
    let byteCount = buffer.byteCount
    while done < byteCount {
      do throws(DiskError) {
        var rest = buffer._mutatingExtracting(done..<byteCount)
        let count = try read(at: offset + UInt64(done), into: &rest)
        guard count > 0 else { return done }
        done += count
        interruptions = 0
      } catch {
        interruptions += 1
        guard error.code == Errno.interrupted, interruptions < interruptionMax else { throw error }
      }
    }
    return done
  }

  /// Reads bytes from an offset on.
  ///
  /// - Returns: `count` bytes, or fewer if the file ends before that.
  public func bytes(at offset: UInt64, count: Int) throws(DiskError) -> [UInt8] {
    var failure: DiskError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { room, filled in
      let memory = UnsafeMutableRawBufferPointer(room)
      Memory.populate(memory)
      var span = memory.mutableBytes
      do throws(DiskError) { filled = try readAll(at: offset, into: &span) } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }
}
