import * as z from "zod";

import { textOf } from "../fields.ts";
import { html } from "../html.ts";
import type { Html } from "../html.ts";
import { page } from "../page.ts";
import type { Asked, Described, Shown, Visit } from "../page.ts";
import type { Explained, Found } from "../types.ts";
import { noAnswerView } from "../views/no-answer.ts";
import type { Unanswered } from "../views/no-answer.ts";
import { answerView, askView, candidatesView } from "../views/answer.ts";
import type { AnswerQuery } from "../views/answer.ts";
import { empty } from "../views/parts.ts";

const parameters = z.object({
  query: textOf(500),
  library: textOf(500),
  form: z.enum(["txt", "json"]).default("txt"),
  tokens: textOf(6),
  kind: textOf(4),
  language: textOf(50),
});

/** Maximum number of suggested libraries for a question without one. */
const mostOffered = 6;

/** An answer, as agents get it, and its explanation. */
export const answerPage: Described = page({
  path: "/-/answer",
  parameters,
  async show(visit) {
    const asked: AnswerQuery = { ...visit.parameters, query: visit.parameters.query ?? "" };
    if (asked.query === "")
      return shown("Ask", [
        askView(asked),
        empty("Ask something.", "In plain words, such as: how do I configure a proxy?"),
      ]);
    if (asked.library !== undefined) return answer(visit, asked, asked.library, []);
    const { results } = await visit.ask<Found>("/v2/libs/search", { libraryName: asked.query, query: asked.query });
    const [best] = results;
    if (best === undefined) return shown(asked.query, [askView(asked), noLibrary()], 404);
    return answer(visit, { ...asked, library: best.id }, best.id, results.slice(0, mostOffered));
  },
});

function noLibrary(): Html {
  const hint = html`Name it in the question, <a href="/">look for it in the list</a>, or <a href="/-/add">add it</a>.`;
  return empty("No library fits this question.", hint);
}

async function answer(visit: Visit, asked: AnswerQuery, library: string, offered: Found["results"]): Promise<Shown> {
  const { query, form, tokens, kind, language } = asked;
  const context = { libraryId: library, query, tokens, kind, language };
  const told = await visit.tell<unknown>("GET", "/v2/context", { query: { ...context, type: form } });
  const above = [askView(asked), candidatesView(asked, offered)];
  const { status, body } = told;
  if (status !== 200) {
    const main = [...above, noAnswerView(asked, library, unanswered(told))];
    return shown(query, main, status < 400 ? 200 : status);
  }
  const explained = await visit.ask<Explained>("/v2/context/explain", context);
  const text = typeof body === "string" ? body : JSON.stringify(body, null, 2);
  const main = answerView({ asked, body: text, explained, now: Date.now() });
  return shown(`${query} · ${explained.title}`, [...above, main]);
}

/** The failure of the API in place of an answer; as text a sentence. */
function unanswered({ status, body }: Asked<unknown>): Unanswered {
  if (typeof body === "string") return { status, error: "", message: body };
  const { error, message, redirectUrl } = body as Omit<Unanswered, "status">;
  return { status, error, message, ...(redirectUrl !== undefined && { redirectUrl }) };
}

function shown(title: string, parts: readonly Html[], status = 200): Shown {
  return { title, main: html`${parts}`, status };
}
