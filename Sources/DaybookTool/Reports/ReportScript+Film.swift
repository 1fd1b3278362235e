extension ReportScript {
  /// The data, and the list at one step of it.
  static let film = #"""
    // The list at a moment. `index` is the number of steps before it: 0 is the first picture.
    // A section has a key, so that its element can be found again after it moved.
    class Film {
      constructor(data) {
        this.data = data;
        this.steps = data.steps;
        this.versions = [];
        this.headings = new Map();
        const latest = new Map();
        const add = (entries, tx, step) => {
          for (const [row, cells, origins] of entries) {
            const before = latest.get(row);
            const version = { row, tx, step, before: undefined };
            if (Array.isArray(cells)) {
              version.cells = cells;
              version.origins = origins ?? cells.map(() => tx);
            } else {
              version.before = before;
              version.cells = before.cells.slice();
              version.origins = before.origins.slice();
              for (const [column, cell] of Object.entries(cells)) {
                version.cells[column] = cell;
                version.origins[column] = tx;
              }
            }
            latest.set(row, version);
            this.versions.push(version);
          }
        };
        add(data.versions, 0, 0);
        this.steps.forEach((step, place) => {
          add(step.v, step.tx, place + 1);
          this.headings.set(step.tx, step);
        });
        for (const heading of data.earlier) this.headings.set(heading.tx, heading);
        // The names of each moment. A tag of a transaction that did not change the list names the
        // moment of the transaction before it.
        this.tagsByIndex = new Map();
        for (const [name, tx] of data.tags) {
          const index = this.indexOf(tx);
          this.tagsByIndex.set(index, [...this.tagsByIndex.get(index) ?? [], name]);
        }
        this.keyCount = 0;
        this.load(data.pictures[0]);
      }

      load(picture) {
        this.index = picture.at;
        this.sections = picture.sections.map(([name, rows, totals]) =>
          this.section(name, rows.slice(), totals));
        this.totals = picture.totals;
        this.allTotals = picture.allTotals;
      }

      section(name, rows, totals) {
        return { key: this.keyCount++, name, rows, totals: totals?.slice() };
      }

      // The number of the transaction that is shown.
      get tx() { return this.index ? this.steps[this.index - 1].tx : this.data.first; }
      get tags() { return this.tagsByIndex.get(this.index) ?? []; }
      get step() { return this.index ? this.steps[this.index - 1] : undefined; }
      get count() { return this.sections.reduce((sum, section) => sum + section.rows.length, 0); }

      // Returns the index of the moment after a transaction.
      indexOf(tx) {
        let [low, high] = [0, this.steps.length];
        while (low < high) {
          const middle = (low + high) >> 1;
          if (this.steps[middle].tx <= tx) low = middle + 1; else high = middle;
        }
        return low;
      }

      // Moves to an index, from the nearest picture or from the current index.
      go(index) {
        if (Math.abs(index - this.index) > 1) {
          let nearest;
          for (const picture of this.data.pictures) {
            const distance = Math.abs(picture.at - index);
            if (!nearest || distance < Math.abs(nearest.at - index)) nearest = picture;
          }
          if (Math.abs(nearest.at - index) < Math.abs(this.index - index)) this.load(nearest);
        }
        while (this.index < index) this.apply(this.steps[this.index++]);
        while (this.index > index) this.revert(this.steps[--this.index]);
      }

      apply(step) {
        this.edit({
          out: places(step.d, 0, 2).concat(places(step.m, 0, 4)), gone: step.sd, born: step.si,
          into: places(step.i, 0, 2).concat(places(step.m, 2, 5)), updates: places(step.u, 2, 5),
        });
        for (const [section, measure, , after] of step.st ?? []) {
          this.sections[section].totals[measure] = after;
        }
        if (step.t) this.totals = step.t[1];
        if (step.a) this.allTotals = step.a[1];
      }

      revert(step) {
        for (const [section, measure, before] of step.st ?? []) {
          this.sections[section].totals[measure] = before;
        }
        this.edit({
          out: places(step.i, 0, 2).concat(places(step.m, 2, 5)), gone: step.si, born: step.sd,
          into: places(step.d, 0, 2).concat(places(step.m, 0, 4)), updates: places(step.u, 0, 4),
        });
        if (step.t) this.totals = step.t[0];
        if (step.a) this.allTotals = step.a[0];
      }

      // Removes rows from the last old place to the first, and then sections. Inserts sections, and
      // then rows from the first new place to the last.
      edit({ out, gone, born, into, updates }) {
        out.sort((a, b) => b[0] - a[0] || b[1] - a[1]);
        for (const [section, row] of out) this.sections[section].rows.splice(row, 1);
        const old = (gone ?? []).map((section) => section[0]).sort((a, b) => b - a);
        for (const section of old) this.sections.splice(section, 1);
        const fresh = (born ?? []).slice().sort((a, b) => a[0] - b[0]);
        for (const [section, name, totals] of fresh) {
          this.sections.splice(section, 0, this.section(name, [], totals));
        }
        into.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
        for (const [section, row, version] of into) {
          this.sections[section].rows.splice(row, 0, version);
        }
        for (const [section, row, version] of updates) this.sections[section].rows[row] = version;
      }

      // Returns the place and the version of the row with a number; undefined if the row is not in
      // the list.
      find(number) {
        for (const [section, { rows }] of this.sections.entries()) {
          const row = rows.findIndex((version) => this.versions[version].row === number);
          if (row >= 0) return { section, row, version: this.versions[rows[row]] };
        }
      }

      // Returns the name of the section that had an index before the shown step.
      nameBefore(index) {
        const { sd = [], si = [] } = this.step;
        const gone = sd.find((section) => section[0] === index);
        if (gone) return gone[1];
        let now = index - sd.filter((section) => section[0] < index).length;
        for (const [born] of si) if (born <= now) now++;
        return this.sections[now].name;
      }

      // Returns the columns whose cells differ between two versions.
      changed(before, after) {
        const [old, now] = [this.versions[before].cells, this.versions[after].cells];
        return now.flatMap((cell, column) => cell === old[column] ? [] : [column]);
      }

      // Returns the marks of the rows that the shown transaction changed, by row number.
      marks() {
        const marks = new Map();
        const step = this.step;
        const add = (entries, kind) => {
          for (const entry of entries ?? []) {
            const [version, old] = [entry.at(-1), entry.length > 3 ? entry[4] : undefined];
            marks.set(this.versions[version].row, {
              kind, columns: new Set(old === undefined ? [] : this.changed(old, version)),
            });
          }
        };
        if (step) {
          add(step.i, "inserted");
          add(step.m, "moved");
          add(step.u, "updated");
        }
        return marks;
      }
    }

    // Returns section, row and version of entries, from their elements at two offsets.
    function places(entries, path, version) {
      return (entries ?? []).map((entry) => [entry[path], entry[path + 1], entry[version]]);
    }
    """#

  /// The history of one row.
  static let life = #"""
    // The ranks and events of one row over all steps. The differences determine the place of the
    // row from step to step, so the list itself is not needed.
    class Life {
      constructor(film, number) {
        this.ranks = [];
        this.events = [];
        const { steps, versions, data } = film;
        const is = (version) => versions[version].row === number;
        const counts = data.pictures[0].sections.map((section) => section[1].length);
        let place;
        data.pictures[0].sections.forEach(([, rows], section) => {
          const row = rows.findIndex(is);
          if (row >= 0) place = [section, row];
        });
        const rank = () => place &&
          counts.slice(0, place[0]).reduce((sum, count) => sum + count, 0) + place[1];
        this.ranks.push(rank());
        steps.forEach((step, index) => {
          place = Life.next(place, step, counts, is, (kind, version, before) =>
            this.events.push({ kind, step, index: index + 1, version: versions[version],
              before: before === undefined ? undefined : versions[before] }));
          this.ranks.push(rank());
        });
      }

      // Returns the place of the row after a step, and updates the numbers of rows in sections.
      static next(place, step, counts, is, report) {
        const own = { d: undefined, i: undefined, m: undefined, u: undefined };
        for (const key of ["d", "i", "m", "u"]) {
          own[key] = step[key]?.find((entry) => is(entry.at(-1)));
        }
        const out = places(step.d, 0, 2).concat(places(step.m, 0, 4));
        const into = places(step.i, 0, 2).concat(places(step.m, 2, 5))
          .sort((a, b) => a[0] - b[0] || a[1] - b[1]);
        let next = place?.slice();
        for (const [section, row] of out) {
          counts[section]--;
          if (place && section === place[0] && row < place[1]) next[1]--;
        }
        for (const [section] of step.sd ?? []) {
          counts.splice(section, 1);
          if (place && section < place[0]) next[0]--;
        }
        for (const [section] of step.si ?? []) {
          counts.splice(section, 0, 0);
          if (next && section <= next[0]) next[0]++;
        }
        for (const [section, row] of into) {
          counts[section]++;
          if (next && section === next[0] && row <= next[1]) next[1]++;
        }
        if (own.d) { next = undefined; report("deleted", own.d[2]); }
        if (own.i) { next = [own.i[0], own.i[1]]; report("inserted", own.i[2]); }
        if (own.m) { next = [own.m[2], own.m[3]]; report("moved", own.m[5], own.m[4]); }
        if (own.u) { next = [own.u[2], own.u[3]]; report("updated", own.u[5], own.u[4]); }
        return next;
      }

      // Returns the curve of the ranks as an SVG path, with rank 1 at the top.
      path(width, height) {
        const known = this.ranks.filter((rank) => rank !== undefined);
        const [low, high] = [Math.min(...known), Math.max(...known)];
        const last = Math.max(1, this.ranks.length - 1);
        let path = "";
        let before;
        this.ranks.forEach((rank, index) => {
          if (rank === before) return;
          const x = (index / last * width).toFixed(1);
          const y = high === low ? height / 2 : 4 + (rank - low) / (high - low) * (height - 8);
          if (before !== undefined) path += "H" + x;
          if (rank !== undefined) {
            path += before === undefined ? `M${x} ${y.toFixed(1)}` : "V" + y.toFixed(1);
          }
          before = rank;
        });
        if (before !== undefined) path += "H" + width;
        return { path, low: low + 1, high: high + 1 };
      }
    }
    """#
}
