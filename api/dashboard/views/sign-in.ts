import { html, nothing } from "../html.ts";
import type { Html } from "../html.ts";
import { withQuery } from "./addresses.ts";
import { hiddenFields, notice } from "./parts.ts";

/** The form that signs in with a key, and returns to `to`. `ways` has other ways to sign in. */
export function signInView({
  formToken,
  to,
  problem,
  ways = nothing,
}: {
  readonly formToken: string;
  readonly to: string;
  readonly problem?: string;
  readonly ways?: Html;
}): Html {
  return html`<section class="sign-in card">
    <h1>Sign in</h1>
    <p class="muted">
      With an API key of this server. An administrator makes one, or <code>lectern keys create</code>.
    </p>
    ${problem === undefined ? nothing : notice("bad", problem)}
    <form method="post" action="/-/sign-in">
      ${hiddenFields(formToken, ["to", to])}
      <label for="key">API key</label>
      <input
        id="key"
        name="key"
        type="password"
        required
        autocomplete="current-password"
        spellcheck="false"
        autofocus
      />
      <button class="button primary wide">Sign in</button>
    </form>
    ${ways}
  </section>`;
}

/** The link to the issuer, which returns to `to`. */
export function issuerView(to: string): Html {
  return html`<div class="stack">
    <p class="or muted small">or</p>
    <a class="button wide" href="${withQuery("/-/oidc/sign-in", { to })}">Sign in with your organisation</a>
  </div>`;
}
