import * as z from "zod";

import { Failure, isFailure } from "../../../domain/failures.ts";
import type { Oidc, Tokens } from "../oidc.ts";
import { page, type Described, type PageResult, type Visit } from "../page.ts";
import { localPath } from "../session.ts";

const open = { scope: "open", limit: "open" } as const;
const to = z.object({ to: z.string().max(4000).optional() });

/** Sends the browser to the issuer. */
export const oidcSignInPage: Described = page({
  ...open,
  path: "/-/oidc/sign-in",
  parameters: to,
  async show({ request, dashboard, parameters }) {
    const { url, attempt } = await oidcOf(dashboard).begin();
    const cookie = dashboard.sessions.keepAttempt(request, { ...attempt, to: localPath(parameters.to) });
    return { answer: { status: 303, headers: { Location: url }, body: null, cookies: [cookie] } };
  },
});

/** The redirect URI of the issuer. The API decides about the rights of the token. */
export const oidcCallbackPage: Described = page({
  ...open,
  path: "/-/oidc/callback",
  async show(visit) {
    const { request, dashboard } = visit;
    const attempt = dashboard.sessions.attempt(request);
    if (!attempt)
      throw new Failure("forbidden", "This sign-in was started in another browser, or too long ago. Sign in again.");
    const tokens = await oidcOf(dashboard).finish(request.query, attempt);
    return enter(visit, tokens, attempt.to);
  },
});

/** Refreshes expired tokens, or sends the visitor to sign in again. */
export const oidcRenewPage: Described = page({
  ...open,
  path: "/-/oidc/renew",
  parameters: to,
  async show(visit) {
    const { refresh } = visit.session ?? {};
    const path = localPath(visit.parameters.to);
    if (refresh === undefined) return { goTo: `/-/sign-in?to=${encodeURIComponent(path)}` };
    try {
      const tokens = await oidcOf(visit.dashboard).renew(refresh);
      return await enter(visit, tokens, path, visit.session?.id ?? visit.session?.formToken);
    } catch (error) {
      if (!(error instanceof Failure) || error.code === "service_unavailable") throw error;
      const cookies = await visit.dashboard.sessions.end(visit.request);
      return {
        goTo: `/-/sign-in?to=${encodeURIComponent(path)}`,
        flash: "Your session has ended. Sign in again.",
        cookies,
      };
    }
  },
});

async function enter(
  { request, dashboard, identify }: Visit,
  tokens: Tokens,
  path: string,
  id?: string,
): Promise<PageResult> {
  const authorization = `Bearer ${tokens.access}`;
  try {
    await identify(authorization);
  } catch (cause) {
    if (!isFailure(cause, "invalid_api_key")) throw cause;
    // Not 401: signing in again would fail in the same way.
    throw new Failure(
      "forbidden",
      `The issuer signed you in, but its access token is not accepted here. ${cause.message}`,
      {
        cause,
      },
    );
  }
  const begun = dashboard.sessions.begin(request, {
    authorization,
    ...(id !== undefined && { id }),
    ...(tokens.refresh !== undefined && { refresh: tokens.refresh }),
    ...(tokens.refresh === undefined && tokens.expiresIn !== undefined && { expiresIn: tokens.expiresIn }),
  });
  return { goTo: path, cookies: [...begun.cookies, dashboard.sessions.keepAttempt(request)] };
}

/** @throws Failure route_not_found without an issuer */
function oidcOf({ oidc }: { readonly oidc?: Oidc }): Oidc {
  if (!oidc) throw new Failure("route_not_found", "This server has no issuer to sign in with. Sign in with a key.");
  return oidc;
}
