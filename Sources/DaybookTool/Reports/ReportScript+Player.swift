extension ReportScript {
  /// The player: it connects the film, the panels, the keys and the address of the page.
  static let player = #"""
    class Player {
      constructor(data) {
        this.film = new Film(data);
        this.chosen = undefined;
        this.note = "";
        const go = (index) => this.go(index);
        const choose = (row, column) => this.choose(row, column);
        this.list = new List(this.film, choose);
        this.log = new Log(this.film, go);
        this.log.choose = choose;
        this.marks = new Marks(this.film, go);
        this.why = new Why(this.film, go, choose);
        this.search = new Search(this.film, go, choose);
        this.cursors = [...document.querySelectorAll("#curves .cursor")];
        this.curves = [...document.querySelectorAll("#curves .curve")];
        this.connect();
        this.open(location.hash);
      }

      connect() {
        const { film } = this;
        const slider = $("slider");
        slider.max = film.steps.length;
        slider.addEventListener("input", () => this.go(Number(slider.value)));
        $("back").addEventListener("click", () => this.go(film.index - 1));
        $("next").addEventListener("click", () => this.go(film.index + 1));
        $("play").addEventListener("click", () => this.play());
        $("keys").addEventListener("click", () => { $("help").hidden = !$("help").hidden; });
        $("speed").addEventListener("change", () => {
          if (this.timer) this.schedule();
        });
        $("search").addEventListener("input", () => this.find());
        for (const curve of this.curves) {
          curve.querySelector("svg").addEventListener("click", (event) => {
            const box = event.currentTarget.getBoundingClientRect();
            const part = (event.clientX - box.left) / box.width;
            this.go(Math.round(part * film.steps.length));
          });
        }
        // Uses the address of the event, because the page may have changed its own address in the
        // meantime.
        addEventListener("hashchange", (event) => this.open(new URL(event.newURL).hash));
        document.addEventListener("keydown", (event) => this.press(event));
      }

      // Shows the moment after a number of steps. A move by one step is animated.
      go(index) {
        const { film, list } = this;
        const target = Math.max(0, Math.min(film.steps.length, index));
        this.note = "";
        const isStep = Math.abs(target - film.index) === 1;
        const isForward = target > film.index;
        const step = isStep ? film.steps[isForward ? film.index : target] : film.steps[target - 1];
        const motion = isStep ? list.motion(step, isForward) : undefined;
        film.go(target);
        list.update(step, motion);
        this.show();
        if (target === film.steps.length) this.stop();
        this.schedulePlace();
      }

      // Updates all parts of the page around the list.
      show() {
        const { film } = this;
        const { step, data } = film;
        const count = film.steps.length;
        $("slider").value = film.index;
        $("slider").setAttribute("aria-valuetext", "transaction " + film.tx);
        $("tx").textContent = step ? "Transaction " + step.tx : data.first
          ? "After transaction " + data.first : "Before the first transaction";
        $("time").textContent = step ? shownTime(step.time) : "";
        $("tags").replaceChildren(...tagElements(film.tags));
        $("author").replaceChildren(value((step && metaText(step, "author")) ?? ""));
        $("reason").replaceChildren(value((step && metaText(step, "reason")) ?? ""));
        $("note").textContent = this.note || `step ${film.index} of ${count}`;
        $("back").disabled = film.index === 0;
        $("next").disabled = film.index === count;
        const x = film.index / Math.max(1, count) * 1000;
        for (const cursor of this.cursors) {
          cursor.setAttribute("x1", x);
          cursor.setAttribute("x2", x);
        }
        const rows = film.count;
        for (const curve of this.curves) {
          const place = curve.dataset.measure;
          const text = place === undefined ? String(rows) : film.totals[place];
          curve.querySelector(".value").textContent = text;
        }
        let foot = plural(rows, "row");
        if (data.isSectioned) foot += " in " + plural(film.sections.length, "section");
        if (film.totals) foot += "  ·  " + this.list.totalsText(film.totals);
        if (film.allTotals) foot += "  ·  all: " + this.list.totalsText(film.allTotals);
        $("foot").textContent = foot;
        this.log.update();
        this.marks.update();
        if (this.chosen) this.why.show(this.chosen);
      }

      // Selects a cell; column -1 is the identifier. Without a row, removes the selection.
      choose(row, column) {
        this.chosen = row === undefined ? undefined : { row, column };
        this.list.chosen = this.chosen;
        const found = this.chosen && this.film.find(row);
        if (found) this.list.reveal(this.list.y(found.section, found.row));
        this.list.draw();
        this.why.show(this.chosen);
        this.schedulePlace();
      }

      find() {
        this.list.matches = this.search.run($("search").value);
        this.list.draw();
      }

      // MARK: Playing

      play() {
        if (this.timer) return this.stop();
        if (!this.film.steps.length) return;
        if (this.film.index === this.film.steps.length) this.go(0);
        this.schedule();
        document.body.classList.add("playing");
        $("play").setAttribute("aria-label", "Pause");
      }

      schedule() {
        clearInterval(this.timer);
        this.timer = setInterval(() => this.go(this.film.index + 1), 1000 / $("speed").value);
      }

      stop() {
        clearInterval(this.timer);
        this.timer = undefined;
        document.body.classList.remove("playing");
        $("play").setAttribute("aria-label", "Play");
      }

      // MARK: The address

      // Shows the moment and the row of the address, as in #tx=6&row=3 or #tag=opening.
      open(hash) {
        const wanted = new URLSearchParams(hash.slice(1));
        const { film } = this;
        const name = wanted.get("tag");
        const tag = film.data.tags.find((tag) => tag[0] === name);
        const number = /^\d+$/.test(wanted.get("tx") ?? "") ? Number(wanted.get("tx")) : undefined;
        const tx = tag ? tag[1] : number;
        this.go(tx === undefined ? film.steps.length : film.indexOf(tx));
        if (name !== null && !tag) this.note = `This page has no tag ${name}.`;
        else if (tx < film.data.first) {
          this.note = `This page starts after transaction ${film.data.first}.`;
        } else if (tx > film.tx) this.note = `Transaction ${tx} did not change this list.`;
        if (this.note) this.show();
        const row = film.data.ids.indexOf(wanted.get("row"));
        const column = film.data.columns.findIndex((column) => column[0] === wanted.get("column"));
        this.choose(row < 0 ? undefined : row, column);
      }

      // Writes the address after a delay, because browsers limit how often a page may change it.
      schedulePlace() {
        clearTimeout(this.placeTimer);
        this.placeTimer = setTimeout(() => {
          const place = new URLSearchParams({ tx: this.film.tx });
          if (this.chosen) {
            place.set("row", this.film.data.ids[this.chosen.row]);
            const column = this.film.data.columns[this.chosen.column];
            if (column) place.set("column", column[0]);
          }
          history.replaceState(null, "", "#" + place);
        }, 250);
      }

      // MARK: Keys

      press(event) {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const isTyping = event.target.id === "search" || event.target.tagName === "SELECT";
        if (event.key === "Escape") {
          $("help").hidden = true;
          if (isTyping) $("search").value = "";
          this.find();
          document.activeElement.blur();
          this.choose(undefined);
          return;
        }
        if (isTyping) {
          if (event.key === "Enter") $("found").querySelector("button")?.click();
          return;
        }
        if (event.key === " " && event.target.tagName === "BUTTON") return;
        const { film } = this;
        const actions = {
          ArrowLeft: () => this.goBeside(-1, event.shiftKey),
          ArrowRight: () => this.goBeside(1, event.shiftKey),
          PageUp: () => this.go(film.index - 10), PageDown: () => this.go(film.index + 10),
          Home: () => this.go(0), End: () => this.go(film.steps.length),
          ArrowUp: () => this.chooseNext(-1), ArrowDown: () => this.chooseNext(1),
          " ": () => this.play(), "/": () => $("search").focus(),
          "?": () => $("keys").click(),
        };
        if (!(event.key in actions)) return;
        event.preventDefault();
        actions[event.key]();
      }

      // Selects the row before or after the selected one.
      chooseNext(distance) {
        const { film } = this;
        const rows = film.sections.flatMap((section) => section.rows);
        if (!rows.length) return;
        const now = this.chosen ? rows.findIndex((version) =>
          film.versions[version].row === this.chosen.row) : -1;
        const next = now < 0 ? (distance > 0 ? 0 : rows.length - 1)
          : Math.max(0, Math.min(rows.length - 1, now + distance));
        this.choose(film.versions[rows[next]].row, this.chosen?.column ?? -1);
      }

      // Moves to the next or previous transaction, or with shift to the next or previous cell of
      // the selected row.
      goBeside(distance, isShifted) {
        if (!isShifted || !this.chosen) return this.go(this.film.index + distance);
        const count = this.film.data.columns.length;
        const next = (this.chosen.column + 1 + distance + count + 1) % (count + 1) - 1;
        this.choose(this.chosen.row, next);
      }
    }

    for (const id of ["player", "stage"]) $(id).hidden = false;
    document.documentElement.classList.add("live");
    new Player(JSON.parse($("data").textContent));
    """#
}
