// Finds and fills the elements of the page.

// Returns the element with an id. REQUIRES: index.html has it.
export function element<T extends HTMLElement = HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

// Writes the values of a list of terms. It keeps elements whose text has not changed.
export function fillList(list: HTMLElement, rows: [string, string][], wrap = false): void {
  if (list.querySelectorAll("dt").length !== rows.length) {
    list.replaceChildren(...rows.flatMap(() => {
      const pair = [document.createElement("dt"), document.createElement("dd")];
      if (!wrap) return pair;
      const group = document.createElement("div");
      group.append(...pair);
      return [group];
    }));
  }
  const terms = list.querySelectorAll("dt"), values = list.querySelectorAll("dd");
  rows.forEach(([term, value], i) => {
    setText(terms[i], term);
    setText(values[i], value);
  });
}

export function setText(target: HTMLElement, text: string): void {
  if (target.textContent !== text) target.textContent = text;
}

export function addOptions(select: HTMLSelectElement, options: [string, string][]): void {
  select.append(...options.map(([value, text]) => new Option(text, value)));
}
