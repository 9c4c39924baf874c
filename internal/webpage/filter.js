// Shows of the parts that have data-status only those that hold the text, and whose status is chosen.
const form = document.querySelector("form[data-filter]");
if (form) {
  const parts = Array.from(document.querySelectorAll("[data-status]"), (part) => ({ part, text: part.textContent.toLowerCase() }));
  const count = form.querySelector("output");
  const show = () => {
    const text = form.elements.text.value.trim().toLowerCase();
    const chosen = Array.from(form.querySelectorAll("input[type=checkbox]:checked"), (box) => box.value);
    const all = form.querySelector("input[type=checkbox]") === null;
    let shown = 0;
    for (const { part, text: held } of parts) {
      part.hidden = !(held.includes(text) && (all || chosen.includes(part.dataset.status)));
      shown += part.hidden ? 0 : 1;
    }
    count.textContent = `${shown} of ${parts.length} shown`;
  };
  form.hidden = false;
  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  show();
}
