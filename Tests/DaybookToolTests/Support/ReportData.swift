import DaybookStore
import TestSupport

/// The data block of a page.
struct ReportData {
  let value: JSONValue

  init(_ page: [UInt8]) throws {
    let text = String(decoding: page, as: UTF8.self)
    guard let rest = text.split(separator: "id=\"data\">", maxSplits: 1).last,
      let data = rest.split(separator: "</script>", maxSplits: 1).first
    else { throw Surprise("the page has no data") }
    value = try JSONValue(Array(data.utf8))
  }

  /// The transactions of the steps.
  var steps: [Int] {
    get throws {
      guard case .array(let steps)? = value["steps"] else { throw Surprise("no steps") }
      return steps.compactMap { Int($0["tx"]?.text ?? "") }
    }
  }
}
