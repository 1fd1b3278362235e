extension ReportScript {
  /// The script of the tags, which are shown as marks below the slider.
  static let tags = #"""
    const markCountMax = 500;

    // Returns elements with the names of tags.
    function tagElements(names) {
      return names.flatMap((name) => [make("span", "tag", value(name)), " "]);
    }

    class Marks {
      constructor(film, go) {
        this.film = film;
        this.panel = $("marks");
        this.items = [...film.tagsByIndex].slice(0, markCountMax).map(([index, names]) => {
          const mark = make("button", "mark", make("i", ""), make("span", "", names.join(", ")));
          mark.title = names.join(", ");
          mark.setAttribute("aria-label", "Tag " + names.join(", "));
          mark.addEventListener("click", () => go(index));
          return { index, mark };
        });
        this.panel.hidden = !this.items.length;
        this.panel.append(...this.items.map(({ mark }) => mark));
        new ResizeObserver(() => this.layOut()).observe(this.panel);
      }

      // Places the marks. A mark shows its name if the name does not cover a previous one.
      layOut() {
        const [width, thumb] = [this.panel.clientWidth, 16];
        let end = -Infinity;
        for (const { index, mark } of this.items) {
          const part = index / Math.max(1, this.film.steps.length);
          const x = thumb / 2 + part * (width - thumb);
          const length = Math.min(160, 8 + 7 * mark.title.length);
          const left = Math.max(0, Math.min(x - length / 2, width - length));
          const isShown = left >= end;
          if (isShown) end = left + length + 8;
          mark.classList.toggle("short", !isShown);
          mark.style.left = (isShown ? left : x - 5) + "px";
          mark.style.width = (isShown ? length : 10) + "px";
          mark.firstChild.style.left = (isShown ? x - left : 5) + "px";
        }
      }

      update() {
        for (const { index, mark } of this.items) {
          mark.classList.toggle("now", index === this.film.index);
        }
      }
    }
    """#
}
