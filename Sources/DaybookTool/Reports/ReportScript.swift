/// The script of a report. It is one text, because the page states its checksum. The parts are in
/// separate source files.
///
/// The script writes text from the journal only as text nodes, never as HTML. It reads the data
/// block once, and needs no network.
enum ReportScript {
  static let source = """
    "use strict";
    {
    \([basics, film, life, list, tags, log, why, search, player].joined(separator: "\n"))
    }
    """

  /// Functions that all parts use.
  static let basics = #"""
    const $ = (id) => document.getElementById(id);

    // Returns a new element. Children are elements or text.
    function make(tag, name, ...children) {
      const element = document.createElement(tag);
      if (name) element.className = name;
      element.append(...children);
      return element;
    }

    function makeSVG(tag, attributes) {
      const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
      for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
      return element;
    }

    // Returns an element that isolates the direction of a text of the journal.
    function value(text) {
      return text === null ? make("span", "nil", "nil") : make("bdi", "value", text);
    }

    function button(label, action) {
      const element = make("button", "link", label);
      element.addEventListener("click", action);
      return element;
    }

    const shownTime = (time) => time.replace("T", " ").replace("Z", " UTC");

    function metaText(heading, key) {
      return heading.meta?.find((entry) => entry[0] === key)?.[1];
    }

    // Returns author, reason and further metadata of a transaction as elements.
    function metaElements(heading) {
      return (heading.meta ?? []).flatMap(([key, text]) => {
        const isKnown = key === "author" || key === "reason";
        return [make("span", "meta " + (isKnown ? key : "other"), isKnown ? "" : key + ": ",
          value(text)), " "];
      });
    }

    // Returns a name with the values before and after.
    function pair(name, before, after) {
      return make("span", "pair", make("span", "key", name + " "), make("del", "", value(before)),
        " → ", make("ins", "", value(after)));
    }

    function plural(count, one) {
      return count + " " + one + (count === 1 ? "" : "s");
    }
    """#
}
