import * as z from "zod";
import { textOf } from "../form-bodies.ts";
import { html, nothing, type Html } from "../html.ts";
import { page, type Reply, type Described, type PageResult, type Visit } from "../page.ts";
import type { Explained } from "../../answer-types.ts";
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
  if (library === "") return html`<a class="button primary" href="/">All libraries</a>`;
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

/** An answer, rendered or as agents get it, and its explanation. */
export const answerPage: Described = page({
  path: "/-/answer",
  parameters,
  async show(visit) {
    const asked: AnswerQuery = { ...visit.parameters, query: visit.parameters.query ?? "" };
    if (asked.query === "")
      return shown("Ask", [
        html`<h1 class="hidden">Ask</h1>`,
        askView(asked),
        empty("Ask a question", "In plain words, such as: How do I configure a proxy?"),
      ]);
    return answer(visit, asked);
  },
});

async function answer(visit: Visit, given: AnswerQuery): Promise<PageResult> {
  const { query, form, tokens, kind, language } = given;
  const question = { query, tokens, kind, language };
  const chosen =
    given.library === undefined
      ? await visit.call<unknown>("GET", "/v2/ask", { query: { ...question, type: "json" } })
      : null;
  if (chosen !== null && chosen.status !== 200) return unansweredPage(given, "", [], chosen);
  const { library = given.library ?? "", others = [] } = (chosen?.body ?? {}) as {
    library?: string;
    others?: string[];
  };
  const asked = { ...given, library };
  const context = { ...question, libraryId: library };
  const reply = await visit.call<unknown>("GET", "/v2/context", {
    query: { ...context, type: form === "json" ? form : "txt" },
  });
  const suggested = others.length === 0 ? [] : [library, ...others];
  const { status, body } = reply;
  if (status !== 200) return unansweredPage(asked, library, suggested, reply);
  const explained = await visit.ask<Explained>("/v2/context/explain", context);
  const content = form === "answer" ? await passagesView(library, explained) : servedView(body);
  const main = answerView({ asked, content, explained, now: Date.now() });
  const parts = [askView(asked), candidatesView(asked, suggested), main];
  return { ...shown(`${query} · ${explained.title}`, parts), assets: readingAssets };
}

function unansweredPage(
  asked: AnswerQuery,
  library: string,
  suggested: readonly string[],
  reply: Reply<unknown>,
): PageResult {
  const { status } = reply;
  const main = [askView(asked), candidatesView(asked, suggested), noAnswerView(asked, library, unanswered(reply))];
  return shown(asked.query, main, status < 400 ? 200 : status);
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
