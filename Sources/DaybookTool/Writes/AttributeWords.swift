import DaybookStore
@_spi(Tools) import DaybookResults
@_spi(Tools) import DaybookText

/// The arguments `KEY=VALUE` and `KEY:=JSON` of a command line, as values of attributes.
struct AttributeWords {
  /// The index of each attribute in its entity, and its new value.
  private(set) var values: [(index: Int, value: AttributeValue)] = []

  /// Reads the words of the repeated argument as values of an entity's attributes.
  ///
  /// - Throws: ``ToolError`` with `usage`
  init(_ invocation: Invocation, of entity: EntityDefinition) throws(ToolError) {
    for wordIndex in invocation.repeatedIndexes {
      let word = invocation.words[wordIndex]
      // An equals sign in a quoted name does not end the name.
      let key = KeyText.parts(word[...], at: "=")[0]
      let equals = key.endIndex
      guard equals < word.endIndex, equals > word.startIndex else {
        throw ToolError(
          .usage, sentence: "expected KEY=VALUE or KEY:=JSON, found '\(word)'.",
          advice: "daybook \(invocation.verb.name) --help")
      }
      let isJSON = key.last == ":"
      let name = KeyText.name(isJSON ? key.dropLast() : key)
      let content = String(word[word.unicodeScalars.index(after: equals)...])
      guard let index = entity.index(of: name) else {
        throw AttributeWords.unknown(
          name, typed: isJSON ? key.dropLast() : key, of: entity, at: wordIndex, in: invocation)
      }
      guard !values.contains(where: { $0.index == index }) else {
        throw ToolError(
          .usage, sentence: "\(name) was typed twice; type it once.",
          advice: "daybook \(invocation.verb.name) --help")
      }
      let type = entity.attributes[index].type
      do throws(TypedTextError) {
        values.append(
          (
            index,
            isJSON
              ? try TypedText.value(json: content, as: type)
              : try TypedText.value(content, as: type)
          ))
      } catch {
        var refusal = ToolError(
          .usage, sentence: "\(entity.name).\(name): \(error.sentence)")
        if content.isEmpty, !isJSON {
          refusal.sentence += " Type \(name):=null to remove the value."
          refusal.advice = invocation.command(at: wordIndex, "\(name):=null")
        }
        throw refusal
      }
    }
  }

  /// Returns the error for a name that no attribute of the entity has.
  ///
  /// - Parameter typed: The name as the user typed it.
  private static func unknown(
    _ name: String, typed: Substring, of entity: EntityDefinition, at wordIndex: Int,
    in invocation: Invocation
  ) -> ToolError {
    guard name != "id" else {
      return ToolError(
        .usage, sentence: "id is the identifier of the record. Type it as ID.",
        advice: "daybook \(invocation.verb.name) --help")
    }
    let known = entity.attributes.map(\.name)
    let nearest = NearestName.nearest(to: name, among: known)
    let hint =
      nearest.map { "; did you mean '\($0)'?" }
      ?? (known.isEmpty ? "." : "; it has \(KnownNames.phrase(known)).")
    let rest = invocation.words[wordIndex][typed.endIndex...]
    return ToolError(
      .usage, sentence: "\(entity.name) has no attribute '\(name)'\(hint)",
      advice: nearest.map { invocation.command(at: wordIndex, "\(SortKey(path: [$0]))" + rest) })
  }
}
