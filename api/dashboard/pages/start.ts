import * as z from "zod";
import { hasScope } from "../../../domain/access.ts";
import { textOf } from "../form-bodies.ts";
import { page, type Described, type Visit } from "../page.ts";
import type { Agents, SearchResults, List, Summary } from "../../answer-types.ts";
import { html, nothing, type Html } from "../html.ts";
import { libraryPath } from "../views/addresses.ts";
import { withQuery } from "../../request.ts";
import { exampleQuestion, ownDocs } from "../views/examples.ts";
import { askView, connectLine, firstStepsView } from "../views/first-steps.ts";
import { optionViews } from "../views/fields.ts";
import { age, count, counted, empty, more, short, table } from "../views/parts.ts";
import { kindName, kindNames, stateBadge, troubleBadges, troubleLabels } from "../views/states.ts";

const parameters = z.object({
  search: textOf(500),
  state: textOf(20),
  kind: textOf(20),
  cursor: z.string().max(2000).optional(),
});

/** Number of libraries per page of the list, and in the list of problems above it. */
const listed = 50;
const attention = 6;

/** The start page: what to do first or a search box, problems, and libraries. */
export const startPage: Described = page({
  path: "/",
  entry: "Libraries",
  parameters,
  async show(visit) {
    const { ask, caller, isPart, parameters: given } = visit;
    const { search = "", state, kind } = given;
    // Lists need a key; without one, visitors search by name.
    if (caller.keyId === null) {
      const main = html`${askView("Ask all libraries", undefined)} ${librariesView(await foundBy(visit, search))}`;
      return { title: "Libraries", main };
    }
    const asked = { search: given.search, state, kind };
    const isWhole = !isPart && search === "" && state === undefined && kind === undefined && given.cursor === undefined;
    const [list, wanting, seen, failed] = await Promise.all([
      ask<List>("/v2/libs", { ...asked, cursor: given.cursor, limit: String(listed) }),
      isWhole ? ask<List>("/v2/libs", { state: "any", limit: String(attention) }) : null,
      isWhole ? ask<Agents>("/v2/agents") : null,
      isWhole ? ask<List>("/v2/libs", { state: "unserved", limit: String(attention) }) : null,
    ]);
    const listing: Listing = { list, search, state: state ?? "", kind: kind ?? "", now: Date.now() };
    // While typing, only the list is sent.
    if (isPart) return { part: libraryListView(listing) };
    const mayAdd = hasScope(caller, "submit");
    const example = exampleQuestion(list.libraries);
    const isNew = isWhole && list.unserved === 0 && list.libraries.every(({ libraryId }) => libraryId === ownDocs);
    const isConnected = seen === null || seen.agents.length > 0;
    const head = isNew
      ? firstStepsView({ mayAdd, example, isConnected })
      : html`${askView("Ask all libraries", example)}${isConnected ? nothing : connectLine()}`;
    const main = html`${head} ${wanting === null ? nothing : wantingView("Needs attention", wanting, "any")}
    ${failed === null ? nothing : wantingView("Never indexed", failed, "unserved")}
    ${isNew && list.total === 0 ? nothing : librariesView(libraryListView(listing), listing, mayAdd, isNew)}`;
    return { title: "Libraries", main };
  },
});

async function foundBy({ ask }: Visit, search: string) {
  if (search === "") return foundView(null, "", Date.now());
  const { results } = await ask<SearchResults>("/v2/libs/search", { libraryName: search, query: search });
  return foundView(results, search, Date.now());
}

/** A page of the list with its filters; "" for none. */
interface Listing {
  readonly list: List;
  readonly search: string;
  readonly state: string;
  readonly kind: string;
  readonly now: number;
}

/** The list of libraries with its filters, which a new server does not need. */
function librariesView(content: Html, listing?: Listing, mayAdd = false, isNew = false): Html {
  const add = mayAdd && !isNew ? html`<a class="button" href="/-/add">Add a library</a>` : nothing;
  return html`<section class="stack" aria-labelledby="libraries">
    <div class="between">
      ${isNew ? html`<h2 id="libraries">Libraries</h2>` : html`<h1 id="libraries">Libraries</h1>`} ${add}
    </div>
    ${listing === undefined || isNew ? nothing : filters(listing)}
    <div id="list" class="stack">${content}</div>
  </section>`;
}

/** Libraries with problems, or those whose first run failed, each with the reason. */
function wantingView(title: string, { libraries, total }: List, state: "any" | "unserved"): Html {
  if (libraries.length === 0) return nothing;
  const rest = total - libraries.length;
  const reasonOf = ({ failure, troubles: [first] }: Summary): string =>
    failure?.message ?? (first === undefined ? "" : troubleLabels[first][2]);
  const items = libraries.map(
    (one) =>
      html`<li>
        <a href="${libraryPath(one.libraryId)}"><bdi>${one.title}</bdi></a
        ><code class="muted">${one.libraryId}</code
        >${state === "any" ? html`<span>${troubleBadges(one.troubles)}</span>` : nothing}<span class="muted small"
          ><bdi>${reasonOf(one)}</bdi></span
        >
      </li>`,
  );
  return html`<section class="card attention" aria-labelledby="${state}">
    <div class="between">
      <h2 id="${state}">${title} <span class="number">${count(total)}</span></h2>
      ${rest > 0 || state === "unserved" ? html`<a href="/?state=${state}">See all ${count(total)}</a>` : nothing}
    </div>
    <ul class="wanting">
      ${items}
    </ul>
  </section>`;
}

