import DaybookResults

extension BrowserModel {
  // MARK: Menus

  mutating func openMenu(_ purpose: BrowserMenu.Purpose) {
    page = nil
    switch purpose {
    case .entity:
      let items = entities.map {
        BrowserMenu.Item(label: "\($0.name)  \($0.count)", value: $0.name)
      }
      guard !items.isEmpty else {
        message = "The journal has no entities."
        return
      }
      let shown = entities.firstIndex { $0.name == requestedView?.query.entity } ?? 0
      menu = BrowserMenu(purpose: .entity, title: "entity", items: items, selected: shown)
    case .sort:
      openMenu(
        .sort, title: "sort by; again for descending", first: "order of creation", flag: "--sort")
    case .sections:
      openMenu(.sections, title: "sections by", first: "no sections", flag: "--section-by")
    case .counts: openMenu(.counts, title: "count rows by", first: nil, flag: nil)
    }
  }

  private mutating func openMenu(
    _ purpose: BrowserMenu.Purpose, title: String, first: String?, flag: String?
  ) {
    guard let picture else { return }
    let current = flag.flatMap { picture.view.query[$0] }
    var items = picture.attributes.names.map {
      BrowserMenu.Item(label: $0, value: "\(SortKey(path: [$0]))")
    }
    let currentIndex = items.firstIndex { item in
      current.map { $0 == item.value || $0 == "\(item.value ?? ""):desc" } ?? false
    }
    if let currentIndex, let current { items[currentIndex].label = "\(current) (now)" }
    if let first { items.insert(BrowserMenu.Item(label: first, value: nil), at: 0) }
    guard !items.isEmpty else {
      message = "The entity has no attributes."
      return
    }
    let selected = currentIndex.map { $0 + (first == nil ? 0 : 1) } ?? 0
    menu = BrowserMenu(purpose: purpose, title: title, items: items, selected: selected)
  }

  mutating func pressInMenu(_ key: Key) -> [Work] {
    guard let menu else { return [] }
    let room = layout.listRowCount
    if self.menu?.apply(key, room: room) == true { return [] }
    switch key {
    case .enter:
      self.menu = nil
      return choose(menu.items[menu.selected].value, in: menu.purpose)
    case .escape, .character("q"): self.menu = nil
    case .character(let letter) where letter == "/" && menu.purpose != .entity:
      // The user types a key with options, such as `name:desc`.
      self.menu = nil
      switch menu.purpose {
      case .sort: open(.sort, with: requestedView?.query["--sort"])
      case .sections: open(.sections, with: requestedView?.query["--section-by"])
      case .counts, .entity: break
      }
    case .character(let letter):
      // A letter selects the next item that starts with it.
      let count = menu.items.count
      let indexes = (1...count).map { (menu.selected + $0) % count }
      if let index = indexes.first(where: {
        menu.items[$0].label.lowercased().hasPrefix(letter.lowercased())
      }) {
        self.menu?.selected = index
      }
    default: break
    }
    return []
  }

  private mutating func choose(_ value: String?, in purpose: BrowserMenu.Purpose) -> [Work] {
    if purpose == .entity {
      guard let value, value != requestedView?.query.entity else { return [] }
      return want(
        BrowserView(
          query: BrowserQuery(entity: value), moment: moment, without: requestedView?.without))
    }
    guard var view = requestedView else { return [] }
    switch purpose {
    case .sort:
      let isAgain = value != nil && view.query["--sort"] == value
      view.query["--sort"] = isAgain ? value.map { "\($0):desc" } : value
    case .sections: view.query["--section-by"] = value
    case .counts: return value.map { ask(.counts(view, by: $0)) } ?? []
    case .entity: break
    }
    return want(view)
  }

  // MARK: Prompts

  mutating func open(_ purpose: BrowserPrompt.Purpose, with contents: String?) {
    guard requestedView != nil || purpose == .moment else { return }
    page = nil
    prompt = BrowserPrompt(
      purpose: purpose, line: LineEditor(contents ?? ""), original: requestedView)
  }

  mutating func pressInPrompt(_ key: Key) -> [Work] {
    guard let prompt else { return [] }
    switch key {
    case .escape: return leavePrompt(prompt)
    case .enter: return enter(prompt)
    case .up, .down, .pageUp, .pageDown:
      return pressInList(key)
    default:
      guard self.prompt?.line.apply(key) == true else { return [] }
      self.prompt?.error = nil
      return prompt.purpose == .filter ? filter() : []
    }
  }

  /// Moves the selection of the list while the user types.
  private mutating func pressInList(_ key: Key) -> [Work] {
    let (prompt, focus) = (prompt, focus)
    (self.prompt, self.focus) = (nil, .list)
    defer { (self.prompt, self.focus) = (prompt, focus) }
    return press(key)
  }

  private mutating func leavePrompt(_ prompt: BrowserPrompt) -> [Work] {
    self.prompt = nil
    guard prompt.purpose == .filter, let original = prompt.original, original != requestedView
    else {
      return []
    }
    return want(original)
  }

  /// Applies the typed filter, if it has no error.
  private mutating func filter() -> [Work] {
    guard let prompt, var view = requestedView else { return [] }
    let typed = prompt.line.contents
    if let sentence = BrowserModel.error(ofFilter: typed) {
      self.prompt?.error = sentence
      return []
    }
    view.query["--where"] = BrowserModel.isBlank(typed) ? nil : typed
    return want(view)
  }

  private mutating func enter(_ prompt: BrowserPrompt) -> [Work] {
    let typed = prompt.line.contents
    if prompt.purpose == .moment, !BrowserModel.isBlank(typed) { return [.moment(typed)] }
    guard var view = requestedView else {
      self.prompt = nil
      return []
    }
    switch prompt.purpose {
    case .filter:
      if prompt.error == nil { self.prompt = nil }
      return []
    case .bisect:
      guard !BrowserModel.isBlank(typed) else {
        self.prompt = nil
        return []
      }
      if let sentence = BrowserModel.error(ofFilter: typed) {
        self.prompt?.error = sentence
        return []
      }
      return ask(.bisect(entity: view.query.entity, filter: typed))
    case .moment:
      self.prompt = nil
      return []
    case .sort: view.query["--sort"] = BrowserModel.isBlank(typed) ? nil : typed
    case .sections: view.query["--section-by"] = BrowserModel.isBlank(typed) ? nil : typed
    }
    do throws(ToolError) { _ = try view.query.request() } catch {
      self.prompt?.error = error.sentence
      return []
    }
    self.prompt = nil
    return want(view)
  }

  private static func isBlank(_ string: String) -> Bool { string.allSatisfy(\.isWhitespace) }

  /// Returns a sentence about an error in a filter; nil if it has none.
  private static func error(ofFilter source: String) -> String? {
    if isBlank(source) { return nil }
    do throws(FilterError) {
      _ = try Filter(source)
      return nil
    } catch {
      let sentence = ToolError(error).sentence
      return sentence.hasPrefix("filter, ")
        ? String(sentence.dropFirst("filter, ".count)) : sentence
    }
  }
}
