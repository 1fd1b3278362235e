extension ReportScript {
  /// The log: all transactions that changed the list, and the changes of the one that is shown.
  static let log = #"""
    const entryHeight = 48;
    const lineCountMax = 100;
    const signs = { inserted: "+", deleted: "−", moved: "↕", updated: "~" };

    class Log {
      constructor(film, go) {
        this.film = film;
        this.go = go;
        this.entries = $("entries");
        this.track = $("track");
        this.items = new Map();
        this.height = 300;
        this.scrollTop = 0;
        this.track.style.height = film.steps.length * entryHeight + "px";
        this.entries.addEventListener("scroll", () => {
          this.scrollTop = this.entries.scrollTop;
          this.draw();
        });
        new ResizeObserver(() => {
          this.height = this.entries.clientHeight;
          this.draw();
        }).observe(this.entries);
      }

      update() {
        const y = (this.film.index - 1) * entryHeight;
        if (y < this.scrollTop || y + entryHeight > this.scrollTop + this.height) {
          this.scrollTop = Math.max(0, Math.min(y - this.height / 3,
            this.film.steps.length * entryHeight - this.height));
          scrollLater(this.entries, this);
        }
        this.draw();
        this.showChanges();
      }

      draw() {
        const begin = Math.max(0, Math.floor(this.scrollTop / entryHeight) - 2);
        const end = Math.min(this.film.steps.length,
          Math.ceil((this.scrollTop + this.height) / entryHeight) + 2);
        for (const [place, element] of this.items) {
          if (place >= begin && place < end) continue;
          element.remove();
          this.items.delete(place);
        }
        for (let place = begin; place < end; place++) {
          let element = this.items.get(place);
          if (!element) {
            element = this.entry(place);
            this.items.set(place, element);
            this.track.append(element);
          }
          const isNow = place === this.film.index - 1;
          if (element.isNow !== isNow) {
            element.isNow = isNow;
            element.classList.toggle("now", isNow);
            if (isNow) element.setAttribute("aria-current", "step");
            else element.removeAttribute("aria-current");
          }
        }
      }

      entry(place) {
        const step = this.film.steps[place];
        const counts = make("span", "counts");
        for (const [key, kind] of [["i", "inserted"], ["d", "deleted"], ["m", "moved"],
          ["u", "updated"]]) {
          const count = step[key]?.length;
          if (count) counts.append(make("span", kind, signs[kind] + count));
        }
        const element = make("button", "entry",
          make("span", "tx", String(step.tx)),
          make("span", "time", shownTime(step.time)), counts);
        const tags = tagElements(this.film.tagsByIndex.get(place + 1) ?? []);
        if (step.meta || tags.length) {
          element.append(make("span", "line", ...tags, ...metaElements(step)));
        }
        element.style.transform = `translateY(${place * entryHeight}px)`;
        element.tabIndex = -1;
        element.addEventListener("click", () => this.go(place + 1));
        return element;
      }

      // Shows the changes of the transaction, each with its values before and after.
      showChanges() {
        const { film } = this;
        const panel = $("changes");
        const step = film.step;
        if (!step) {
          panel.replaceChildren(make("h2", "", "The start"),
            make("p", "dim", film.data.first
              ? "The list as it was after transaction " + film.data.first + "."
              : "The list before the first transaction."),
            make("p", "by", ...tagElements(film.tags)));
          return;
        }
        const lines = make("ul", "lines");
        const add = (entries, kind, line) => {
          for (const entry of entries ?? []) {
            if (lines.childElementCount < lineCountMax) lines.append(line.call(this, kind, entry));
          }
        };
        add(step.sd, "deleted", this.sectionLine);
        add(step.si, "inserted", this.sectionLine);
        add(step.d, "deleted", this.rowLine);
        add(step.i, "inserted", this.rowLine);
        add(step.m, "moved", this.changeLine);
        add(step.u, "updated", this.changeLine);
        this.addTotals(step, lines);
        const count = ["sd", "si", "d", "i", "m", "u"]
          .reduce((sum, key) => sum + (step[key]?.length ?? 0), 0);
        panel.replaceChildren(make("h2", "", "Transaction " + step.tx, " ",
          make("small", "", shownTime(step.time))),
          make("p", "by", ...tagElements(film.tags), ...metaElements(step)), lines);
        if (count > lineCountMax) {
          panel.append(make("p", "dim", plural(count - lineCountMax, "more change") + "."));
        }
      }

      sectionLine(kind, [, name]) {
        return make("li", kind, make("i", "", signs[kind]), "section ", value(name));
      }

      rowLine(kind, entry) {
        const version = this.film.versions[entry[2]];
        const texts = version.cells.flatMap((cell, column) =>
          cell === null ? [] : [make("span", "pair",
            make("span", "key", this.film.data.columns[column][0] + " "), value(cell))]);
        return make("li", kind, make("i", "", signs[kind]), this.rowName(version), ...texts);
      }

      changeLine(kind, entry) {
        const { versions } = this.film;
        const [old, now] = [versions[entry[4]], versions[entry[5]]];
        const pairs = this.pairs(old, now, this.film.changed(entry[4], entry[5]));
        const [from, to] = [this.film.nameBefore(entry[0]), this.film.sections[entry[2]].name];
        if (from !== to) pairs.unshift(pair("section", from, to));
        return make("li", kind, make("i", "", signs[kind]), this.rowName(now), ...pairs);
      }

      rowName(version) {
        const name = button("", () => this.choose(version.row, -1));
        name.append(value(this.film.data.ids[version.row]));
        return name;
      }

      // Returns the changed values, each as before → after.
      pairs(old, now, columns) {
        return columns.map((column) =>
          pair(this.film.data.columns[column][0], old.cells[column], now.cells[column]));
      }

      addTotals(step, lines) {
        const { measures } = this.film.data;
        const add = (name, before, after) => {
          if (before === after || lines.childElementCount >= lineCountMax) return;
          lines.append(make("li", "total", make("i", "", "="), pair(name, before, after)));
        };
        measures.forEach((name, place) => {
          if (step.t) add(name, step.t[0][place], step.t[1][place]);
          if (step.a) add(name + " of all", step.a[0][place], step.a[1][place]);
        });
      }
    }
    """#
}
