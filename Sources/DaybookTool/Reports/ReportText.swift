import DaybookEssentials
import DaybookJournal

/// Functions that convert text for the page of a report.
enum ReportText {
  /// Returns a text with escapes, for the content and the attributes of HTML elements.
  static func inPage(_ string: String) -> String {
    var escaped = ""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// Returns JSON for the content of a script element. The characters that could end the element,
  /// or a line of a script, are written as escapes. In valid JSON they occur only in strings.
  static func inScript(_ json: [UInt8]) -> [UInt8] {
    var escaped: [UInt8] = []
    escaped.reserveCapacity(json.count)
    var index = 0
    while index < json.count {
      let byte = json[index]
      switch byte {
      case UInt8(ascii: "<"): escaped += Array("\\u003C".utf8)
      case UInt8(ascii: ">"): escaped += Array("\\u003E".utf8)
      case UInt8(ascii: "&"): escaped += Array("\\u0026".utf8)
      case 0xE2
      where index + 2 < json.count && json[index + 1] == 0x80 && json[index + 2] & 0xFE == 0xA8:
        escaped += Array((json[index + 2] == 0xA8 ? "\\u2028" : "\\u2029").utf8)
        index += 2
      default: escaped.append(byte)
      }
      index += 1
    }
    return escaped
  }

  /// Returns the number of bytes of a text in the data of a page, with its escapes.
  static func byteCount(inScript string: String) -> Int {
    string.utf8.reduce(0) { count, byte in
      switch byte {
      case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"): count + 6
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): count + 2
      default: count + 1
      }
    }
  }

  /// Returns a time such as `2026-01-01 00:05:00 UTC`.
  static func time(_ time: JournalTime) -> String {
    "\(time)".replacing("T", with: " ").replacing("Z", with: " UTC")
  }

  /// Returns the source of a content security policy that allows one inline script or style sheet.
  static func source(of contents: String) -> String {
    let digest = Data(SHA256.digest(of: Array(contents.utf8)))
    return "'sha256-\(digest.base64EncodedString())'"
  }
}
