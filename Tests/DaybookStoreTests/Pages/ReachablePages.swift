@testable import DaybookStore
import Testing

/// Returns the set of pages of some arrays.
func reachable(_ arrays: [PageArray], in space: PageSpace) -> Set<PageNumber> {
  var pages: Set<PageNumber> = []
  for array in arrays { array.forEachPage(in: space) { pages.insert($0) } }
  return pages
}

/// Returns the set of pages of a table, each of which it has once.
func pages(of table: SlotTable, in space: PageSpace) -> Set<PageNumber> {
  var pages: Set<PageNumber> = []
  table.forEachPage(in: space) { page in
    #expect(pages.insert(page).inserted, "\(page) is twice in the table")
  }
  return pages
}
