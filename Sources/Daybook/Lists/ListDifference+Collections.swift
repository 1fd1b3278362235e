import DaybookResults
import DaybookStore

extension ListDifference {
  /// The change as a difference of two lists of identifiers, in list order; sections are left aside.
  ///
  /// Applying it to `before.identifiers` gives `after.identifiers`. It is as short as any, so it may move
  /// rows that ``moved`` does not contain. A row that moves is a removal and an insertion that are
  /// associated with each other. Rows of which only the content changed are in ``changedIdentifiers``.
  ///
  /// ```swift
  /// if let ids = ids.applying(difference.identifierDifference) { show(ids) }
  /// ```
  ///
  /// - Complexity: O(*k* log *n*) and the rows that move
  public var identifierDifference: CollectionDifference<R.ID> {
    difference.identifierDifference(ListDifference.id)
  }

  /// The change as a difference of two flattened lists: of the sections in order, each followed by its
  /// rows. A list without a section key has rows only.
  ///
  /// Applying it to `before.elements` gives `after.elements`. It is as short as any, so it may move rows
  /// that ``moved`` does not contain. A row or section that moves is a removal and an insertion that are
  /// associated with each other. Rows of which only the content changed are in ``changedIdentifiers``.
  ///
  /// - Complexity: O(*k* log² *n*) and the rows that move
  public var elementDifference: CollectionDifference<ListElement<R.ID>> {
    difference.elementDifference(ListDifference.id)
  }

  /// The identifiers of the rows that are in the list before and after and whose content changed, moved
  /// or not.
  ///
  /// - Complexity: O(*k*)
  public var changedIdentifiers: Set<R.ID> {
    Set(difference.changedIdentifiers.map(ListDifference.id))
  }
}
