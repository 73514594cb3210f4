import * as z from "zod";
import { isFailure } from "../../../domain/failures.ts";
import { form, page, type Described, type Visit } from "../page.ts";
import { fieldsOf } from "../form-bodies.ts";
import { localPath } from "../session.ts";
import { html, nothing, type Html } from "../html.ts";
import { withQuery } from "../../request.ts";
import { hiddenFields, notice } from "../views/parts.ts";

const parameters = z.object({ to: z.string().max(4000).optional(), once: z.string().max(200).optional() });
const fields = z.object({ key: z.string().max(16_000).optional(), to: z.string().max(4000).optional() });

/** Signing in with a key, or by the link of the terminal. */
export const signInPage: Described = page({
  path: "/-/sign-in",
  scope: "open",
  limit: "open",
  parameters,
  async show(visit) {
    const { to, once } = visit.parameters;
    if (once === undefined) return signIn(visit, to);
    const key = visit.dashboard.link?.take(once);
    if (key !== undefined) return enter(visit, key, to);
    if (await isSignedIn(visit)) return { goTo: localPath(to) };
    return signIn(
      visit,
      to,
      "This link was already used, or has expired. Sign in with a key, or restart the server.",
      401,
    );
  },
});

export const signInForm: Described = form({
  path: "/-/sign-in",
  scope: "open",
  limit: "open",
  body: fieldsOf(fields),
  async submit(visit, { key = "", to }) {
    try {
      await visit.identify(`Bearer ${key.trim()}`);
    } catch (error) {
      if (isFailure(error, "invalid_api_key", "forbidden"))
        return signIn(visit, to, key.trim() === "" ? "Enter the key." : error.message, 401);
      throw error;
    }
    return enter(visit, key.trim(), to);
  },
});

export const signOutForm: Described = form({
  path: "/-/sign-out",
  scope: "open",
  limit: "open",
  body: fieldsOf(z.object({})),
  submit: async ({ request, dashboard }) => ({
    goTo: "/",
    flash: "You are signed out.",
    cookies: await dashboard.sessions.end(request),
  }),
});

/** The sign-in page, with a session that protects its form. Signed-in visitors stay signed in until they send it. */
async function signIn({ request, session, dashboard }: Visit, to: string | undefined, problem?: string, status = 200) {
  const begun = session ? undefined : dashboard.sessions.begin(request);
  const formToken = (begun?.session ?? session)?.formToken ?? "";
  const path = localPath(to);
  const ways = dashboard.oidc && { ways: issuerView(path) };
  const main = signInView({ formToken, to: path, ...(problem !== undefined && { problem }), ...ways });
  return { title: "Sign in", main, status, cookies: begun?.cookies ?? [] };
}

/** Whether the session's key is still valid. */
async function isSignedIn({ session, identify }: Visit): Promise<boolean> {
  if (session?.authorization === undefined) return false;
  return identify(session.authorization).then(
    () => true,
    () => false,
  );
}

async function enter({ request, dashboard }: Visit, key: string, to: string | undefined) {
  const { cookies } = dashboard.sessions.begin(request, { authorization: `Bearer ${key}` });
  return { goTo: localPath(to), cookies };
}

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
      Use an API key of this server. Administrators create keys, here or with <code>lectern keys create</code>.
    </p>
    ${problem === undefined ? nothing : notice("bad", problem)}
    <form class="stack" method="post" action="/-/sign-in">
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
function issuerView(to: string): Html {
  return html`<div class="stack">
    <p class="or muted small">or</p>
    <a class="button wide" href="${withQuery("/-/oidc/sign-in", { to })}">Sign in with your organisation</a>
  </div>`;
}
