import * as z from "zod";
import { Failure } from "../../../domain/failures.ts";
import type { PreviewProgress } from "../../../domain/previewing.ts";
import { leftOutOf } from "../../../domain/generation.ts";
import { recognise, type Recognised } from "../recognise.ts";
import { toBody, withUnticked, type Sent } from "../schema-fields.ts";
import { fieldsOf } from "../form-bodies.ts";
import { html, nothing, type Html } from "../html.ts";
import { form, page, type Reply, type Described, type PageResult, type Visit } from "../page.ts";
import type { Preview } from "../../answer-types.ts";
import { serverSentEvent } from "../../routes/status.ts";
import { libraryPath } from "../views/addresses.ts";
import { addView, type Adding } from "../views/add.ts";
import { notice, badge, count, counted, empty, facts, link, table } from "../views/parts.ts";

const mostListed = 100;

/** A preview. */
export function previewView(preview: Preview): Html {
  const { libraryName, title, description, ref, revision, total, complete, pages, waiting, notes, answers } = preview;
  const { sample, quarantined } = preview;
  const read = pages.filter(({ outcome }) => outcome === "read").length;
  const hosts = Object.entries(answers ?? {}).map(([status, times]) => `${status}: ${count(times)}`);
  return html`<section class="card" aria-labelledby="preview-title">
    <h2 id="preview-title" tabindex="-1">Preview: <bdi>${title}</bdi></h2>
    ${description === "" ? nothing : html`<p><bdi>${description}</bdi></p>`}
    ${facts([
      ["Library", html`<code>${libraryName}</code>`],
      ["Branch or tag", ref],
      ["Revision", revision === "" ? null : html`<code>${revision.slice(0, 12)}</code>`],
      ["Pages", `${count(read)} read, ${count(pages.length - read)} left out, ${count(total)} in total`],
      ["Found, not visited", waiting.length || undefined],
      ["Responses of the host", hosts.join(", ")],
    ])}
    ${complete ? nothing : notice("warn", "The preview is incomplete: the source is too large to read or to list in full.")}
    ${notes.map((note) => notice("warn", html`<bdi>${note}</bdi>`))}
    ${
      quarantined.length === 0
        ? nothing
        : notice(
            "warn",
            html`${counted(quarantined.length, "passage")} would be quarantined (possible prompt injection):
            ${quarantined.slice(0, 5).map(({ url, findings }) => html`<br />${link(url)} ${findings.map(({ meaning }) => meaning).join(", ")}`)}`,
          )
    }
    <h3>Passages of the first pages</h3>
    ${sample === "" ? empty("No passages found", "The first pages have no content to index.") : html`<pre class="served sample" tabindex="0" aria-label="Passages">${sample}</pre>`}
    <h3>Pages</h3>
    ${pagesTable(pages)}
    ${pages.length > mostListed ? html`<p class="muted small">The first ${mostListed} of ${count(pages.length)} pages.</p>` : nothing}
  </section>`;
}

const tones = { read: "good", skipped: "plain", failed: "bad" } as const;

function pagesTable(pages: Preview["pages"]): Html {
  if (pages.length === 0) return empty("No pages found");
  return table(
    "Pages",
    ["Page", "Outcome", "Passages", "Reason"],
    pages
      .slice(0, mostListed)
      .map(({ path, title, outcome, snippets, reason, code, notes = [], dropped }) => [
        html`<span class="stack tight"
          ><bdi>${title ?? path}</bdi
          >${title === undefined ? nothing : html`<span class="muted small"><bdi>${path}</bdi></span>`}</span
        >`,
        badge(tones[outcome], outcome),
        snippets,
        html`<bdi>${[reason ?? code ?? "", ...notes, leftOutOf(dropped)].filter((one) => one !== "").join(" ")}</bdi>`,
      ]),
  );
}

/** Adding a library: a field for the address, then the fields of its kind. */
export const addPage: Described = page({
  path: "/-/add",
  scope: "submit",
  entry: "Add",
  parameters: z.object({ address: z.string().max(4096).optional(), kind: z.string().max(40).optional() }),
  async show({ formToken, parameters: { address = "", kind } }) {
    const typed = address.trim();
    const recognised = typed === "" ? undefined : recognise(typed, kind);
    // Values that follow from the address can be changed.
    const sent = Object.fromEntries(
      Object.entries(recognised?.body ?? {}).map(([name, value]) => [
        `o.${name}`,
        Array.isArray(value) ? value.join("\n") : String(value),
      ]),
    );
    return { title: "Add a library", main: addView({ formToken, address: typed, recognised, sent }) };
  },
});

