import TestSupport

/// The public declarations of the project's sources, read line by line.
struct Declarations {
  private struct Parameter {
    var label: String
    /// A Boolean value that indicates whether the member is optional.
    var isOptional: Bool
  }

  private var names: Set<String> = []
  /// The parameters of functions and initializers, by their names.
  private var functions: [String: [[Parameter]]] = [:]

  init(of targets: [String]) throws {
    for target in targets { try read(directory: "Sources/\(target)") }
  }

  /// Returns whether a name is declared, such as `performFetch()`, `ListRequest.limit` or `move`.
  func contains(_ name: String) -> Bool {
    guard let open = name.firstIndex(of: "(") else {
      return name.split(separator: ".").allSatisfy { names.contains(String($0)) }
    }
    let path = name[..<open].split(separator: ".").map(String.init)
    guard let last = path.last, path.dropLast().allSatisfy(names.contains), name.last == ")" else {
      return false
    }
    let labels = name[open...].dropFirst().dropLast().split(separator: ":").map(String.init)
    return functions[last, default: []].contains { Declarations.fit(labels, $0) }
  }

  private static func fit(_ labels: [String], _ parameters: [Parameter]) -> Bool {
    var rest = labels[...]
    for parameter in parameters {
      if rest.first == parameter.label {
        rest.removeFirst()
      } else if !parameter.isOptional {
        return false
      }
    }
    return rest.isEmpty
  }

  // MARK: Reading

  private mutating func read(directory: String) throws {
    for name in try ProjectFiles.names(in: directory) {
      let path = "\(directory)/\(name)"
      if name.hasSuffix(".swift") {
        read(try ProjectFiles.lines(path))
      } else if !name.contains(".") {
        try read(directory: path)
      }
    }
  }

  private mutating func read(_ lines: [String]) {
    // The members of public protocols and the cases of public enumerations are public.
    var isOpen = false
    var isUnavailable = false
    for (number, line) in lines.enumerated() {
      let words = line.split { $0 == " " || $0 == ":" || $0 == "," }.map(String.init)
      let isPublic = words.contains("public")
      if line.contains("public protocol ") || line.contains("public enum ") { isOpen = true }
      if line == "}" { isOpen = false }
      if line.contains("*, unavailable") { isUnavailable = true }
      if isUnavailable, isPublic {
        isUnavailable = false
        continue
      }
      guard isPublic || isOpen, !line.drop(while: { $0 == " " }).hasPrefix("//") else { continue }
      for (word, next) in zip(words, words.dropFirst()) {
        switch word {
        case "func": add(next, lines[number...])
        case "var", "let", "case", "struct", "class", "enum", "protocol", "typealias":
          names.insert(String(next.prefix { $0.isLetter || $0.isNumber }))
        default: break
        }
      }
      if let word = words.first(where: { $0.hasPrefix("init(") }) { add(word, lines[number...]) }
    }
  }

  private mutating func add(_ word: String, _ lines: ArraySlice<String>) {
    let name = String(word.prefix { $0.isLetter || $0.isNumber })
    let text = lines.prefix(12).joined(separator: " ")
    guard let start = text.firstRange(of: name + word.dropFirst(name.count))?.lowerBound else {
      return
    }
    functions[name, default: []].append(Declarations.parameters(text[start...]))
  }

  /// The parameters of a declaration that begins with its name.
  private static func parameters(_ text: Substring) -> [Parameter] {
    var texts = [""]
    var depth = 0
    var last: Character = " "
    for character in text.drop(while: { $0 != "(" }) {
      if "([{".contains(character) || character == "<" && last != " " { depth += 1 }
      if ")]}".contains(character) || character == ">" && last != "-" && last != " " { depth -= 1 }
      if depth == 0 { break }
      if depth == 1, character == "," {
        texts.append("")
      } else {
        texts[texts.count - 1].append(character)
      }
      last = character
    }
    texts[0] = String(texts[0].dropFirst())
    return texts.compactMap { text in
      guard let label = text.split(whereSeparator: { $0 == " " || $0 == ":" }).first else {
        return nil
      }
      return Parameter(
        label: String(label), isOptional: text.contains(" = ") || text.hasSuffix("..."))
    }
  }
}
