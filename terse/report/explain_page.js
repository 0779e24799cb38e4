"use strict";
document.documentElement.classList.add("scripted");
for (const box of document.querySelectorAll(".case")) {
  const find = (selector) => box.querySelector(selector);
  const left = find(".left"), right = find(".right"), now = find(".now"), whole = find(".whole"), legend = find(".legend");
  const panes = [left, right].map((pane) => ({
    title: pane.querySelector("h3"), about: pane.querySelector(".about"), text: pane.querySelector(".text"),
  }));
  // The first view of each pane is kept as it is, with its place.
  const first = panes.map((pane) => ({
    title: pane.title.textContent, about: pane.about.textContent, nodes: [...pane.text.childNodes],
  }));
  const rows = new Map();
  for (const row of left.querySelectorAll(".l")) rows.set(Number(row.dataset.n), row);
  const steps = [...box.querySelectorAll(".step")].filter((step) => step.querySelector("button"));
  let shown = null, held = null, lit = [];

  const fill = (side, title, about, nodes) => {
    const pane = panes[side];
    pane.title.textContent = title;
    pane.about.textContent = about;
    pane.text.setAttribute("aria-label", title);
    pane.text.replaceChildren(...nodes);
    pane.text.scrollTop = 0;
  };
  const restore = (side) => fill(side, first[side].title, first[side].about, first[side].nodes);
  const view = (id) => {
    const template = id && document.getElementById(id);
    return template ? [template.content.cloneNode(true)] : null;
  };
  const marked = (nodes, selector, said) => (nodes[0].querySelector(selector) ? said : "");
  const see = (side, row) => {
    const text = panes[side].text;
    if (row) text.scrollTop += row.getBoundingClientRect().top - text.getBoundingClientRect().top - text.clientHeight / 3;
  };
  const touched = (step) => {
    const found = [];
    for (const range of step.dataset.touch.split(" ").filter(Boolean)) {
      const [from, to] = range.split("-").map(Number);
      for (const [number, row] of to - from < rows.size ? numbered(from, to) : rows) {
        if (row && number >= from && number <= to) found.push(row);
      }
    }
    return found;
  };
  const numbered = (from, to) => {
    const found = [];
    for (let number = from; number <= to; number++) found.push([number, rows.get(number)]);
    return found;
  };

  const show = (step) => {
    if (step === shown) return;
    for (const row of lit) row.classList.remove("hit");
    lit = [];
    if (shown) shown.classList.remove("on");
    shown = step;
    whole.hidden = !step;
    if (legend) legend.hidden = Boolean(step && !step.dataset.touch && step.dataset.before);
    if (!step) {
      restore(0);
      restore(1);
      now.textContent = "Original and result";
      return;
    }
    step.classList.add("on");
    const label = step.querySelector("button").textContent;
    const tokens = step.cells[1].textContent;
    const before = view(step.dataset.before), after = view(step.dataset.after);
    if (step.dataset.touch) {
      restore(0);
      panes[0].about.textContent = step.dataset.what + ", marked in the original";
      lit = touched(step);
      for (const row of lit) row.classList.add("hit");
      see(0, lit[0]);
      now.textContent = label + " — " + step.dataset.what;
    } else {
      if (before) fill(0, "Before", "the text before this step" + marked(before, ".gone", "; marked lines do not stay"), before);
      else restore(0);
      now.textContent = label + " — " + (step.querySelector(".note")?.textContent || "before and after");
    }
    if (after) {
      fill(1, "After", "the text after this step, " + tokens + " tokens" + marked(after, ".new", "; marked lines are new"), after);
      if (!step.dataset.touch) see(1, panes[1].text.querySelector(".new"));
    } else restore(1);
  };
  const hold = (step) => {
    if (held) {
      held.classList.remove("held");
      held.querySelector("button").setAttribute("aria-pressed", "false");
    }
    held = step;
    if (step) {
      step.classList.add("held");
      step.querySelector("button").setAttribute("aria-pressed", "true");
    }
    show(step);
  };
  const address = (id) => {
    try { history.replaceState(null, "", id ? "#" + id : location.pathname + location.search); } catch { /* not allowed everywhere */ }
  };

  for (const step of steps) {
    const button = step.querySelector("button");
    button.setAttribute("aria-pressed", "false");
    step.addEventListener("mouseenter", () => { if (!held) show(step); });
    button.addEventListener("focus", () => { if (!held) show(step); });
    button.addEventListener("click", () => {
      const next = held === step ? null : step;
      hold(next);
      address(next && next.id);
      if (next && getComputedStyle(find(".panes")).position !== "sticky") find(".panes").scrollIntoView({ block: "start" });
    });
  }
  whole.addEventListener("click", () => { hold(null); address(null); });
  box.addEventListener("keydown", (event) => { if (event.key === "Escape") { hold(null); address(null); } });
  const linked = () => {
    const step = steps.find((each) => "#" + each.id === location.hash);
    if (step) hold(step);
  };
  addEventListener("hashchange", linked);
  linked();
}
