@_spi(Tools) import DaybookResults

extension ToolError {
  init(_ error: FilterError) {
    self.init(.usage, sentence: "\(error)")
    if let source = error.text, let column = error.column {
      picture = ToolError.picture(of: source, at: column)
      let quoted = KeyText.quotation(in: source, at: column)
      switch (error.reason, quoted) {
      case (.noAttribute(let name, _, let nearest?, _), _):
        correction = Correction(
          subject: .filter(column: column), written: quoted ?? name,
          meant: "\(SortKey(path: [nearest]))")
      case (.constants(_, _, let attribute?), let quoted?):
        correction = Correction(
          subject: .filter(column: column), written: quoted, meant: attribute)
      default: break
      }
    }
  }

  init(_ error: RequestError) {
    if case .filter(let error) = error.reason {
      self.init(error)
      return
    }
    self.init(.usage, sentence: "\(error)")
    switch error.reason {
    case .noEntity(let name, let nearest?, _):
      correction = Correction(subject: .entity, written: name, meant: nearest)
    case .noEntity(let name, nil, let known) where known.count == 1:
      correction = Correction(subject: .entity, written: name, meant: known[0])
    case .noAttribute(let name, _, let nearest?, _):
      correction = Correction(
        subject: .key, written: name, meant: "\(SortKey(path: [nearest]))")
    default: break
    }
  }

  /// The maximum number of characters before the error, and of characters after it.
  private static let sideWidthMax = 60

  /// Returns the line of a filter that contains an error, and a line with a caret below the error.
  ///
  /// The method does not use `FilterError.caret`, because that counts scalars. On a terminal, the
  /// position of the caret depends on the widths of the characters, and some scalars are printed as
  /// escapes. For a long line, the method returns only the part around the error.
  private static func picture(of source: String, at column: Int) -> [String] {
    let scalars = Array(source.unicodeScalars)
    let index = min(column - 1, scalars.count)
    let begin = scalars[..<index].lastIndex(of: "\n").map { $0 + 1 } ?? 0
    let end = scalars[index...].firstIndex(of: "\n") ?? scalars.count
    func shown(_ range: Range<Int>) -> String {
      var part = String.UnicodeScalarView()
      part.append(contentsOf: scalars[range])
      return DisplayWidth.shown(String(part))
    }
    var (before, after) = (shown(begin..<index), shown(index..<end))
    if before.count > sideWidthMax { before = "..." + before.suffix(sideWidthMax - 3) }
    if after.count > sideWidthMax { after = after.prefix(sideWidthMax - 3) + "..." }
    let indent = DisplayWidth.columns(before)
    return [before + after, String(repeating: " ", count: indent) + "^"]
  }
}
