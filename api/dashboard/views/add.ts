import type { Recognised } from "../recognise.ts";
import { fieldsView } from "../schema-fields.ts";
import type { Sent } from "../schema-fields.ts";
import { html, nothing } from "../html.ts";
import type { Html } from "../html.ts";
import { libraryPath, withQuery } from "./addresses.ts";
import { hiddenFields, notice } from "./parts.ts";

/** State of the page that adds libraries. */
export interface Adding {
  readonly formToken: string;
  readonly address: string;
  /** The recognised address; absent: none yet, or invalid. */
  readonly recognised?: Recognised | undefined;
  /** Previous values. */
  readonly sent: Sent;
  /** A failure of the API. */
  readonly problem?: { readonly message: string; readonly libraryId?: string | undefined } | undefined;
  /** The preview. */
  readonly preview?: Html | undefined;
}

/** The page that adds libraries. */
export function addView(adding: Adding): Html {
  const { address, recognised, formToken } = adding;
  const hasAddress = address !== "";
  return html`<h1>Add a library</h1>
    <form class="ask" action="/-/add">
      <label for="address">Address, package or folder</label>
      <div class="row">
        <input
          id="address"
          name="address"
          required
          maxlength="4096"
          value="${address}"
          spellcheck="false"
          autocapitalize="off"
          placeholder="https://git.example.com/owner/name"
          ${hasAddress ? "" : "autofocus"}
        /><button class="button ${recognised ? "" : "primary"}">Look</button>
      </div>
      <p class="hint">
        A repository, a website, an llms.txt, an API description, a space of Confluence, a page of Notion, a package
        such as <code>npm:zod</code>, or a folder of the server as <code>/srv/docs</code>.
      </p>
    </form>
    ${problemView(adding)} ${recognised ? optionsView(adding, recognised) : nothing}
    ${adding.preview ?? html`<div id="preview"></div>`}
    ${hasAddress ? nothing : html`<div class="columns">${uploadView(formToken)}${lockfileView(formToken)}</div>`}`;
}

function problemView({ address, recognised, problem }: Adding): Html {
  if (problem !== undefined) {
    const { message, libraryId } = problem;
    const there = libraryId === undefined ? nothing : html` <a href="${libraryPath(libraryId)}">Open ${libraryId}</a>`;
    return notice("bad", html`${message}${there}`);
  }
  if (address === "" || recognised) return nothing;
  return notice(
    "bad",
    html`<bdi>${address}</bdi> is no source that Lectern reads. Give the whole address, such as
      https://git.example.com/owner/name, a package as npm:name, or the whole path of a folder on the server.`,
  );
}

function optionsView({ formToken, address, sent }: Adding, recognised: Recognised): Html {
  const { kind, noun, kinds, fields, options } = recognised;
  const isSecret = ({ name, secret, fields: inner }: (typeof fields)[number]): boolean =>
    secret || name === "credential" || inner.some((one) => one.secret);
  const own = fields.filter((field) => !isSecret(field) && (options.includes(field.name) || field.required));
  const named = fields.filter((field) => !isSecret(field) && !own.includes(field));
  const secrets = fields.filter(isSecret);
  const others = kinds.filter((one) => one.kind !== kind);
  return html`<form class="card" method="post" action="/-/add" aria-labelledby="taken-for">
    ${hiddenFields(formToken, ["address", address], ["kind", kind])}
    <div class="between">
      <h2 id="taken-for">Taken for: ${noun}</h2>
      ${
        others.length === 0
          ? nothing
          : html`<p class="small">
              Read it as
              ${others.map(
                (one, at) =>
                  html`${at === 0 ? "" : ", "}<a href="${withQuery("/-/add", { address, kind: one.kind })}"
                      >${one.noun}</a
                    >`,
              )}
            </p>`
      }
    </div>
    <p class="muted small"><bdi>${address}</bdi></p>
    ${own.length === 0 ? nothing : fieldsView(own, sent)}
    <details>
      <summary>Name, description and who reads it</summary>
      ${fieldsView(named, sent)}
    </details>
    ${
      secrets.length === 0
        ? nothing
        : html`<details>
            <summary>Credentials</summary>
            <p class="hint">What you type here is not sent back: after a preview without script, type it again.</p>
            ${fieldsView(secrets, sent)}
          </details>`
    }
    <div class="actions">
      <button
        class="button"
        name="do"
        value="preview"
        hx-post="/-/add"
        hx-target="#preview"
        hx-swap="outerHTML"
        hx-disabled-elt="this"
      >
        Preview</button
      ><button class="button primary" name="do" value="add">Add</button
      ><span class="hint">A preview reads up to 30 seconds, and keeps nothing.</span>
    </div>
  </form>`;
}

function uploadView(formToken: string): Html {
  return html`<form class="card" method="post" action="/-/add/upload" enctype="multipart/form-data">
    <h2>Upload an API description</h2>
    ${hiddenFields(formToken)}
    <div class="field">
      <label for="file">OpenAPI or Swagger file</label
      ><input id="file" name="file" type="file" required accept=".json,.yaml,.yml" />
      <span class="hint">.json, .yaml or .yml, 10 MB at most.</span>
    </div>
    <div class="field">
      <label for="upload-title">Title</label><input id="upload-title" name="libraryTitle" maxlength="100" />
      <span class="hint">The library's ID is made of it. Empty: the file's name.</span>
    </div>
    <label class="check"><input type="checkbox" name="private" value="true" /> Only this teamspace reads it</label>
    <label class="check"
      ><input type="checkbox" name="force" value="true" /> Replace the file that the library has</label
    >
    <div class="actions"><button class="button primary">Upload</button></div>
  </form>`;
}

function lockfileView(formToken: string): Html {
  return html`<form class="card" method="post" action="/-/add/lockfile" enctype="multipart/form-data">
    <h2>Add the packages of a project</h2>
    ${hiddenFields(formToken)}
    <div class="field">
      <label for="lockfile">Lockfile</label><input id="lockfile" name="lockfile" type="file" required />
      <span class="hint"
        >package-lock.json, pnpm-lock.yaml, yarn.lock, bun.lock, requirements.txt, uv.lock, poetry.lock, Cargo.lock,
        go.sum. Shows what is indexed and what can be added.</span
      >
    </div>
    <div class="actions"><button class="button primary">Show packages</button></div>
  </form>`;
}
