import { html, nothing } from "../html.ts";
import type { Html } from "../html.ts";
import type { Resolved, ResolvedPackages } from "../types.ts";
import { libraryPath } from "./addresses.ts";
import { badge, count, counted, empty, hiddenFields, notice, table } from "./parts.ts";

/** Maximum number of packages: direct ones come first. */
const mostShown = 200;

/** The packages of a project, and a form that adds missing ones. */
export function lockfileView({ format, packages, others, leftOut }: ResolvedPackages, formToken: string): Html {
  const shown = packages.slice(0, mostShown);
  const missing = shown.filter(({ get }) => get !== null);
  const have = packages.filter(({ found }) => found === "exact").length;
  const rest = [
    packages.length > mostShown
      ? `${count(packages.length - mostShown)} more are not shown: those that the project asks for itself come first.`
      : "",
    others > 0 ? `${counted(others, "entry", "entries")} come from no registry.` : "",
    leftOut > 0 ? `${count(leftOut)} are left out.` : "",
  ].filter((one) => one !== "");
  if (packages.length === 0)
    return html`${head(format)}${empty("This lockfile names no package of a registry.", html`<a href="/-/add">Add something else</a>`)}`;
  return html`${head(format)}
    <p>${counted(packages.length, "package")}, ${count(have)} of them indexed at their version. ${rest.join(" ")}</p>
    <form class="stack" method="post" action="/-/add/packages">
      ${hiddenFields(formToken)}
      ${table(
        "Packages",
        ["Add", "Package", "Version", "State", "Library"],
        shown.map((one) => [
          one.get === null
            ? ""
            : html`<input
                type="checkbox"
                name="packages"
                value="${one.registry} ${one.name} ${one.version}"
                aria-label="Add ${one.name} ${one.version}"
                ${one.direct !== false && one.dev !== true ? "checked" : ""}
              />`,
          html`<bdi>${one.name}</bdi>
            <span class="muted small"
              >${one.registry}${one.dev === true ? ", for development" : ""}${one.direct === false ? ", of another package" : ""}</span
            >`,
          html`<bdi>${one.version}</bdi>`,
          stateOf(one),
          one.found === "none" && !one.indexing
            ? html`<code>${one.libraryId}</code>`
            : html`<a href="${libraryPath(one.ask ?? one.libraryId)}"><code>${one.ask ?? one.libraryId}</code></a>`,
        ]),
      )}
      ${
        missing.length === 0
          ? notice("good", "Nothing is missing that could be added.")
          : html`<div class="actions">
              <button class="button primary">Add what is ticked</button><a class="button" href="/-/add">Another one</a>
            </div>`
      }
    </form>`;
}

function head(format: string | null): Html {
  return html`<header class="head">
    <h1>Packages of a project</h1>
    ${format === null ? nothing : html`<p class="muted"><bdi>${format}</bdi></p>`}
  </header>`;
}

function stateOf({ found, indexing, excluded, indexedVersion }: Resolved): Html {
  if (excluded !== null) return html`${badge("warn", "excluded")} <span class="small">${excluded}</span>`;
  if (indexing) return badge("busy", "being indexed");
  if (found === "exact") return badge("good", "indexed");
  if (found === "nearest") return badge("warn", html`only ${indexedVersion || "the default version"}`);
  return badge("plain", "not indexed");
}

/** The outcome of an added package. */
export interface AddedPackage {
  readonly name: string;
  readonly version: string;
  readonly libraryId: string;
  /** Message of the API. */
  readonly message: string;
  readonly isAdded: boolean;
}

/** The outcomes of packages. */
export function addedView(added: readonly AddedPackage[], waiting: number): Html {
  const done = added.filter(({ isAdded }) => isAdded).length;
  return html`<h1>Packages of a project</h1>
    ${notice(done === added.length && waiting === 0 ? "good" : "warn", `${counted(done, "package")} of ${count(added.length + waiting)} were submitted.`)}
    ${waiting === 0 ? nothing : notice("warn", `${counted(waiting, "package")} were not: the server takes no more submissions this minute. Show the lockfile again later: what is there then is not added again.`)}
    ${table(
      "Packages",
      ["Package", "Version", "State", "Library"],
      added.map(({ name, version, libraryId, message, isAdded }) => [
        html`<bdi>${name}</bdi>`,
        html`<bdi>${version}</bdi>`,
        html`${isAdded ? badge("good", "submitted") : badge("bad", "not added")}
          <span class="small"><bdi>${message}</bdi></span>`,
        html`<a href="${libraryPath(libraryId)}"><code>${libraryId}</code></a>`,
      ]),
    )}
    <p class="actions">
      <a class="button primary" href="/">All libraries</a><a class="button" href="/-/add">Add more</a>
    </p>`;
}
