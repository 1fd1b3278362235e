import DaybookResults

extension BrowserModel {
  /// Handles a key, and returns the work that the key requires.
  mutating func press(_ key: Key) -> [Work] {
    message = nil
    let work: [Work]
    if key == .control("c") {
      work = [.quit]
    } else if key == .control("z") {
      work = [.stop]
    } else if prompt != nil {
      work = pressInPrompt(key)
    } else if menu != nil {
      work = pressInMenu(key)
    } else if page != nil {
      work = pressInPage(key)
    } else {
      work = pressInPanes(key)
    }
    return work + settled()
  }

  /// Handles a key while neither a menu, a prompt nor a page is open.
  private mutating func pressInPanes(_ key: Key) -> [Work] {
    switch key {
    case .up, .down, .pageUp, .pageDown, .home, .end: move(by: key)
    case .tab, .backTab: changeFocus(forward: key == .tab)
    case .escape: return escape()
    case .enter where focus == .transactions: return travel(to: selected)
    case .character("d"): return showDifference()
    case .character("m"): toggleMark(at: selected)
    case .character("x"): return toggleWithout()
    case .character("w"), .enter: return askWhy()
    default: return pressAnywhere(key)
    }
    return []
  }

  /// Handles a key that works in the panes and on a page.
  private mutating func pressAnywhere(_ key: Key) -> [Work] {
    switch key {
    case .left: return step(by: -1)
    case .right: return step(by: 1)
    case .character("q"): return [.quit]
    case .character("?"): page = .keys()
    case .character("c"): page = .command(command)
    case .character("/"): open(.filter, with: requestedView?.query["--where"])
    case .character("b"): open(.bisect, with: requestedView?.query["--where"])
    case .character("g"): open(.moment, with: nil)
    case .character("s"): openMenu(.sort)
    case .character("S"): openMenu(.sections)
    case .character("F"): openMenu(.counts)
    case .character("e"): openMenu(.entity)
    case .character("f"):
      isFollowing.toggle()
      return [isFollowing ? .follow : .stopFollowing]
    default: break
    }
    return []
  }

  // MARK: Selections

  private mutating func move(by key: Key) {
    switch focus {
    case .list:
      let last = max(0, (picture?.objects.count ?? 0) - 1)
      row = BrowserModel.moved(row, by: key, page: layout.listRowCount, last: last)
    case .transactions:
      // The newest transaction is at the top.
      let last = Int(clamping: history.upperBound - history.lowerBound)
      let index = Int(clamping: history.upperBound - selected)
      let moved = BrowserModel.moved(index, by: key, page: layout.transactionRowCount, last: last)
      selected = history.upperBound - UInt64(moved)
    case .record:
      let last = picture?.attributes.names.count ?? 0
      attribute = BrowserModel.moved(attribute, by: key, page: layout.recordRowCount, last: last)
    }
  }

  private static func moved(_ index: Int, by key: Key, page: Int, last: Int) -> Int {
    let target =
      switch key {
      case .up: index - 1
      case .down: index + 1
      case .pageUp: index - page
      case .pageDown: index + page
      case .home: 0
      default: last
      }
    return max(0, min(target, last))
  }

  private mutating func changeFocus(forward: Bool) {
    let panes = Pane.allCases
    guard let index = panes.firstIndex(of: focus) else { return }
    focus = panes[(index + (forward ? 1 : panes.count - 1)) % panes.count]
  }

  // MARK: Moments

  private mutating func step(by count: Int) -> [Work] {
    let (here, first, last) = (moment, history.lowerBound, history.upperBound)
    guard count < 0 ? here > first : here < last else {
      message = count < 0 ? "This is the start of the history." : "This is the end of the history."
      return []
    }
    return travel(to: count < 0 ? here - 1 : here + 1)
  }

  /// Returns the work that shows a different moment. A difference from the mark stays open; other
  /// pages are closed.
  mutating func travel(to sequence: UInt64) -> [Work] {
    guard let requestedView else {
      selected = sequence
      return []
    }
    let question = page?.question
    page = nil
    if case .difference(let query, _, _) = question, let mark {
      self.requestedView = requestedView.at(sequence)
      selected = sequence
      return ask(.difference(query, from: mark, to: sequence))
    }
    return want(requestedView.at(sequence))
  }

  private mutating func toggleWithout() -> [Work] {
    guard var view = requestedView else { return [] }
    if view.without == selected {
      view.without = nil
    } else if selected > max(history.lowerBound, 0), selected <= view.moment {
      view.without = selected
    } else {
      message =
        selected > view.moment
        ? "Transaction \(selected) is after the shown moment."
        : "There is no transaction \(selected) to leave out."
      return []
    }
    let here = selected
    let work = want(view)
    selected = here
    return work
  }

  private mutating func escape() -> [Work] {
    if wish != nil { return cancel() }
    guard var view = requestedView, view.without != nil else { return [] }
    view.without = nil
    return want(view)
  }

  // MARK: Questions

  private mutating func showDifference() -> [Work] {
    guard let requestedView else { return [] }
    let isFirst = requestedView.moment == history.lowerBound
    let from = mark ?? (isFirst ? requestedView.moment : requestedView.moment - 1)
    guard from != requestedView.moment else {
      message =
        mark == nil
        ? "This is the start of the history." : "The mark is at this moment. Move to another one."
      return []
    }
    return ask(.difference(requestedView.query, from: from, to: requestedView.moment))
  }

  private mutating func askWhy() -> [Work] {
    guard let picture, let selected = selectedRow else {
      message = "There is no row."
      return []
    }
    let attribute =
      focus == .record && attribute > 0 ? picture.attributes.names[attribute - 1] : nil
    return ask(.why(entity: picture.view.query.entity, id: selected.id, attribute: attribute))
  }

  // MARK: Pages

  private mutating func pressInPage(_ key: Key) -> [Work] {
    switch key {
    case .up: scrollPage(by: -1)
    case .down: scrollPage(by: 1)
    case .pageUp: scrollPage(by: -layout.listRowCount)
    case .pageDown, .character(" "): scrollPage(by: layout.listRowCount)
    case .home: scrollPage(by: .min)
    case .end: scrollPage(by: .max)
    case .enter:
      guard let target = page?.target else { return closePage() }
      page = nil
      return requestedView.map { want($0.at(target)) } ?? []
    case .escape:
      if wish != nil { return cancel() }
      return closePage()
    case .character("m"): toggleMark(at: moment)
    case .character("w"), .character("x"), .character("d"), .tab: return closePage()
    default: return pressAnywhere(key)
    }
    return []
  }

  private mutating func closePage() -> [Work] {
    page = nil
    // The moment may have changed while a difference was open.
    return requestedView.map { want($0) } ?? []
  }
}
