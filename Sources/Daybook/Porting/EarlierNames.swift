import DaybookResults
import DaybookStore

// The names of version 0.2. They are removed in version 0.4.

#if !canImport(SwiftUI)
  /// The name of ``ListRequest`` before version 0.3. SwiftUI has a type of this name.
  @available(*, unavailable, renamed: "ListRequest")
  public typealias FetchRequest<R: FetchableRecord> = ListRequest<R>
#endif

/// The name of ``ObservedList`` before version 0.3.
@available(*, deprecated, renamed: "ObservedList")
public typealias ObservedResults<R: FetchableRecord> = ObservedList<R>

extension FetchProgress {
  /// The earlier name of ``examinedRowCount``.
  @available(*, deprecated, renamed: "examinedRowCount")
  public var seenCount: Int { examinedRowCount }
}
