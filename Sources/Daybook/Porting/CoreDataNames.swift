import DaybookResults
import DaybookStore
import DaybookEssentials

// Names of Core Data and UIKit that are unavailable here. If a program uses one, the compiler
// prints a replacement: a new name, or a message that explains what to use. `renamed:` is only used
// where the arguments are the same, because an editor then renames the call automatically.

#if !canImport(CoreData)
  /// The name of a fetched results controller in Core Data.
  @available(*, unavailable, renamed: "FetchedResultsController")
  public struct NSFetchedResultsController<ResultType> {}

  /// The name of a controller's delegate in Core Data.
  @available(*, unavailable, renamed: "FetchedResultsControllerDelegate")
  public typealias NSFetchedResultsControllerDelegate = FetchedResultsControllerDelegate

  /// The name of a section in Core Data.
  @available(*, unavailable, renamed: "FetchedResultsSectionInfo")
  public typealias NSFetchedResultsSectionInfo<R: Record> = FetchedResultsSectionInfo<R>

  /// The name of a kind of change in Core Data.
  @available(*, unavailable, renamed: "FetchedResultsChangeType")
  public typealias NSFetchedResultsChangeType = FetchedResultsChangeType

  /// The name of a request in Core Data.
  @available(*, unavailable, renamed: "ListRequest")
  public struct NSFetchRequest<ResultType> {}

  /// The name of a fetched type in Core Data.
  @available(*, unavailable, renamed: "Record")
  public typealias NSFetchRequestResult = Record

  /// The kinds of results of a request in Core Data.
  @available(*, unavailable, message: "Call fetch, fetchIdentifiers, fetchValues or count(for:).")
  public typealias NSFetchRequestResultType = Never

  /// The name of an asynchronous request in Core Data.
  @available(*, unavailable, message: "Call Store.fetch(_:progress:), which is async.")
  public typealias NSAsynchronousFetchRequest<R: Record> = ListRequest<R>

  /// The name of the result of an asynchronous request in Core Data.
  @available(*, unavailable, message: "Store.fetch(_:progress:) returns FetchedObjects.")
  public typealias NSAsynchronousFetchResult<R: Record> = FetchedObjects<R>

  /// The name of a context in Core Data.
  @available(*, unavailable, renamed: "EditingContext")
  public typealias NSManagedObjectContext = EditingContext

  /// The name of a record in Core Data.
  @available(*, unavailable, message: "Declare a struct that conforms to Record.")
  public typealias NSManagedObject = Record

  /// The name of an identifier in Core Data.
  @available(*, unavailable, renamed: "RecordIdentifier")
  public typealias NSManagedObjectID = RecordIdentifier

  /// The name of a container in Core Data.
  @available(*, unavailable, message: "Open a store: Store(at:records:).")
  public struct NSPersistentContainer {
    /// The initializer of Core Data's container.
    public init(name: String) {}
  }

  /// The name of a description of an entity in Core Data.
  @available(*, unavailable, message: "Declare the schema of a record: RecordSchema<R>(_:).")
  public typealias NSEntityDescription = Never
#endif

#if !canImport(UIKit) && !canImport(AppKit)
  /// The name of a snapshot for a diffable data source in UIKit.
  @available(*, unavailable, message: "A controller's snapshot is a ListSnapshot.")
  public typealias NSDiffableDataSourceSnapshot<SectionID: Hashable, ItemID: Hashable> = Never
#endif

extension FetchedResultsController {
  /// The name of ``context`` in Core Data.
  @available(*, unavailable, renamed: "context")
  public var managedObjectContext: EditingContext { fatalError("unavailable") }

  /// The initializer of Core Data's class.
  @available(
    *, unavailable,
    message: """
      Call init(fetchRequest:context:cacheName:); the sections are a part of the request, as in \
      ListRequest(sortedBy:sectionedBy:).
      """
  )
  public convenience init(
    fetchRequest: ListRequest<R>, managedObjectContext: EditingContext,
    sectionNameKeyPath: String?, cacheName: String?
  ) { fatalError("unavailable") }

  /// The method of Core Data that deletes a cache.
  @available(
    *, unavailable,
    message: "Caches belong to a store: call deleteCache(withName:) of the store."
  )
  public static func deleteCache(withName name: String?) { fatalError("unavailable") }

  /// The name of ``object(at:)`` before Swift 3.
  @available(*, unavailable, renamed: "object(at:)")
  public func objectAtIndexPath(_ indexPath: IndexPath) -> R { fatalError("unavailable") }

  /// The name of ``indexPath(forObject:)`` before Swift 3.
  @available(*, unavailable, renamed: "indexPath(forObject:)")
  public func indexPathForObject(_ object: R) -> IndexPath? { fatalError("unavailable") }
}

extension ListRequest {
  /// The initializer of Core Data's request.
  @available(
    *, unavailable,
    message: "The record type names the entity: call ListRequest<R>(sortedBy:)."
  )
  public init(entityName: String) { fatalError("unavailable") }

  /// The filter of Core Data's request.
  @available(
    *, unavailable, message: "Use filter: a Filter from key paths, #Predicate or a format."
  )
  public var predicate: Any? {
    get { fatalError("unavailable") }
    set { fatalError("unavailable") }
  }

  /// The order of Core Data's request.
  @available(*, unavailable, message: "Use sortKeys, as in [.ascending(\\Item.name)].")
  public var sortDescriptors: [Any]? {
    get { fatalError("unavailable") }
    set { fatalError("unavailable") }
  }

  /// The limit of Core Data's request.
  @available(*, unavailable, message: "Use limit: nil for all rows, 0 for none.")
  public var fetchLimit: Int {
    get { fatalError("unavailable") }
    set { fatalError("unavailable") }
  }

  /// The name of ``offset`` in Core Data.
  @available(*, unavailable, renamed: "offset")
  public var fetchOffset: Int {
    get { fatalError("unavailable") }
    set { fatalError("unavailable") }
  }

  /// The name of ``batchSize`` in Core Data.
  @available(*, unavailable, renamed: "batchSize")
  public var fetchBatchSize: Int {
    get { fatalError("unavailable") }
    set { fatalError("unavailable") }
  }
}

extension Record {
  /// The method of Core Data that creates a request for the records of an entity.
  @available(
    *, unavailable, message: "Create a request with its order: ListRequest<Item>(sortedBy:)."
  )
  public static func fetchRequest() -> ListRequest<Self> { fatalError("unavailable") }

  /// The method of Core Data that changes an attribute of a managed object.
  @available(
    *, unavailable,
    message: """
      A record is a value: call EditingContext.update(_:id:with:) or \
      setValue(_:forKey:of:id:).
      """
  )
  public func setValue(_ value: Any?, forKey key: String) { fatalError("unavailable") }
}

extension ListSnapshot {
  /// The name of ``sectionIdentifier(containing:)`` in UIKit.
  @available(*, unavailable, renamed: "sectionIdentifier(containing:)")
  public func sectionIdentifier(containingItem id: R.ID) -> SectionIdentifier? {
    fatalError("unavailable")
  }
}
