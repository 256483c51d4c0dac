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

  const isolated = (text, kind = "name") => element("bdi", { class: kind }, text);
  const severity = (level) => element("span", { class: `severity ${LEVELS[level]}` }, SEVERITIES[level]);

  // Names with numbers in their natural order; `localeCompare` alone is ten times slower.
  const { compare } = new Intl.Collator("en", { numeric: true });

  function compared(one, other) {
    if (one === other) return 0;
    if (one === null || one === undefined) return 1;
    if (other === null || other === undefined) return -1;
    return typeof one === "number" ? one - other : compare(one, other);
  }

  // A column: `key` gives what is sorted by, `show` what is drawn; numbers begin with the largest.
  function table(name, { columns, rows, order, find = null, choices = [], detail = null, size = 50, what }) {
    const place = document.querySelector(`[data-table="${name}"]`);
    if (!place) return null;
    const state = { order: order.column, isDown: order.isDown, page: 0, words: "", chosen: choices.map(() => "") };
    const open = new Set();
    let shown = rows;

    const body = element("tbody");
    const heads = columns.map((column, index) => {
      const button = element("button", { type: "button" }, column.title);
      button.addEventListener("click", () => sort(index, state.order === index ? !state.isDown : Boolean(column.isNumber)));
      const head = element("th", { scope: "col", class: kinds(column) || null }, button);
      if (column.unit) head.append(element("span", { class: "unit" }, column.unit));
      return head;
    });
    const output = element("output", { "aria-live": "polite" });
    const tools = element("div", { class: "tools" });
    const selects = [];
    if (find) {
      const input = element("input", { type: "search", placeholder: find.hint, "aria-label": find.hint });
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
    const back = element("button", { type: "button" }, "Previous");
    const next = element("button", { type: "button" }, "Next");
    back.addEventListener("click", () => turn(-1));
    next.addEventListener("click", () => turn(1));
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
          (!state.words || find.text(row).includes(state.words)) &&
          state.chosen.every((value, index) => value === "" || choices[index].holds(row, value)),
      );
      const { key } = columns[state.order];
      const keyed = shown.map((row) => [key(row, state.chosen), row]);
      const sign = state.isDown ? -1 : 1;
      keyed.sort(([one], [other]) => {
        // What is unknown comes last, whichever way.
        const isMissing = one === null || one === undefined || other === null || other === undefined;
        return isMissing ? compared(one, other) : sign * compared(one, other);
      });
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
        const content = column.show(row, state.chosen);
        const classes = [kinds(column), column.tone ? column.tone(row) : ""].filter(Boolean).join(" ") || null;
        if (index > 0) return element("td", { class: classes }, content);
        if (!detail) return element("th", { scope: "row" }, content);
        const button = element("button", { type: "button", class: "open", "aria-expanded": String(open.has(row)) }, content);
        button.addEventListener("click", () => toggle(row, button));
        const cell = element("th", { scope: "row" }, button);
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
  const optional = (number) => (number === null ? "" : count(number));
  const toned = (number) => (number > 0 ? "worse" : number < 0 ? "better" : "zero");
  const AGENT = 0;
  const hasBefore = data.hasBefore;

  const changeColumn = {
    title: "Change",
    unit: "tokens",
    isNumber: true,
    key: (row) => row.change,
    show: (row) => (row.change === null ? "" : signed(row.change)),
    tone: (row) => toned(row.change),
  };
  const counted = (title, level, isWide) => ({
    title,
    isNumber: true,
    isWide,
    key: (row) => row.counts[level],
    show: (row) => count(row.counts[level]),
    tone: (row) => (row.counts[level] ? "" : "zero"),
  });

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
    find: { hint: "Filter by name", text: (row) => row.lower },
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
      { title: "Repository", key: (row) => row.name, show: (row) => isolated(row.name), more: (row) => row.error },
      {
        title: "Start",
        unit: "tokens",
        isNumber: true,
        key: (row, chosen) => startOf(row, chosen[AGENT]),
        show: (row, chosen) => optional(startOf(row, chosen[AGENT])),
      },
      ...(hasBefore ? [changeColumn] : []),
      counted("Errors", 0, false),
      counted("Warnings", 1, true),
      counted("Notes", 2, true),
      { title: "All context", unit: "tokens", isNumber: true, isWide: true, key: (row) => row.tokens, show: (row) => count(row.tokens) },
    ],
  });

  table("limits", {
    what: ["breach", "breaches"],
    size: 20,
    rows: data.breaches.map(([repository, limit, found, allowed]) => ({ repository, limit, found, allowed, lower: `${repository} ${limit}`.toLowerCase() })),
    order: { column: 0, isDown: false },
    find: { hint: "Filter by repository or limit", text: (row) => row.lower },
    columns: [
      { title: "Repository", key: (row) => row.repository, show: (row) => isolated(row.repository) },
      { title: "Limit", key: (row) => row.limit, show: (row) => isolated(row.limit) },
      { title: "Found", isNumber: true, key: (row) => row.found, show: (row) => count(row.found) },
      { title: "Allowed", isNumber: true, key: (row) => row.allowed, show: (row) => count(row.allowed) },
    ],
  });

  table("rules", {
    what: ["rule", "rules"],
    rows: rules.map((rule, index) => ({ ...rule, index })),
    order: { column: 1, isDown: false },
    columns: [
      {
        title: "Rule",
        key: (rule) => rule.title,
        show: (rule) => {
          const button = element("button", { type: "button", class: "link" }, rule.title);
          button.addEventListener("click", () => repositories.choose(1, String(rule.index)));
          const both = document.createDocumentFragment();
          both.append(button, element("span", { class: "more" }, rule.about));
          return both;
        },
      },
      { title: "Severity", key: (rule) => rule.severity, show: (rule) => severity(rule.severity) },
      { title: "Repositories", isNumber: true, key: (rule) => rule.repositories, show: (rule) => count(rule.repositories) },
      { title: "Findings", isNumber: true, key: (rule) => rule.findings, show: (rule) => count(rule.findings) },
      {
        title: "At stake",
        unit: "tokens",
        isNumber: true,
        key: (rule) => rule.tokens,
        show: (rule) => (rule.tokens ? count(rule.tokens) : ""),
      },
    ],
  });

  table("secrets", {
    what: ["place", "places"],
    size: 20,
    rows: data.secrets.map(([repository, path, line, level]) => ({ repository, path, line, level, lower: `${repository} ${path}`.toLowerCase() })),
    order: { column: 2, isDown: false },
    find: { hint: "Filter by repository or path", text: (row) => row.lower },
    columns: [
      { title: "Repository", key: (row) => row.repository, show: (row) => isolated(row.repository) },
      { title: "Place", key: (row) => row.path, show: (row) => isolated(`${row.path}:${row.line}`) },
      { title: "Severity", key: (row) => row.level, show: (row) => severity(row.level) },
    ],
  });

  const dollars = (amount) => amount.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  table("texts", {
    what: ["text", "texts"],
    size: 10,
    rows: data.texts.map((text) => ({ ...text, lower: text.head.toLowerCase() })),
    order: { column: 3, isDown: true },
    find: { hint: "Filter by first words", text: (text) => text.lower },
    detail: (text) => [
      ["Copies", `${noun(text.files, "file", "files")} in ${noun(text.repositories, "repository", "repositories")}${text.isWhole ? ", each the whole file" : ""}`],
      ["At starts", text.paidIn ? `in ${noun(text.paidIn, "repository", "repositories")}` : "nowhere: only on demand"],
      ...(text.dollars === null ? [] : [["1,000 starts", `$${dollars(text.dollars)}`]]),
      ["Such as", ...text.places.map(([repository, path, line]) => isolated(`${repository} ${path}:${line}`))],
    ],
    columns: [
      { title: "Text", key: (text) => text.head, show: (text) => isolated(text.head), more: (text) => (text.isWhole ? "whole file" : "") },
      { title: "Repositories", isNumber: true, key: (text) => text.repositories, show: (text) => count(text.repositories) },
      { title: "Length", unit: "tokens", isNumber: true, isWide: true, key: (text) => text.tokens, show: (text) => count(text.tokens) },
      { title: "At all starts", unit: "tokens", isNumber: true, key: (text) => text.atStart, show: (text) => count(text.atStart) },
      ...(data.hasPrices
        ? [
            {
              title: "1,000 starts",
              unit: "dollars",
              isNumber: true,
              isWide: true,
              key: (text) => text.dollars,
              show: (text) => (text.dollars === null ? "" : dollars(text.dollars)),
            },
          ]
        : []),
    ],
  });

  // The names of agents and the steps lead to their repositories.
  for (const chart of document.querySelectorAll(".chart[data-agent]")) {
    const who = chart.querySelector(".who");
    const index = agents.indexOf(chart.dataset.agent);
    const button = element("button", { type: "button", class: "who link", title: "Show its repositories" }, who.textContent);
    button.addEventListener("click", () => repositories.choose(AGENT, String(index)));
    who.replaceWith(button);
  }
  for (const step of document.querySelectorAll("[data-rule]")) {
    const index = rules.findIndex((rule) => rule.rule === step.dataset.rule);
    const button = element("button", { type: "button", class: "link" }, "show them");
    button.addEventListener("click", () => repositories.choose(1, String(index)));
    step.querySelector(".more").append(" · ", button);
  }
})();