function filters({ search, state, kind }: Listing): Html {
  const states = Object.entries(troubleLabels).map(([name, [, label]]) => [name, label] as const);
  return html`<form
    class="row filters"
    action="/"
    role="search"
    aria-label="Find libraries"
    hx-get="/"
    hx-target="#list"
    hx-trigger="input changed delay:250ms from:#search, change, submit"
    hx-push-url="true"
  >
    ${searchField("ID or title", search, "Find by ID or title")}
    <label class="hidden" for="state">State</label
    ><select id="state" name="state">
      ${optionViews([["", "Any state"], ["any", "Needs attention"], ...states, ["unserved", "Never indexed"]], state)}
    </select>
    <label class="hidden" for="kind">Kind of source</label
    ><select id="kind" name="kind">
      ${optionViews([["", "Any kind"], ...kindNames], kind)}
    </select>
    <button class="button">Find</button>
  </form>`;
}

function searchField(label: string, search: string, placeholder: string): Html {
  return html`<label class="hidden" for="search">${label}</label
    ><input
      id="search"
      type="search"
      name="search"
      value="${search}"
      maxlength="500"
      placeholder="${placeholder}"
      autocomplete="off"
    />`;
}

function libraryListView({ list, search, state, kind, now }: Listing): Html {
  const { libraries, total, unserved, next } = list;
  const apart = unservedView(state, unserved);
  if (libraries.length === 0) {
    if (unserved > 0) return html`${empty("No libraries match", html`<a href="/">Show all libraries</a>`)}${apart}`;
    return search === "" && state === "" && kind === ""
      ? empty(
          "No libraries yet",
          html`<a href="/-/add">Add one</a>, or run <code>lectern add https://github.com/vitejs/vite</code>.`,
        )
      : empty("No libraries match", html`<a href="/">Show all libraries</a>`);
  }
  const asked = { search: search || undefined, state: state || undefined, kind: kind || undefined };
  return html`<p class="muted small" role="status">${counted(total, "library", "libraries")}</p>
    ${table(
      "Libraries",
      ["Library", "State", "Source", "Tokens", "Content from", "Last checked"],
      libraries.map((one) => rowOf(one, now)),
    )}
    ${more(next === null ? null : withQuery("/", { ...asked, cursor: next }), "Next page")} ${apart}`;
}

/** The button that deletes the libraries whose first run failed, below their list. */
function unservedView(state: string, unserved: number): Html {
  if (unserved === 0 || state !== "unserved") return nothing;
  return html`<p class="actions"><a class="button danger" href="/-/unserved/delete">Delete all</a></p>`;
}

function rowOf(one: Summary, now: number) {
  const named =
    one.versions.length === 0
      ? nothing
      : html` <span class="muted small">${counted(one.versions.length, "version")}</span>`;
  return [
    html`<div class="named">
      <a href="${libraryPath(one.libraryId)}"><bdi>${one.title}</bdi></a
      >${one.private ? html` <span class="badge plain">Private</span>` : nothing}${named}<code class="id"
        >${one.libraryId}</code
      >
    </div>`,
    html`<div class="badges">
      ${stateBadge(one)}
      ${troubleBadges(one.troubles.filter((trouble) => trouble !== "failed" || one.state !== "error"))}
      ${one.failure === null || one.state !== "error" ? nothing : html`<span class="small"><bdi>${one.failure.message}</bdi></span>`}
    </div>`,
    html`<span class="nowrap">${kindName(one.kind)}</span>`,
    html`<span class="nowrap">${short(one.totalTokens)}</span>`,
    age(one.lastUpdateDate, now),
    age(one.checkedAt, now),
  ];
}

/** The search of a visitor without a key; null: no search. */
function foundView(found: SearchResults["results"] | null, search: string, now: number): Html {
  const form = html`<form class="row" action="/" role="search">
    ${searchField("Name of a library", search, "Find a library by its name")}<button class="button">Find</button>
  </form>`;
  if (found === null)
    return html`${form}${empty("Ask a question, or find a library by its name", html`<a href="/-/sign-in">Sign in</a> to see all libraries and their state.`)}`;
  if (found.length === 0) return html`${form}${empty("No library with this name", "Try another spelling.")}`;
  const rows = found.map((one) => [
    html`<div class="named">
      <a href="${withQuery("/-/answer", { library: one.id })}"><bdi>${one.title}</bdi></a
      ><code class="id">${one.id}</code>
    </div>`,
    html`<bdi>${one.description}</bdi>`,
    html`<span class="nowrap">${one.totalTokens < 0 ? "" : short(one.totalTokens)}</span>`,
    age(one.lastUpdateDate ?? null, now),
  ]);
  return html`${form}${table("Libraries", ["Library", "Description", "Tokens", "Content from"], rows)}`;
}
