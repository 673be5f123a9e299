"use strict";
const weight = {error: 3, warning: 2, note: 1};
const order = new Intl.Collator("en", {numeric: true});
const text = (row, at) => row.cells[at].textContent.replace(/(\d),(?=\d)/g, "$1");
for (const table of document.querySelectorAll("table")) {
  const [head, ...rows] = table.rows;
  if (rows.length < 2 || head.querySelector("td")) continue;
  [...head.cells].forEach((cell, at) => {
    const button = document.createElement("button");
    button.append(...cell.childNodes);
    cell.append(button);
    button.addEventListener("click", () => {
      const first = /^\d|^(error|warning|note)$/.test(text(rows[0], at)) ? "descending" : "ascending";
      const now = cell.getAttribute("aria-sort");
      const next = now !== first ? first : first === "ascending" ? "descending" : "ascending";
      for (const other of head.cells) other.removeAttribute("aria-sort");
      cell.setAttribute("aria-sort", next);
      rows.sort((one, two) => {
        const a = text(one, at), b = text(two, at);
        return (weight[a] && weight[b] ? weight[a] - weight[b] : order.compare(a, b)) * (next === "ascending" ? 1 : -1);
      });
      head.parentNode.append(...rows);
    });
  });
}
