import * as z from "zod";
import { textOf } from "../form-bodies.ts";
import { html, nothing, type Html } from "../html.ts";
import { page, type Reply, type Described, type PageResult, type Visit } from "../page.ts";
import type { Explained, SearchResults } from "../../answer-types.ts";
import { answerView, askView, candidatesView, answerPath, type AnswerQuery } from "../views/answer.ts";
import { passagesView, servedView } from "../views/answer-content.ts";
import { readingAssets } from "../views/passage.ts";
import { empty } from "../views/parts.ts";
import { libraryPath } from "../views/addresses.ts";

interface Unanswered {
  readonly status: number;
  readonly error: string;
  readonly message: string;
  /** The new ID, after a move. */
  readonly redirectUrl?: string;
}

const titles: Readonly<Record<number, string>> = {
  202: "Still indexing",
  301: "This library has moved",
  403: "You cannot read this library",
  404: "Not found",
  503: "Temporarily unavailable",
};

/** The reason why there is no answer, and what to do. */
export function noAnswerView(asked: AnswerQuery, library: string, unanswered: Unanswered): Html {
  const { status, error, message } = unanswered;
  const tone = status === 202 || status === 301 ? "busy" : "bad";
  return html`<section class="card">
    <h1>${titles[status] ?? "No answer"}</h1>
    <p role="${tone === "bad" ? "alert" : "status"}">${message}</p>
    ${error === "" ? nothing : html`<p class="small muted"><code>${error}</code></p>`}
    <p class="actions">${actionsOf(asked, library, unanswered)}</p>
  </section>`;
}

function actionsOf(asked: AnswerQuery, library: string, { status, error, redirectUrl }: Unanswered): Html {
  const retry = html`<a class="button primary" href="${answerPath(asked)}">Ask again</a>`;
  const open = html`<a class="button" href="${libraryPath(library)}">Open the library</a>`;
  if (redirectUrl !== undefined)
    return html`<a class="button primary" href="${answerPath({ ...asked, library: redirectUrl })}"
      >Ask <bdi>${redirectUrl}</bdi></a
    >`;
  if (error === "library_not_found")
    return html`<a class="button primary" href="${answerPath({ ...asked, library: undefined })}">Ask all libraries</a
      ><a class="button" href="/">All libraries</a><a class="button" href="/-/add">Add a library</a>`;
  if (error === "tag_not_found") {
    const standard = /^\/[^/]+\/[^/@]+/.exec(library)?.[0] ?? library;
    return html`<a class="button primary" href="${answerPath({ ...asked, library: standard })}"
        >Ask the default version</a
      >${open}`;
  }
  if (status === 202 || status === 429 || status >= 500) return html`${retry}${open}`;
  return html`<a class="button primary" href="/">All libraries</a>${open}`;
}

const parameters = z.object({
  query: textOf(500),
  library: textOf(500),
  form: z.enum(["answer", "txt", "json"]).default("answer"),
  tokens: textOf(6),
  kind: textOf(4),
  language: textOf(50),
});

const mostSuggested = 6;

/** An answer, rendered or as agents get it, and its explanation. */
export const answerPage: Described = page({
  path: "/-/answer",
  parameters,
  async show(visit) {
    const asked: AnswerQuery = { ...visit.parameters, query: visit.parameters.query ?? "" };
    if (asked.query === "")
      return shown("Ask", [
        askView(asked),
        empty("Ask a question", "In plain words, such as: How do I configure a proxy?"),
      ]);
    if (asked.library !== undefined) return answer(visit, asked, asked.library, []);
    const { results } = await visit.ask<SearchResults>("/v2/libs/search", {
      libraryName: asked.query,
      query: asked.query,
    });
    const [best] = results;
    if (best === undefined) return shown(asked.query, [askView(asked), noLibrary()], 404);
    return answer(visit, { ...asked, library: best.id }, best.id, results.slice(0, mostSuggested));
  },
});

function noLibrary(): Html {
  const hint = html`Name it in the question, <a href="/">find it in the list</a>, or <a href="/-/add">add it</a>.`;
  return empty("No library matches this question", hint);
}

async function answer(
  visit: Visit,
  asked: AnswerQuery,
  library: string,
  suggested: SearchResults["results"],
): Promise<PageResult> {
  const { query, form, tokens, kind, language } = asked;
  const context = { libraryId: library, query, tokens, kind, language };
  const reply = await visit.call<unknown>("GET", "/v2/context", {
    query: { ...context, type: form === "json" ? form : "txt" },
  });
  const above = [askView(asked), candidatesView(asked, suggested)];
  const { status, body } = reply;
  if (status !== 200) {
    const main = [...above, noAnswerView(asked, library, unanswered(reply))];
    return shown(query, main, status < 400 ? 200 : status);
  }
  const explained = await visit.ask<Explained>("/v2/context/explain", context);
  const content = form === "answer" ? await passagesView(library, explained) : servedView(body);
  const main = answerView({ asked, content, explained, now: Date.now() });
  return { ...shown(`${query} · ${explained.title}`, [...above, main]), assets: readingAssets };
}

/** The failure of the API; a failure as text is a sentence. */
function unanswered({ status, body }: Reply<unknown>): Unanswered {
  if (typeof body === "string") return { status, error: "", message: body };
  const { error, message, redirectUrl } = body as Omit<Unanswered, "status">;
  return { status, error, message, ...(redirectUrl !== undefined && { redirectUrl }) };
}

function shown(title: string, parts: readonly Html[], status = 200): PageResult {
  return { title, main: html`${parts}`, status };
}
