extension ReportScript {
  /// The panel that shows which transactions set the values of a row.
  static let why = #"""
    class Why {
      constructor(film, go, choose) {
        this.film = film;
        this.go = go;
        this.choose = choose;
        this.panel = $("why");
      }

      show(chosen) {
        this.panel.hidden = !chosen;
        if (!chosen) {
          this.number = undefined;
          return;
        }
        if (this.number !== chosen.row) {
          this.number = chosen.row;
          this.life = new Life(this.film, chosen.row);
        }
        const found = this.film.find(chosen.row);
        const close = button("×", () => this.choose(undefined));
        close.setAttribute("aria-label", "Close");
        close.classList.add("close");
        const parts = [make("h2", "", this.film.data.entity + " ",
          value(this.film.data.ids[chosen.row])), close];
        if (found) parts.push(...this.answer(found.version, chosen.column));
        else parts.push(make("p", "dim", "This row is not in the list at this moment."));
        parts.push(this.line(), this.events());
        this.panel.replaceChildren(...parts);
      }

      // Returns the cells of the row, each with the transaction that set it. The chosen cell has
      // more details.
      answer(version, chosenColumn) {
        const { columns } = this.film.data;
        const list = make("dl", "answer");
        columns.forEach(([name], column) => {
          const [cell, tx] = [version.cells[column], version.origins[column]];
          const isAsked = column === chosenColumn;
          const key = make("dt", isAsked ? "asked" : "", name);
          key.addEventListener("click", () => this.choose(version.row, column));
          list.append(key, make("dd", isAsked ? "asked" : "", value(cell), " ",
            isAsked ? this.cause(version, column, tx) : this.jump(tx, "since " + tx)));
        });
        return [list];
      }

      jump(tx, text) {
        const index = this.film.indexOf(tx);
        if (!index || this.film.steps[index - 1].tx !== tx) return make("span", "dim", text);
        return button(text, () => this.go(index));
      }

      // Returns an element with the transaction that set a value, and the value that it replaced.
      cause(version, column, tx) {
        const answer = make("div", "cause");
        const heading = this.film.headings.get(tx);
        answer.append("set by ", this.jump(tx, "transaction " + tx));
        if (heading) {
          answer.append(make("span", "time", " " + shownTime(heading.time)));
          const meta = metaElements(heading);
          if (meta.length) answer.append(make("div", "by", ...meta));
        }
        let before = version;
        while (before && before.origins[column] === tx) before = before.before;
        if (before) answer.append(make("div", "dim", "before: ", value(before.cells[column])));
        return answer;
      }

      // Returns the curve of the row's ranks.
      line() {
        const [width, height] = [1000, 64];
        const { path, low, high } = this.life.path(width, height);
        const svg = makeSVG("svg", { viewBox: `0 0 ${width} ${height}`,
          preserveAspectRatio: "none", role: "img", "aria-label": "The ranks of the row" });
        const x = this.film.index / Math.max(1, this.film.steps.length) * width;
        svg.append(makeSVG("path", { d: path }),
          makeSVG("line", { class: "cursor", x1: x, x2: x, y1: 0, y2: height }));
        svg.addEventListener("click", (event) => {
          const box = svg.getBoundingClientRect();
          this.go(Math.round((event.clientX - box.left) / box.width * this.film.steps.length));
        });
        const rank = this.life.ranks[this.film.index];
        return make("figure", "life", make("figcaption", "",
          rank === undefined ? "not in the list" : "rank " + (rank + 1),
          make("span", "range", low === high ? "" : `${low} to ${high}`)), svg);
      }

      // Returns all events of the row, the newest first.
      events() {
        const list = make("ol", "events");
        const { events } = this.life;
        for (const event of events.slice(-lineCountMax).reverse()) {
          const pairs = event.before
            ? this.pairs(event)
            : [make("span", "dim", event.kind === "deleted" ? "left the list" :
              "entered the list")];
          const item = make("li", event.kind + (event.index === this.film.index ? " now" : ""),
            button(String(event.step.tx), () => this.go(event.index)),
            make("i", "", signs[event.kind]), ...pairs, " ", make("span", "by",
              ...metaElements(event.step)));
          list.append(item);
        }
        return list;
      }

      // Returns the changed values of a row, or its new rank.
      pairs(event) {
        const { before, version, index } = event;
        const pairs = this.film.data.columns.flatMap(([name], column) =>
          before.cells[column] === version.cells[column] ? []
            : [pair(name, before.cells[column], version.cells[column])]);
        const [from, to] = [this.life.ranks[index - 1], this.life.ranks[index]];
        if (!pairs.length) pairs.push(pair("rank", String(from + 1), String(to + 1)));
        return pairs;
      }
    }
    """#

  /// The search in rows and transactions of all moments.
  static let search = #"""
    const resultCountMax = 30;

    class Search {
      constructor(film, go, choose) {
        this.film = film;
        this.go = go;
        this.choose = choose;
        this.panel = $("found");
      }

      // Returns the matching versions, and shows the matching rows and transactions.
      run(text) {
        const query = text.trim().toLowerCase();
        this.panel.hidden = query === "";
        if (!query) {
          this.panel.replaceChildren();
          return undefined;
        }
        const { film } = this;
        const { ids } = film.data;
        const matches = new Set();
        const rows = new Map();
        for (const version of film.versions) {
          version.text ??= [ids[version.row], ...version.cells].join("\n").toLowerCase();
          if (!version.text.includes(query)) continue;
          matches.add(version);
          rows.set(version.row, version);
        }
        const now = new Set(film.sections.flatMap(({ rows }) => rows)
          .map((version) => film.versions[version]).filter((version) => matches.has(version)));
        const list = make("ul", "results");
        const shown = new Set([...now].map((version) => version.row));
        const ordered = [...now, ...[...rows.values()].filter((version) =>
          !shown.has(version.row))];
        for (const version of ordered.slice(0, resultCountMax)) list.append(this.row(version, now));
        const steps = film.steps.filter((step) => String(step.tx) === query
          || step.meta?.some((entry) => entry[1].toLowerCase().includes(query)));
        for (const step of steps.slice(0, resultCountMax)) list.append(this.transaction(step));
        const tags = film.data.tags.filter(([name]) => name.toLowerCase().includes(query));
        for (const tag of tags.slice(0, resultCountMax)) list.append(this.tag(tag));
        this.panel.replaceChildren(make("h2", "", plural(rows.size, "row"), " ",
          make("small", "", `${now.size} at this moment`
            + (steps.length ? ", " + plural(steps.length, "transaction") : "")
            + (tags.length ? ", " + plural(tags.length, "tag") : ""))), list);
        return matches;
      }

      row(version, now) {
        const { ids } = this.film.data;
        const cell = version.cells.find((cell) => cell !== null);
        const result = button("", () => {
          if (!now.has(version)) this.go(version.step);
          this.choose(version.row, -1);
        });
        result.append(value(ids[version.row]), " ", cell === undefined ? "" : value(cell));
        return make("li", "", result, now.has(version) ? "" : make("span", "dim",
          version.step ? " at transaction " + version.tx : " at the start"));
      }

      transaction(step) {
        const result = button("transaction " + step.tx, () =>
          this.go(this.film.indexOf(step.tx)));
        return make("li", "", result, " ", ...metaElements(step));
      }

      tag([name, tx]) {
        const result = button("tag ", () => this.go(this.film.indexOf(tx)));
        result.append(value(name));
        return make("li", "", result, " ", make("span", "dim", "transaction " + tx));
      }
    }
    """#
}
