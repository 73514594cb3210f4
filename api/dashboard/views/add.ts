import { fileEndings } from "../../forms/index.ts";
import type { Recognised } from "../recognise.ts";
import { fieldsView, type Sent } from "../schema-fields.ts";
import { html, nothing, type Html } from "../html.ts";
import { libraryPath } from "./addresses.ts";
import { withQuery } from "../../request.ts";
import { field, tick } from "./fields.ts";
import { ownerView } from "../pages/repositories.ts";
import { hiddenFields, notice } from "./parts.ts";

/** State of the page that adds libraries. */
export interface Adding {
  readonly formToken: string;
  readonly address: string;
  /** The recognised address; absent: no address yet, or an invalid one. */
  readonly recognised?: Recognised | undefined;
  readonly sent: Sent;
  readonly problem?: { readonly message: string; readonly libraryId?: string | undefined } | undefined;
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
        /><button class="button ${recognised ? "" : "primary"}">Continue</button>
      </div>
      <p class="hint">
        A repository, a website, an llms.txt, an API description, a Confluence space, a Notion page, a package such as
        <code>npm:zod</code>, or a folder on the server such as <code>/srv/docs</code>.
      </p>
    </form>
    ${problemView(adding)} ${recognised ? optionsView(adding, recognised) : nothing}
    <div id="preview" aria-live="polite">${adding.preview ?? nothing}</div>
    ${hasAddress ? nothing : html`<div class="columns">${uploadView(formToken)}${lockfileView(formToken)}${ownerView({})}</div>`}`;
}

function problemView({ address, recognised, problem }: Adding): Html {
  if (problem !== undefined) {
    const { message, libraryId } = problem;
    const open = libraryId === undefined ? nothing : html` <a href="${libraryPath(libraryId)}">Open ${libraryId}</a>`;
    return notice("bad", html`${message}${open}`);
  }
  if (address === "" || recognised) return nothing;
  return notice(
    "bad",
    html`Lectern cannot read "<bdi>${address}</bdi>". Enter a full address, such as https://git.example.com/owner/name,
    a package, such as npm:zod, or the absolute path of a folder on the server.`,
  );
}

/** The fields that most people need; others are folded. */
const usual = ["branch", "folders", "scope", "maxPages", "version", "title", "private"];

function optionsView({ formToken, address, sent, problem }: Adding, recognised: Recognised): Html {
  const { kind, noun, kinds, fields, values } = recognised;
  const isSecret = ({ name, secret, fields: inner }: (typeof fields)[number]): boolean =>
    secret || name === "credential" || inner.some((one) => one.secret);
  const first = fields.filter((field) => !isSecret(field) && (field.required || usual.includes(field.name)));
  const rest = fields.filter((field) => !isSecret(field) && !first.includes(field));
  // After a refusal, what was typed is in sight.
  const isTyped = ({ name }: (typeof fields)[number]): boolean => !["", "on", "off"].includes(sent[`o.${name}`] ?? "");
  const isOpen = problem !== undefined && rest.some(isTyped);
  const secrets = fields.filter(isSecret);
  const others = kinds.filter((one) => one.kind !== kind);
  return html`<form class="card" method="post" action="/-/add" aria-labelledby="detected">
    ${hiddenFields(formToken, ["address", address], ["kind", kind])}
    <div class="between">
      <h2 id="detected">Detected as: ${noun}</h2>
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
    ${fieldsView(first, { ...values, ...sent })}
    <details ${isOpen ? "open" : ""}>
      <summary>More options</summary>
      ${fieldsView(rest, sent)}
    </details>
    ${
      secrets.length === 0
        ? nothing
        : html`<details>
            <summary>Credentials</summary>
            <p class="hint">Credentials are not shown again. After a preview without JavaScript, enter them again.</p>
            ${fieldsView(secrets, sent)}
          </details>`
    }
    <div class="actions">
      <button class="button" name="do" value="preview" formaction="/-/add#preview" data-stream="preview">Preview</button
      ><button class="button primary" name="do" value="add">Add</button
      ><span class="hint">A preview takes up to 30 seconds and stores nothing.</span>
    </div>
  </form>`;
}

function uploadView(formToken: string): Html {
  return html`<form class="card" method="post" action="/-/add/upload" enctype="multipart/form-data">
    <h2>Upload a file</h2>
    ${hiddenFields(formToken)}
    ${field("Document, archive or API description", "file", {
      type: "file",
      required: true,
      accept: fileEndings().join(),
      hint: "PDF, Word, PowerPoint, HTML, Markdown and other text, or a zip or tar of a folder, up to 50 MB; OpenAPI or Swagger up to 10 MB.",
    })}
    ${field("Title", "libraryTitle", { maxLength: 100, hint: "The library's ID is made from it. Empty: the file's name." })}
    ${tick("Private: only this teamspace can read it", "private", { value: "true" })}
    ${tick("Replace the file of an existing library", "force", { value: "true" })}
    <div class="actions"><button class="button primary">Upload</button></div>
  </form>`;
}

function lockfileView(formToken: string): Html {
  return html`<form class="card" method="post" action="/-/add/lockfile" enctype="multipart/form-data">
    <h2>Add a project's packages</h2>
    ${hiddenFields(formToken)}
    ${field("Lockfile", "lockfile", {
      type: "file",
      required: true,
      hint: "package-lock.json, pnpm-lock.yaml, yarn.lock, bun.lock, requirements.txt, uv.lock, poetry.lock, Cargo.lock or go.sum. The next page shows which packages are indexed and which can be added.",
    })}
    <div class="actions"><button class="button primary">Show packages</button></div>
  </form>`;
}
