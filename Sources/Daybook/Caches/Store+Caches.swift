import DaybookJournal
import DaybookStore

extension Store {
  /// Deletes the cache of a name, or all caches of the store.
  ///
  /// ```swift
  /// try store.deleteCache(withName: "banks")
  /// ```
  ///
  /// There is seldom a need to: a cache of another list, of another journal, or of an earlier moment is
  /// found out and made good. A controller that lives on writes its cache again, when something has been
  /// saved. Files of such names that are no caches are left alone.
  ///
  /// - Parameter name: The name; nil for all.
  /// - Throws: ``StoreError`` with `journal`, if the disk refuses
  public func deleteCache(withName name: String?) throws(StoreError) {
    guard let files = derivedFiles else { return }
    let suffix = name.map { CacheFile.suffix(of: $0) }
    derivedWork.cancel { work in
      suffix.map { work == $0 } ?? work.hasPrefix(DerivedFiles.cachePrefix)
    }
    do throws(JournalError) {
      if let suffix { return try files.removeCache(suffix) }
      try files.removeCaches()
    } catch {
      throw StoreError(.journal(error), path: path)
    }
  }
}
