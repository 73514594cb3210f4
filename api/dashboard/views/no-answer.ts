import { html, nothing } from "../html.ts";
import type { Html } from "../html.ts";
import { libraryPath } from "./addresses.ts";
import { answerPath } from "./answer.ts";
import type { AnswerQuery } from "./answer.ts";

/** A failure in place of an answer. */
export interface Unanswered {
  readonly status: number;
  readonly error: string;
  readonly message: string;
  /** The new ID, after a move. */
  readonly redirectUrl?: string;
}

const titles: Readonly<Record<number, string>> = {
  202: "Not finished yet",
  301: "This library has moved",
  403: "This library is not yours to read",
  404: "There is no answer here",
  503: "Not available at the moment",
};

/** Why there is no answer, and what to do. */
export function noAnswerView(asked: AnswerQuery, library: string, unanswered: Unanswered): Html {
  const { status, error, message } = unanswered;
  const tone = status === 202 || status === 301 ? "busy" : "bad";
  return html`<section class="card">
    <h1>${titles[status] ?? "This was not answered"}</h1>
    <p role="${tone === "bad" ? "alert" : "status"}">${message}</p>
    ${error === "" ? nothing : html`<p class="small muted"><code>${error}</code></p>`}
    <p class="actions">${actionsOf(asked, library, unanswered)}</p>
  </section>`;
}

function actionsOf(asked: AnswerQuery, library: string, { status, error, redirectUrl }: Unanswered): Html {
  const again = html`<a class="button primary" href="${answerPath(asked)}">Ask again</a>`;
  const there = html`<a class="button" href="${libraryPath(library)}">The library</a>`;
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
      >${there}`;
  }
  if (status === 202 || status === 429 || status >= 500) return html`${again}${there}`;
  return html`<a class="button primary" href="/">All libraries</a>${there}`;
}
