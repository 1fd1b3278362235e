extension ReportScript {
  /// The list on the screen.
  static let list = #"""
    const rowHeight = 32;
    const sectionHeight = 44;
    const headHeight = 36;
    // The height above and below the visible part in which rows have elements, so that they can
    // move into it.
    const spare = 12 * rowHeight;

    // The visible rows, as elements at absolute places. The places are computed from the numbers of
    // rows, so no step measures the page. A row moves by a transition of its element from the old
    // place to the new place.
    class List {
      constructor(film, choose) {
        this.film = film;
        this.scroller = $("scroller");
        this.body = $("body");
        this.rows = new Map();
        this.heads = new Map();
        this.turn = 0;
        this.scrollTop = 0;
        this.height = 600;
        this.matches = undefined;
        this.marks = new Map();
        this.makeHead();
        this.layOut();
        this.scroller.addEventListener("scroll", () => {
          this.scrollTop = this.scroller.scrollTop;
          this.draw();
        });
        new ResizeObserver(() => {
          this.height = this.scroller.clientHeight;
          this.draw();
        }).observe(this.scroller);
        this.body.addEventListener("click", (event) => {
          const cell = event.target.closest(".cell");
          const row = cell?.closest(".row");
          if (row) choose(Number(row.dataset.row), Number(cell.dataset.column));
        });
      }

      makeHead() {
        const { data, versions } = this.film;
        const widths = [longest(data.ids, "id")];
        data.columns.forEach(([name], column) => {
          widths.push(longest(versions.map((version) => version.cells[column]), name));
        });
        // The identifier keeps its width; the other columns share the rest.
        const columns = widths.map((width, column) => column || widths.length === 1
          ? `minmax(calc(${width}ch + 16px), ${width}fr)` : `calc(${width}ch + 22px)`).join(" ");
        this.scroller.style.setProperty("--columns", columns);
        const least = widths.reduce((sum, width) => sum + width, 0);
        this.scroller.style.setProperty("--width", `calc(${least}ch + ${16 * widths.length + 26}px)`);
        this.isRight = [data.alignsIDsRight, ...data.columns.map((column) => column[1])];
        ["id", ...data.columns.map((column) => column[0])].forEach((name, column) => {
          const head = make("span", this.isRight[column] ? "cell number" : "cell", value(name));
          head.setAttribute("role", "columnheader");
          $("head").append(head);
        });
      }

      // Computes the top of each section, and the number of rows before it.
      layOut() {
        const { sections, data } = this.film;
        const extra = data.isSectioned ? sectionHeight : 0;
        this.tops = [];
        this.starts = [];
        let [top, count] = [0, 0];
        for (const section of sections) {
          this.tops.push(top);
          this.starts.push(count);
          top += extra + section.rows.length * rowHeight;
          count += section.rows.length;
        }
        this.total = top;
        this.extra = extra;
        this.body.style.height = top + "px";
        this.scroller.setAttribute("aria-rowcount", count);
      }

      y(section, row) { return this.tops[section] + this.extra + row * rowHeight; }

      // Returns the places of moved rows in the list before a step, or in the list after it. Some
      // of these rows have no element.
      movedPlaces(step, isAfter) {
        const known = new Map();
        for (const entry of step.m ?? []) {
          const [section, row] = isAfter ? [entry[2], entry[3]] : [entry[0], entry[1]];
          known.set(this.film.versions[entry[5]].row, this.y(section, row));
        }
        return known;
      }

      // Returns the rows that a step moves, inserts and deletes. The step is applied or reverted
      // only after this call.
      motion(step, isForward) {
        const numbers = (entries) =>
          new Set((entries ?? []).map((entry) => this.film.versions[entry[2]].row));
        return {
          step, isForward, before: this.movedPlaces(step, !isForward),
          fresh: numbers(isForward ? step.i : step.d), gone: numbers(isForward ? step.d : step.i),
        };
      }

      // Shows the current list, and scrolls to the changes of a step. With a motion, rows move from
      // their earlier places.
      update(step, motion) {
        this.marks = this.film.marks();
        this.body.classList.toggle("still", !motion);
        this.layOut();
        if (motion) motion.after = this.movedPlaces(motion.step, motion.isForward);
        const y = step && this.firstChange(step, motion?.isForward ?? true);
        if (y !== undefined) this.reveal(y);
        this.draw(motion);
      }

      // Returns the top of the first row that a step changed; undefined if it changed no row. The
      // step is applied or reverted before this call.
      firstChange(step, isForward) {
        const kept = step.m?.[0] ?? step.u?.[0];
        if (kept) return isForward ? this.y(kept[2], kept[3]) : this.y(kept[0], kept[1]);
        // Deleted rows are listed from the last to the first.
        const [fresh, gone] = isForward ? [step.i?.[0], step.d?.at(-1)]
          : [step.d?.at(-1), step.i?.[0]];
        if (fresh) return this.y(fresh[0], fresh[1]);
        if (!gone || !this.tops.length) return undefined;
        const y = this.y(Math.min(gone[0], this.tops.length - 1), gone[1]);
        return Math.max(0, Math.min(y, this.total - rowHeight));
      }

      // Creates the elements of the visible rows, and removes the others.
      draw(motion) {
        this.turn++;
        const { sections, data } = this.film;
        const low = this.scrollTop - spare;
        const high = this.scrollTop + this.height + spare;
        for (let place = 0; place < sections.length; place++) {
          const { rows } = sections[place];
          const top = this.tops[place];
          if (top > high) break;
          if (top + this.extra + rows.length * rowHeight < low) continue;
          if (data.isSectioned && top + this.extra > low) this.drawHead(sections[place], top);
          const first = top + this.extra;
          const begin = Math.max(0, Math.floor((low - first) / rowHeight));
          const end = Math.min(rows.length, Math.ceil((high - first) / rowHeight));
          for (let row = begin; row < end; row++) {
            this.drawRow(rows[row], first + row * rowHeight, this.starts[place] + row, motion);
          }
        }
        this.sweep(motion);
      }

      drawRow(number, y, rank, motion) {
        const version = this.film.versions[number];
        let item = this.rows.get(version.row);
        if (!item) {
          item = this.makeRow(version);
          this.rows.set(version.row, item);
          this.place(item, y);
          this.body.append(item.element);
          const from = motion?.before.get(version.row);
          if (from !== undefined) this.enter(item, from);
          else if (motion?.fresh.has(version.row)) item.element.classList.add("entering");
        } else if (item.y !== y) {
          this.place(item, y);
        }
        this.fill(item, version, rank);
        item.turn = this.turn;
      }

      place(item, y) {
        item.y = y;
        item.element.style.transform = `translateY(${y}px)`;
      }

      // Moves a new element from a place outside of the visible part.
      enter(item, from) {
        if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
        item.element.animate(
          [{ transform: `translateY(${from}px)` }, { transform: `translateY(${item.y}px)` }],
          { duration: 280, easing: "cubic-bezier(.2, .7, .2, 1)" });
      }

      makeRow(version) {
        const element = make("div", "row");
        element.dataset.row = version.row;
        element.setAttribute("role", "row");
        const cells = [this.film.data.ids[version.row], ...version.cells].map((text, column) => {
          const cell = make("span", this.isRight[column] ? "cell number" : "cell");
          cell.dataset.column = column - 1;
          cell.setAttribute("role", "cell");
          this.write(cell, text);
          return cell;
        });
        element.append(...cells);
        return { element, cells, version, rank: -1, mark: undefined };
      }

      write(cell, text) {
        cell.textContent = text ?? "nil";
        cell.classList.toggle("nil", text === null);
      }

      // Writes the cells that differ, the rank, and the mark of the row.
      fill(item, version, rank) {
        const mark = this.marks.get(version.row);
        const isChosen = this.chosen?.row === version.row;
        const isMatch = this.matches?.has(version);
        if (item.version !== version) {
          version.cells.forEach((text, column) => {
            if (text !== item.version.cells[column]) this.write(item.cells[column + 1], text);
          });
          item.version = version;
        }
        if (item.rank !== rank) {
          item.element.setAttribute("aria-rowindex", rank + 1);
          item.rank = rank;
        }
        if (item.mark !== mark || item.isChosen || isChosen || item.isMatch !== isMatch) {
          const { classList } = item.element;
          for (const kind of ["inserted", "moved", "updated"]) {
            classList.toggle(kind, mark?.kind === kind);
          }
          classList.toggle("chosen", isChosen);
          classList.toggle("match", isMatch === true);
          item.cells.forEach((cell, column) => {
            cell.classList.toggle("changed", mark?.columns.has(column - 1) ?? false);
            cell.classList.toggle("asked", isChosen && this.chosen.column === column - 1);
          });
          Object.assign(item, { mark, isChosen, isMatch });
        }
      }

      drawHead(section, y) {
        let item = this.heads.get(section.key);
        if (!item) {
          const [name, count, totals] = [make("bdi", "name"), make("span", "count"),
            make("span", "totals")];
          item = { element: make("div", "section", name, count, totals), name, count, totals };
          item.element.setAttribute("role", "row");
          item.name.textContent = section.name;
          this.heads.set(section.key, item);
          this.place(item, y);
          this.body.append(item.element);
        } else if (item.y !== y) {
          this.place(item, y);
        }
        const totals = section.totals ? this.totalsText(section.totals) : "";
        if (item.size !== section.rows.length) {
          item.size = section.rows.length;
          item.count.textContent = item.size;
        }
        if (item.text !== totals) {
          item.text = totals;
          item.totals.textContent = totals;
        }
        item.turn = this.turn;
      }

      totalsText(totals) {
        return totals.map((total, place) => this.film.data.measures[place] + " " + total)
          .join("  ·  ");
      }

      // Removes the elements that the current call of `draw` did not use. Deleted rows fade out
      // first. Rows that left the visible part move to their new place first.
      sweep(motion) {
        for (const items of [this.rows, this.heads]) {
          for (const [key, item] of items) {
            if (item.turn === this.turn) continue;
            items.delete(key);
            const isRow = items === this.rows;
            const to = isRow ? motion?.after.get(key) : undefined;
            if (motion && (to !== undefined || motion.gone.has(key) || !isRow)) {
              if (to !== undefined) this.place(item, to);
              else item.element.classList.add("leaving");
              item.element.dataset.row = "";
              item.element.setAttribute("aria-hidden", "true");
              setTimeout(() => item.element.remove(), 320);
            } else {
              item.element.remove();
            }
          }
        }
      }

      // Scrolls so that a place is visible. The caller draws the list.
      reveal(y) {
        const room = this.height - headHeight;
        if (y >= this.scrollTop && y + rowHeight <= this.scrollTop + room) return;
        this.scrollTop = Math.max(0, Math.min(y - room / 3, this.total - room));
        scrollLater(this.scroller, this);
      }
    }

    // Scrolls an element before the next frame, when the browser computes the layout anyway.
    function scrollLater(element, view) {
      cancelAnimationFrame(view.frame);
      view.frame = requestAnimationFrame(() => { element.scrollTop = view.scrollTop; });
    }

    // Returns the largest number of characters of some texts, within limits.
    function longest(texts, name) {
      let length = name.length;
      for (const text of texts) if (text !== null && text.length > length) length = text.length;
      return Math.min(32, Math.max(2, length));
    }
    """#
}
