/// Whole reads and writes out of calls that may be cut short or interrupted.
extension DiskFile {
  /// How often in a row a call may be interrupted before that counts as its answer. A signal
  /// interrupts a call once; a disk that says so for ever must not keep us for ever.
  private var interruptionMax: Int { 100 }

  /// Writes every byte.
  ///
  /// - Throws: ``DiskError`` if a call fails, or writes nothing. Bytes before that may have been
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

  /// Reads until the buffer is full or the file ends, and says how many bytes came.
  package func readAll(
    at offset: UInt64, into buffer: inout MutableRawSpan
  ) throws(DiskError) -> Int {
    var done = 0
    var interruptions = 0
    let wanted = buffer.byteCount
    while done < wanted {
      do throws(DiskError) {
        var rest = buffer._mutatingExtracting(done..<wanted)
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

  /// Bytes from an offset on: so many, or as many as there are before the file ends.
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