/** Previews or submits the form. */
export const addForm: Described = form({
  path: "/-/add",
  scope: "submit",
  body: fieldsOf(
    z
      .object({ address: z.string().max(4096), kind: z.string().max(40), do: z.enum(["preview", "add"]) })
      .catchall(z.string()),
  ),
  async submit(visit, { address, kind, do: wanted, ...sent }) {
    const recognised = recognise(address, kind);
    const values = withUnticked(recognised?.fields ?? [], sent as Sent);
    const adding: Adding = { formToken: visit.formToken, address, recognised, sent: values };
    if (recognised === undefined) return showAdding(adding, 400);
    const filled = fill(recognised, values);
    if (filled.problem !== undefined) return refused(visit, adding, { message: filled.problem }, 400);
    const { body } = filled;
    if (wanted === "preview") return preview(visit, adding, body);
    const {
      status,
      body: added,
      failure,
    } = await visit.call<{ libraryName: string; message: string }>("POST", recognised.path, { body });
    if (failure) return refused(visit, adding, problemOf(failure), status);
    return { goTo: libraryPath(added.libraryName), flash: added.message };
  },
});

/** The body from the form and the address, or the error of the form. */
function fill(recognised: Recognised, sent: Sent): { readonly body: object; readonly problem?: string } {
  const shown = new Set(recognised.fields.map(({ name }) => name));
  // The form wins, even with a field that was emptied.
  const own = Object.entries(recognised.body).filter(([name]) => !shown.has(name));
  try {
    return { body: { ...Object.fromEntries(own), ...toBody(recognised.fields, sent) } };
  } catch (error) {
    if (error instanceof Failure) return { body: {}, problem: error.message };
    throw error;
  }
}

/** The preview in the page; for scripts the parts of its place, while it is made. */
async function preview(visit: Visit, adding: Adding, body: object): Promise<PageResult> {
  const accept = visit.request.headers["accept"] === eventStream ? eventStream : "application/json";
  const reply = await visit.call<Preview | AsyncIterable<string>>("POST", "/v2/preview", { body, accept });
  if (reply.failure) return refused(visit, adding, problemOf(reply.failure), reply.status);
  if (Symbol.asyncIterator in reply.body) return { events: previewParts(reply.body) };
  return showAdding({ ...adding, preview: previewView(reply.body) }, 200);
}

const eventStream = "text/event-stream";

async function* previewParts(events: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  const latest: string[] = [];
  for await (const event of events) {
    const [, name = "", data = ""] = /^event: (\w+)\ndata: (.*)\n\n$/s.exec(event) ?? [];
    if (name === "progress") {
      const progress = JSON.parse(data) as PreviewProgress;
      if (latest.at(-1) !== progress.path) latest.push(progress.path);
      if (latest.length > 5) latest.shift();
      yield serverSentEvent(name, progressView(progress, latest).toString());
    } else if (name === "preview") yield serverSentEvent(name, previewView(JSON.parse(data) as Preview).toString());
    else yield serverSentEvent(name, notice("bad", (JSON.parse(data) as { message: string }).message).toString());
  }
}

function progressView({ done, total }: PreviewProgress, latest: readonly string[]): Html {
  return html`<section class="card" aria-labelledby="reading">
    <h2 id="reading">Reading…</h2>
    <progress aria-label="Reading" value="${done}" max="${total}"></progress>
    <p>${counted(total, "page")} found, ${count(done)} looked at. The latest:</p>
    <ul>
      ${latest.map((path) => html`<li><bdi>${path}</bdi></li>`)}
    </ul>
  </section>`;
}

/** The page with the error, or for scripts the error in place of the preview. */
function refused(visit: Visit, adding: Adding, problem: NonNullable<Adding["problem"]>, status: number): PageResult {
  if (visit.request.headers["accept"] === eventStream) return { part: notice("bad", problem.message), status };
  return showAdding({ ...adding, problem }, status);
}

function showAdding(adding: Adding, status: number): PageResult {
  return { title: "Add a library", main: addView(adding), status };
}

/** A failure, with the existing library that its message names, if any. */
export function problemOf({ error, message }: NonNullable<Reply<unknown>["failure"]>): NonNullable<Adding["problem"]> {
  const exists = error === "duplicate_library" || error === "duplicate_repo";
  return { message, libraryId: exists ? /^\/\S+/.exec(message)?.[0] : undefined };
}
