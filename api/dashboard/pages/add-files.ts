import * as z from "zod";
import { fileEndings, fileForm } from "../../forms/index.ts";
import type { Bytes } from "../../route.ts";
import { fieldsOf, uploadOf } from "../form-bodies.ts";
import { form, type Described, type PageResult, type Visit } from "../page.ts";
import type { Resolved, ResolvedPackages } from "../../answer-types.ts";
import { addView, type Adding } from "../views/add.ts";
import { libraryPath } from "../views/addresses.ts";
import { problemOf } from "./add.ts";
import { html, nothing, type Html } from "../html.ts";
import { badge, count, counted, empty, hiddenFields, notice, table } from "../views/parts.ts";

/** Maximum number of shown packages; direct ones come first. */
const mostShown = 200;

/** The packages of a project, and a form that adds missing ones. */
export function lockfileView({ format, packages, others, leftOut }: ResolvedPackages, formToken: string): Html {
  const shown = packages.slice(0, mostShown);
  const missing = shown.filter(({ get }) => get !== null);
  const have = packages.filter(({ found }) => found === "exact").length;
  const rest = [
    packages.length > mostShown
      ? `${count(packages.length - mostShown)} more are not shown; direct dependencies come first.`
      : "",
    others > 0 ? `${counted(others, "entry does", "entries do")} not come from a registry.` : "",
    leftOut > 0 ? `${count(leftOut)} are left out.` : "",
  ].filter((one) => one !== "");
  if (packages.length === 0)
    return html`${head(format)}${empty("No packages of registries in this lockfile", html`<a href="/-/add">Add something else</a>`)}`;
  return html`${head(format)}
    <p>${counted(packages.length, "package")}, ${count(have)} indexed at the locked version. ${rest.join(" ")}</p>
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
              >${one.registry}${one.dev === true ? ", development" : ""}${one.direct === false ? ", indirect" : ""}</span
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
          ? notice("good", "There is nothing to add.")
          : html`<div class="actions">
              <button class="button primary">Add selected</button><a class="button" href="/-/add">Another lockfile</a>
            </div>`
      }
    </form>`;
}

function head(format: string | null): Html {
  return html`<header class="head">
    <h1>A project's packages</h1>
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

interface AddedPackage {
  readonly name: string;
  readonly version: string;
  readonly libraryId: string;
  readonly message: string;
  readonly isAdded: boolean;
}

function addedView(added: readonly AddedPackage[], waiting: number): Html {
  const done = added.filter(({ isAdded }) => isAdded).length;
  return html`<h1>A project's packages</h1>
    ${notice(done === added.length && waiting === 0 ? "good" : "warn", `${count(done)} of ${counted(added.length + waiting, "package")} submitted.`)}
    ${waiting === 0 ? nothing : notice("warn", `${counted(waiting, "package")} not submitted: the limit per minute is reached. Upload the lockfile again later; packages that exist by then are not added again.`)}
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

/** Limits of the files, in bytes. */
const maxUpload = 50_000_000;
const maxLockfile = 20_000_000;

const uploadFields = z.object({
  libraryTitle: z.string().optional(),
  private: z.string().optional(),
  force: z.string().optional(),
});

/** Uploads a file as a library. */
export const uploadForm: Described = form({
  path: "/-/add/upload",
  scope: "submit",
  body: uploadOf({ file: { maxBytes: maxUpload } }, uploadFields),
  async submit(visit, { fields, files: { file } }) {
    const known = fileForm(file.name);
    if (known === undefined) {
      const message = `${file.name || "This file"} cannot be read. Choose a file named ${fileEndings().join(", ")}.`;
      return refused(visit, { message }, 400);
    }
    const { libraryTitle, private: isPrivate, force } = fields;
    const given = { [known.title]: libraryTitle, private: isPrivate, force };
    const bytes = await toMultipart(known.field, file, given);
    const { status, body, failure } = await visit.call<{ libraryName: string; message: string }>("POST", known.path, {
      bytes,
    });
    if (!failure) return { goTo: libraryPath(body.libraryName), flash: body.message };
    return refused(visit, problemOf(failure), status);
  },
});

/** The packages of a lockfile: indexed ones, and those that can be added. */
export const lockfileForm: Described = form({
  path: "/-/add/lockfile",
  scope: "submit",
  body: uploadOf({ lockfile: { maxBytes: maxLockfile } }, z.object({})),
  async submit(visit, { files: { lockfile } }) {
    const bytes = await toMultipart("lockfile", lockfile, {});
    const { status, body, failure } = await visit.call<ResolvedPackages>("POST", "/v2/resolve", { bytes });
    if (!failure) return { title: "A project's packages", main: lockfileView(body, visit.formToken) };
    return refused(visit, failure, status);
  },
});

/** The page that adds libraries, with the error of a file. */
function refused({ formToken }: Visit, problem: NonNullable<Adding["problem"]>, status: number): PageResult {
  return { title: "Add a library", main: addView({ formToken, address: "", sent: {}, problem }), status };
}

/** Submits the ticked packages, up to the rate limit. */
export const packagesForm: Described = form({
  path: "/-/add/packages",
  scope: "submit",
  body: fieldsOf(z.object({ packages: z.array(z.string().max(600)).max(1000).default([]) }), ["packages"]),
  async submit(visit, { packages }) {
    const added: AddedPackage[] = [];
    for (const [at, one] of packages.entries()) {
      const [registry = "", name = "", ...version] = one.split(" ");
      const result = await addPackage(visit, { registry, name, version: version.join(" ") });
      if (result === "full") return { title: "A project's packages", main: addedView(added, packages.length - at) };
      added.push(result);
    }
    return { title: "A project's packages", main: addedView(added, 0) };
  },
});

async function addPackage(
  visit: Visit,
  { registry, name, version }: { readonly registry: string; readonly name: string; readonly version: string },
): Promise<AddedPackage | "full"> {
  const row = { name, version, libraryId: `/${registry}/${name}`, isAdded: false };
  const found = await visit.call<Resolved>("GET", "/v2/resolve", { query: { registry, name, version } });
  if (found.failure) return found.status === 429 ? "full" : { ...row, message: found.failure.message };
  const { libraryId, get } = found.body;
  if (get === null) return { ...row, libraryId, isAdded: true, message: "Already indexed, or being indexed." };
  const { status, body, failure } = await visit.call<{ message: string }>("POST", get.path, { body: get.body });
  if (status === 429) return "full";
  return { ...row, libraryId, isAdded: failure === undefined, message: failure?.message ?? body.message };
}

async function toMultipart(
  field: string,
  file: { readonly name: string; readonly bytes: Uint8Array },
  fields: Readonly<Record<string, string | undefined>>,
): Promise<Bytes> {
  const sent = new FormData();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined && value !== "") sent.set(name, value);
  sent.set(field, new Blob([Uint8Array.from(file.bytes)]), file.name);
  const encoded = new Response(sent);
  return { type: encoded.headers.get("content-type") ?? "", bytes: await encoded.bytes() };
}
