// Tables that sort, filter and turn pages, drawn from the data in the page. Every text is set as text.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const SEVERITIES = ["error", "warning", "note"];
  const LEVELS = ["error", "warning", "info"];
  const count = (number) => number.toLocaleString("en-US");
  const signed = (number) => (number > 0 ? `+${count(number)}` : number < 0 ? `−${count(-number)}` : "0");
  const noun = (number, one, many) => `${count(number)} ${number === 1 ? one : many}`;

  function element(kind, attributes = {}, ...children) {
    const made = document.createElement(kind);
    for (const [key, value] of Object.entries(attributes)) {
      if (value !== null && value !== false) made.setAttribute(key, value);
    }
    made.append(...children);
    return made;
  }

  function button(content, press, attributes = {}) {
    const made = element("button", { type: "button", ...attributes }, content);
    made.addEventListener("click", press);
    return made;
  }

  const isolated = (text) => element("bdi", { class: "name" }, text);
  const severity = (level) => element("span", { class: `severity ${LEVELS[level]}` }, SEVERITIES[level]);

  // Names with numbers in their natural order; `localeCompare` alone is ten times slower.
  const { compare } = new Intl.Collator("en", { numeric: true });

  // What is unknown comes last, whichever way.
  function compared(one, other, sign) {
    if (one === other) return 0;
    if (one === null) return 1;
    if (other === null) return -1;
    return sign * (typeof one === "number" ? one - other : compare(one, other));
  }

  // A column: `key` gives what is sorted by, `show` draws it; numbers begin with the largest.
  const text = (title, key, more = {}) => ({ title, key, show: isolated, ...more });
  const optional = (number) => (number === null ? "" : count(number));
  const number = (title, key, more = {}) => ({ title, key, isNumber: true, show: optional, ...more });
  const tokens = (title, key, more = {}) => number(title, key, { unit: "tokens", ...more });
  const rank = (title, key) => ({ title, key, show: severity });

  // `find` is the hint of a field that filters rows by their text `lower`.
  function table(name, { columns, rows, order, find = null, choices = [], detail = null, size = 50, what }) {
    const place = document.querySelector(`[data-table="${name}"]`);
    if (!place) return null;
    const state = { order: order.column, isDown: order.isDown, page: 0, words: "", chosen: choices.map(() => "") };
    const open = new Set();
    let shown = rows;

    const body = element("tbody");
    const heads = columns.map((column, index) => {
      const press = () => sort(index, state.order === index ? !state.isDown : Boolean(column.isNumber));
      const head = element("th", { scope: "col", class: kinds(column) || null }, button(column.title, press));
      if (column.unit) head.append(element("span", { class: "unit" }, column.unit));
      return head;
    });
    const output = element("output", { "aria-live": "polite" });
    const tools = element("div", { class: "tools" });
    const selects = [];
    if (find) {
      const input = element("input", { type: "search", placeholder: find, "aria-label": find });
      input.addEventListener("input", () => filter({ words: input.value.trim().toLowerCase() }));
      tools.append(input);
    }
    choices.forEach((choice, index) => {
      const select = element("select", { "aria-label": choice.title }, element("option", { value: "" }, choice.title));
      choice.options.forEach(([value, text]) => select.append(element("option", { value }, text)));
      select.addEventListener("change", () => choose(index, select.value));
      selects.push(select);
      tools.append(select);
    });
    tools.append(output);
    const back = button("Previous", () => turn(-1));
    const next = button("Next", () => turn(1));
    const pages = element("div", { class: "pages" }, back, next);
    place.replaceChildren(tools, element("table", {}, element("thead", {}, element("tr", {}, ...heads)), body), pages);

    function kinds(column) {
      return [column.isNumber && "number", column.isWide && "wide"].filter(Boolean).join(" ");
    }

    function sort(index, isDown) {
      Object.assign(state, { order: index, isDown, page: 0 });
      arrange();
    }

    function filter(change) {
      Object.assign(state, change, { page: 0 });
      arrange();
    }

    function choose(index, value) {
      state.chosen[index] = value;
      selects[index].value = value;
      const column = choices[index].sorts;
      if (value !== "" && column !== undefined) Object.assign(state, { order: column, isDown: true });
      filter({});
    }

    function turn(step) {
      state.page += step;
      draw();
      place.scrollIntoView({ block: "start" });
    }

    function arrange() {
      shown = rows.filter(
        (row) =>
          (!state.words || row.lower.includes(state.words)) &&
          state.chosen.every((value, index) => value === "" || choices[index].holds(row, value)),
      );
      const { key } = columns[state.order];
      const keyed = shown.map((row) => [key(row, state.chosen), row]);
      const sign = state.isDown ? -1 : 1;
      keyed.sort(([one], [other]) => compared(one, other, sign));
      shown = keyed.map(([, row]) => row);
      draw();
    }

    function draw() {
      const last = Math.max(Math.ceil(shown.length / size) - 1, 0);
      state.page = Math.min(Math.max(state.page, 0), last);
      const start = state.page * size;
      const part = shown.slice(start, start + size);
      body.replaceChildren(...part.flatMap(lines));
      if (!part.length) body.append(element("tr", {}, element("td", { colspan: columns.length, class: "none" }, "Nothing matches.")));
      heads.forEach((head, index) => {
        if (index === state.order) head.setAttribute("aria-sort", state.isDown ? "descending" : "ascending");
        else head.removeAttribute("aria-sort");
      });
      const range = shown.length > size ? `${count(start + 1)}–${count(start + part.length)} of ` : "";
      const all = shown.length < rows.length ? ` of ${count(rows.length)}` : "";
      output.textContent = `${range}${noun(shown.length, ...what)}${all}`;
      pages.hidden = shown.length <= size;
      pages.style.display = pages.hidden ? "none" : "";
      back.disabled = state.page === 0;
      next.disabled = state.page === last;
    }

    function lines(row) {
      const cells = columns.map((column, index) => {
        const content = column.show(column.key(row, state.chosen), row);
        const classes = [kinds(column), column.tone ? column.tone(row) : ""].filter(Boolean).join(" ") || null;
        if (index > 0) return element("td", { class: classes }, content);
        if (!detail) return element("th", { scope: "row" }, content);
        const press = (event) => toggle(row, event.currentTarget);
        const attributes = { class: "open", "aria-expanded": String(open.has(row)) };
        const cell = element("th", { scope: "row" }, button(content, press, attributes));
        const more = column.more ? column.more(row) : "";
        if (more) cell.append(element("span", { class: "more" }, more));
        return cell;
      });
      const line = element("tr", {}, ...cells);
      return open.has(row) ? [line, details(row)] : [line];
    }

    function details(row) {
      const terms = detail(row).flatMap(([term, ...values]) => [
        element("dt", {}, term),
        element("dd", {}, ...values.flatMap((value, index) => (index ? [element("br"), value] : [value]))),
      ]);
      return element("tr", { class: "detail" }, element("td", { colspan: columns.length }, element("dl", {}, ...terms)));
    }

    function toggle(row, button) {
      const line = button.closest("tr");
      if (open.delete(row)) line.nextElementSibling.remove();
      else {
        open.add(row);
        line.after(details(row));
      }
      button.setAttribute("aria-expanded", String(open.has(row)));
    }

    arrange();
    return {
      choose(index, value) {
        choose(index, value);
        place.closest("section").scrollIntoView({ block: "start" });
        selects[index].focus({ preventScroll: true });
      },
    };
  }

  const { agents, rules } = data;
  const rows = data.repositories.map(([name, place, commit, error, files, tokens, change, starts, found]) => {
    const counts = [0, 0, 0];
    for (const [, level, findings] of found) counts[level] += findings;
    return { name, place, commit, error, files, tokens, change, starts, found, counts, lower: name.toLowerCase() };
  });
  const startOf = (row, agent) =>
    agent === "" || agent === undefined ? (row.starts.length ? row.starts[0][1] : null) : (row.starts.find(([index]) => String(index) === agent) || [0, null])[1];
  const toned = (number) => (number > 0 ? "worse" : number < 0 ? "better" : "zero");
  const AGENT = 0;
  const hasBefore = data.hasBefore;

  const changeColumn = tokens("Change", (row) => row.change, {
    show: (change) => (change === null ? "" : signed(change)),
    tone: (row) => toned(row.change),
  });
  const counted = (title, level, isWide) =>
    number(title, (row) => row.counts[level], { isWide, tone: (row) => (row.counts[level] ? "" : "zero") });

  function repositoryDetail(row) {
    const parts = [["Where", isolated(row.place)]];
    if (row.commit) parts.push(["Commit", row.commit]);
    if (row.error) return [...parts, ["Not audited", isolated(row.error)]];
    parts.push(["All context", `${noun(row.tokens, "token", "tokens")} in ${noun(row.files, "file", "files")}`]);
    const starts = row.starts.map(([agent, start]) => `${agents[agent]} ${count(start)}`);
    parts.push(["Starts", starts.join(" · ") || "no agent"]);
    const found = [...row.found].sort((one, other) => one[1] - other[1] || other[3] - one[3]);
    for (const [rule, level, findings, tokens] of found) {
      const stake = tokens ? `, ${noun(tokens, "token", "tokens")} at stake` : "";
      parts.push([SEVERITIES[level], `${rules[rule].title}: ${noun(findings, "finding", "findings")}${stake}`]);
    }
    return parts;
  }

  const repositories = table("repositories", {
    what: ["repository", "repositories"],
    rows,
    order: { column: hasBefore ? 3 : 2, isDown: true },
    find: "Filter by name",
    choices: [
      {
        title: "Any agent",
        options: agents.map((agent, index) => [String(index), agent]),
        holds: (row, value) => row.starts.some(([agent]) => String(agent) === value),
        sorts: 1,
      },
      {
        title: "Any finding",
        options: rules.map((rule, index) => [String(index), rule.title]),
        holds: (row, value) => row.found.some(([rule]) => String(rule) === value),
      },
      {
        title: "All repositories",
        options: [
          ["failed", "Not audited"],
          ["bare", "Without agents"],
          ...(hasBefore ? [["grown", "Start grew"], ["new", "New since then"]] : []),
        ],
        holds: (row, value) =>
          ({
            failed: row.error !== "",
            bare: !row.error && !row.starts.length,
            grown: row.change > 0,
            new: !row.error && row.change === null,
          })[value],
      },
    ],
    detail: repositoryDetail,
    columns: [
      text("Repository", (row) => row.name, { more: (row) => row.error }),
      tokens("Start", (row, chosen) => startOf(row, chosen[AGENT])),
      ...(hasBefore ? [changeColumn] : []),
      counted("Errors", 0, false),
      counted("Warnings", 1, true),
      counted("Notes", 2, true),
      tokens("All context", (row) => row.tokens, { isWide: true }),
    ],
  });

  table("limits", {
    what: ["breach", "breaches"],
    size: 20,
    rows: data.breaches.map(([repository, limit, found, allowed]) => ({ repository, limit, found, allowed, lower: `${repository} ${limit}`.toLowerCase() })),
    order: { column: 0, isDown: false },
    find: "Filter by repository or limit",
    columns: [
      text("Repository", (row) => row.repository),
      text("Limit", (row) => row.limit),
      number("Found", (row) => row.found),
      number("Allowed", (row) => row.allowed),
    ],
  });

  table("rules", {
    what: ["rule", "rules"],
    rows: rules.map((rule, index) => ({ ...rule, index })),
    order: { column: 1, isDown: false },
    columns: [
      text("Rule", (rule) => rule.title, {
        show: (title, rule) => {
          const both = document.createDocumentFragment();
          const press = () => repositories.choose(1, String(rule.index));
          both.append(button(title, press, { class: "link" }), element("span", { class: "more" }, rule.about));
          return both;
        },
      }),
      rank("Severity", (rule) => rule.severity),
      number("Repositories", (rule) => rule.repositories),
      number("Findings", (rule) => rule.findings),
      tokens("At stake", (rule) => rule.tokens, { show: (tokens) => (tokens ? count(tokens) : "") }),
    ],
  });

  table("secrets", {
    what: ["place", "places"],
    size: 20,
    rows: data.secrets.map(([repository, path, line, level]) => ({ repository, path, line, level, lower: `${repository} ${path}`.toLowerCase() })),
    order: { column: 2, isDown: false },
    find: "Filter by repository or path",
    columns: [
      text("Repository", (row) => row.repository),
      text("Place", (row) => row.path, { show: (path, row) => isolated(`${path}:${row.line}`) }),
      rank("Severity", (row) => row.level),
    ],
  });

  const dollars = (amount) => amount.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const price = (amount) => (amount === null ? "" : dollars(amount));
  table("texts", {
    what: ["text", "texts"],
    size: 10,
    rows: data.texts.map((text) => ({ ...text, lower: text.head.toLowerCase() })),
    order: { column: 3, isDown: true },
    find: "Filter by first words",
    detail: (row) => [
      ["Copies", `${noun(row.files, "file", "files")} in ${noun(row.repositories, "repository", "repositories")}${row.isWhole ? ", each the whole file" : ""}`],
      ["At starts", row.paidIn ? `in ${noun(row.paidIn, "repository", "repositories")}` : "nowhere: only on demand"],
      ...(row.dollars === null ? [] : [["1,000 starts", `$${dollars(row.dollars)}`]]),
      ["Such as", ...row.places.map(([repository, path, line]) => isolated(`${repository} ${path}:${line}`))],
    ],
    columns: [
      text("Text", (row) => row.head, { more: (row) => (row.isWhole ? "whole file" : "") }),
      number("Repositories", (row) => row.repositories),
      tokens("Length", (row) => row.tokens, { isWide: true }),
      tokens("At all starts", (row) => row.atStart),
      ...(data.hasPrices ? [number("1,000 starts", (row) => row.dollars, { unit: "dollars", isWide: true, show: price })] : []),
    ],
  });

  // The names of agents and the steps lead to their repositories.
  for (const chart of document.querySelectorAll(".chart[data-agent]")) {
    const who = chart.querySelector(".who");
    const index = agents.indexOf(chart.dataset.agent);
    const press = () => repositories.choose(AGENT, String(index));
    who.replaceWith(button(who.textContent, press, { class: "who link", title: "Show its repositories" }));
  }
  for (const step of document.querySelectorAll("[data-rule]")) {
    const index = rules.findIndex((rule) => rule.rule === step.dataset.rule);
    const press = () => repositories.choose(1, String(index));
    step.querySelector(".more").append(" · ", button("show them", press, { class: "link" }));
  }
})();
