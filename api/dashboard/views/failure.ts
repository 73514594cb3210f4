import { html, type Html } from "../html.ts";
import { withQuery } from "../../request.ts";

const titles: Readonly<Record<number, string>> = {
  400: "Invalid request",
  403: "Not allowed",
  404: "Not found",
  409: "Conflict",
  429: "Too many requests",
  503: "Temporarily unavailable",
};

/** A failure of the API. `here` is the path to return to after signing in. */
export function failureView(
  { error, message }: { readonly error: string; readonly message: string },
  status: number,
  here: string,
): Html {
  const signIn = html`<a class="button" href="${withQuery("/-/sign-in", { to: here })}">Sign in with another key</a>`;
  return html`<section class="stack failure">
    <p class="failure-status">${status}</p>
    <h1>${titles[status] ?? (status >= 500 ? "Server error" : "Request refused")}</h1>
    <p class="failure-message" role="alert">${message}</p>
    <p><code>${error}</code></p>
    <p class="actions"><a class="button primary" href="/">All libraries</a>${status === 403 ? signIn : null}</p>
  </section>`;
}
