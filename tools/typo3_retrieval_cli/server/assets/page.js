"use strict";
// Everything that comes from a site is put in by textContent: it is never read as markup.

const byId = (id) => document.getElementById(id);

function element(name, text, properties = {}) {
  const made = document.createElement(name);
  made.textContent = text;
  return Object.assign(made, properties);
}

// A site's address is a link only if a browser may follow it: no javascript:, no data:.
function link(address) {
  const safe = /^https?:\/\//i.test(address);
  return safe
    ? element("a", address, { href: address, target: "_blank", rel: "noopener noreferrer" })
    : element("span", address);
}

async function call(path, body) {
  const token = byId("token").value.trim();
  if (!token) {
    byId("access").open = true;
    byId("token").focus();
    throw new Error("An access token is needed.");
  }
  const response = await fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) {
    const reason = answer.detail || answer.title || response.statusText;
    if (response.status === 401 || response.status === 403) byId("access").open = true;
    throw new Error(`${reason} (${response.status})`);
  }
  return answer;
}

async function guarded(button, work) {
  byId("error").textContent = "";
  button.disabled = true;
  try {
    await work();
  } catch (error) {
    byId("status").textContent = "";
    byId("error").textContent = error.message || "The server does not answer.";
  } finally {
    button.disabled = false;
  }
}

function sourceItem(source) {
  const item = element("li", "");
  const heading = element("h2", source.title || source.source_id, { lang: source.language || "" });
  const address = element("p", "");
  address.append(link(source.url));
  const excerpt = element("p", source.excerpt, { lang: source.language || "" });
  const facts = [`confidence: ${source.confidence || "unknown"}`, source.source_id];
  if (source.last_modified) facts.push(`changed ${source.last_modified.slice(0, 10)}`);
  const read = element("button", "Read in full", { type: "button" });
  read.setAttribute("aria-label", `Read in full: ${source.title || source.source_id}`);
  read.addEventListener("click", () => guarded(read, () => openReader(source)));
  item.append(heading, address, excerpt, element("p", facts.join(" · "), { className: "facts" }));
  item.append(read);
  return item;
}

function show(answer) {
  const count = answer.sources.length;
  const found = count === 1 ? "1 source" : `${count} sources`;
  byId("status").textContent = answer.degraded
    ? "No backend could answer."
    : `${count ? found : "No evidence found"} (backend: ${answer.backend})`;
  byId("notes").replaceChildren(...answer.notes.map((note) => element("li", note)));
  byId("sources").replaceChildren(...answer.sources.map(sourceItem));
}

async function ask() {
  const request = {
    question: byId("question").value,
    max_sources: Number(byId("max_sources").value) || 8,
  };
  if (byId("site").value) request.site = byId("site").value;
  const language = byId("language").value.trim();
  if (language) request.language = /^\d+$/.test(language) ? Number(language) : language;
  byId("notes").replaceChildren();
  byId("sources").replaceChildren();
  byId("status").textContent = "Searching …";
  show(await call("/query", request));
}

let reading = null; // { id, next } of the source in the reader

async function openReader(source) {
  reading = { id: source.source_id, next: 0 };
  byId("reader-text").textContent = "";
  await readOn();
  byId("reader-text").lang = source.language || "";
  byId("reader").showModal();
}

async function readOn() {
  const page = await call("/fetch-source", { source_id: reading.id, offset: reading.next });
  byId("reader-title").textContent = page.title;
  byId("reader-address").replaceChildren(link(page.url));
  byId("reader-text").append(page.text);
  reading.next = page.next_offset;
  byId("reader-more").hidden = reading.next === null;
}

byId("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  guarded(event.submitter || byId("ask").querySelector("button"), ask);
});
byId("reader-more").addEventListener("click", (event) => guarded(event.target, readOn));
byId("reader-close").addEventListener("click", () => byId("reader").close());
if (!byId("token").value) byId("access").open = true;
