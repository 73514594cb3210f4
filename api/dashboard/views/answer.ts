import { html, nothing, type Html, type Part } from "../html.ts";
import type { Explained } from "../../answer-types.ts";
import { libraryPath } from "./addresses.ts";
import { withQuery } from "../../request.ts";
import { choice, field } from "./fields.ts";
import { age, badge, count, counted, currentPage, facts, notice, table } from "./parts.ts";

/** Parameters of the page. */
export interface AnswerQuery {
  readonly query: string;
  readonly library?: string | undefined;
  /** The passages rendered, or the text or JSON that agents get. */
  readonly form: "answer" | "txt" | "json";
  readonly tokens?: string | undefined;
  readonly kind?: string | undefined;
  readonly language?: string | undefined;
}

/** The address of an answer, which repeats the question. */
export function answerPath({ query, library, form, tokens, kind, language }: AnswerQuery): string {
  return withQuery("/-/answer", { library, query, tokens, kind, language, form: form === "answer" ? undefined : form });
}

/** The form with the question. */
export function askView(asked: AnswerQuery): Html {
  const { query, library = "", tokens = "", kind = "", language = "" } = asked;
  const isNarrowed = tokens !== "" || kind !== "" || language !== "";
  const kinds = [
    ["", "Code and prose"],
    ["code", "Code only"],
    ["info", "Prose only"],
  ] as const;
  return html`<form class="ask" action="/-/answer" role="search">
    <label for="query">Ask ${library === "" ? "all libraries" : html`<bdi>${library}</bdi>`}</label>
    <div class="row">
      <input id="query" name="query" required maxlength="500" value="${query}" /><button class="button primary">
        Ask
      </button>
    </div>
    <details ${isNarrowed ? "open" : ""}>
      <summary class="small">Library and options</summary>
      <div class="options">
        ${field("Library", "library", { value: library, placeholder: "/owner/name", hint: "Empty: the best match." })}
        ${field("Tokens", "tokens", { value: tokens, type: "number", min: 200, max: 100_000, placeholder: "5000", hint: "Maximum length of the answer." })}
        ${choice("Kind", "kind", kinds, { value: kind })}
        ${field("Language", "language", { value: language, placeholder: "typescript" })}
      </div>
    </details>
  </form>`;
}

/** The libraries that may answer a question; the first one does. */
export function candidatesView(asked: AnswerQuery, libraries: readonly string[]): Html {
  if (libraries.length === 0) return nothing;
  return html`<nav class="row" aria-label="Matching libraries">
    <span class="muted small">Matching libraries:</span>
    ${libraries.map(
      (id) =>
        html`<a class="chip" href="${answerPath({ ...asked, library: id })}" ${currentPage(id === asked.library)}
          ><bdi>${id}</bdi></a
        >`,
    )}
  </nav>`;
}

/** The page of an answer. */
export function answerView({
  asked,
  content,
  explained,
  now,
}: {
  readonly asked: AnswerQuery;
  /** The answer in its form. */
  readonly content: Html;
  readonly explained: Explained;
  readonly now: number;
}): Html {
  const { passages, title, library, version, revision, tokens, updated } = explained;
  const shown = passages.filter((one) => one.shown);
  const tabs = [
    ["answer", "Answer"],
    ["txt", "As agents get it"],
    ["json", "JSON"],
  ] as const;
  return html`<header class="stack">
      <div class="between">
        <h1>
          <a class="plain" href="${libraryPath(library)}"><bdi>${title}</bdi></a>
        </h1>
        <a href="${answerPath(asked)}">Link to this answer</a>
      </div>
      ${facts([
        ["Library", html`<code>${library}</code>`],
        ["Version", version === "" ? "default" : html`<bdi>${version}</bdi>`],
        ["Revision", revision === "" ? null : html`<code>${revision.slice(0, 12)}</code>`],
        ["Content from", age(updated, now)],
        ["Answer", `${counted(tokens, "token")}, ${counted(shown.length, "passage")}`],
      ])}
    </header>
    ${
      explained.introduction
        ? notice(
            "warn",
            "No passage contains a word of this question, so the answer is an introduction to the library. Try other words.",
          )
        : nothing
    }
    <section class="stack" aria-labelledby="answer">
      <h2 id="answer" class="hidden">Answer</h2>
      <nav class="tabs" aria-label="Form of the answer">
        ${tabs.map(
          ([form, label]) =>
            html`<a href="${answerPath({ ...asked, form })}" ${currentPage(form === asked.form)}>${label}</a>`,
        )}
      </nav>
      ${content}
    </section>
    ${whyView(explained)}`;
}

type Passage = Explained["passages"][number];

const asWhat = {
  word: "",
  operation: "name of an operation",
  synonym: "synonym",
  spelling: "similar spelling",
};

/** The order of the passages, with the figures of the ranker. */
function whyView({ words, meaningBy, passages }: Explained): Html {
  const best = Math.max(...passages.map(({ score }) => score), 0);
  return html`<details class="card why" open>
    <summary><h2>Why this order</h2></summary>
    <p class="muted small">
      Rare words weigh more. A passage scores for the words in its own text and on its page, and for what it means (by
      ${meaningBy === "table" ? "the table of word pieces" : html`the model ${meaningBy}`}):
      <code>score = factor × (own + page) + meaning</code>.
    </p>
    ${table(
      "Words of the search",
      ["Word", "Weight", "Passages with it"],
      words.map(({ word, worth, terms }) => [
        html`<code>${word}</code>`,
        figure(worth),
        html`<span class="stack tight"
          >${terms
            .filter(({ term, passages: have }) => term === word || have > 0)
            .map(({ term, as, passages: have }) =>
              as === "word"
                ? html`<span>${count(have)}</span>`
                : html`<span
                    >${count(have)} <span class="muted small"><code>${term}</code>, ${asWhat[as]}</span></span
                  >`,
            )}</span
        >`,
      ]),
    )}
    ${table(
      "Ranked passages",
      ["Rank", "Passage", "Score", "Parts", "Matches"],
      passages.map((one) => [
        html`${one.place} ${one.shown ? nothing : badge("plain", "not shown")}`,
        html`<span class="stack tight"
          ><bdi>${one.title}</bdi> <span class="muted small"><bdi>${one.page.title}</bdi></span></span
        >`,
        html`<span class="stack tight"
          >${figure(one.score)}<meter min="0" max="${best}" value="${one.score}" aria-label="Score">
            ${figure(one.score)}
          </meter></span
        >`,
        html`<span class="small"
          >own ${figure(one.own)}, page ${figure(one.pageWorth)}, factor ${figure(one.factor)}, meaning
          ${figure(one.meaning)}</span
        >`,
        html`<span class="stack tight">${matchesIn(one, words)}</span>`,
      ]),
    )}
  </details>`;
}

/** The matching words of a passage, with fields and scores. */
function matchesIn({ found, earned }: Passage, words: Explained["words"]): readonly Part[] {
  return words.flatMap(({ word, terms }, at): readonly Part[] => {
    const own = found.filter((one) => terms.some(({ term }) => term === one.term));
    if (own.length === 0) return [];
    const where = own.map(({ term, field, times }) => `${term === word ? "" : `${term} `}${field} ${times}×`);
    return [
      html`<span class="small"
        ><code>${word}</code> +${figure(earned[at] ?? 0)} <span class="muted">${where.join(", ")}</span></span
      > `,
    ];
  });
}

function figure(number: number): string {
  return number.toFixed(2);
}
