import type { ApiAnswer } from "../answers.ts";
import type { ApiRequest } from "../request.ts";
import type { Caller } from "../../domain/access.ts";
import { anonymous } from "../../domain/access.ts";
import type { Html } from "./html.ts";
import type { Dashboard, Shown, Visit } from "./page.ts";
import { localPath } from "./session.ts";
import { libraryPath } from "./views/addresses.ts";
import { failureView } from "./views/failure.ts";
import { layout } from "./views/layout.ts";
import { signInView } from "./views/sign-in.ts";

/** Headers of every page: no external resources, no inline scripts, no framing. */
const pageHeaders = {
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  "Referrer-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "X-Frame-Options": "DENY",
  Vary: "Cookie, HX-Request",
} as const;

/** The answer for what a page has shown. */
export function answerShown(shown: Shown, visit: Visit): ApiAnswer {
  const { request, dashboard } = visit;
  if ("answer" in shown) return { ...shown.answer, headers: { ...pageHeaders, ...shown.answer.headers } };
  if ("events" in shown) {
    const headers = { ...pageHeaders, "Content-Type": "text/event-stream; charset=utf-8", "X-Accel-Buffering": "no" };
    return { status: 200, headers, body: shown.events };
  }
  if ("part" in shown) return markup(shown.part, dashboard, { status: shown.status ?? 200 });
  const { sessions } = dashboard;
  const { cookies = [] } = shown;
  if ("goTo" in shown) {
    const said = shown.said === undefined ? [] : [sessions.say(request, shown.said)];
    return goTo(shown.goTo, request, dashboard, [...cookies, ...said]);
  }
  const said = sessions.said(request);
  const page = layout({
    title: shown.title,
    main: shown.main,
    assets: shown.assets ?? [],
    said,
    caller: visit.caller,
    formToken: visit.formToken,
    path: request.path,
    dashboard,
  });
  const forgotten = said === undefined ? [] : [sessions.say(request)];
  return markup(page, dashboard, { status: shown.status ?? 200, cookies: [...cookies, ...forgotten] });
}

/**
 * A failure of the API as a page, with its message and status. A visitor who is not signed in is sent to sign in; a redirect of a
 * library is followed.
 */
export function showFailure(
  answer: ApiAnswer,
  request: ApiRequest,
  dashboard: Dashboard,
  caller: Caller = anonymous,
): ApiAnswer {
  const failure = answer.body as { error: string; message: string; redirectUrl?: string };
  const { sessions } = dashboard;
  const session = sessions.of(request);
  const isPage = request.method === "GET" || request.method === "HEAD";
  const query = request.query.toString();
  const here = localPath(isPage ? `${request.path}${query === "" ? "" : `?${query}`}` : "/");
  if (answer.status === 301 && failure.redirectUrl !== undefined)
    return goTo(libraryPath(failure.redirectUrl), request, dashboard, []);
  if (answer.status !== 401) {
    const main = failureView(failure, answer.status, here);
    return shell("Not done", main, request, dashboard, { ...answer, cookies: [] }, caller);
  }
  // An expired token is renewed first, if possible.
  const isRenewed = session?.refresh !== undefined && request.path !== "/-/oidc/renew";
  const signIn = `/-/${isRenewed ? "oidc/renew" : "sign-in"}?to=${encodeURIComponent(here)}`;
  if (request.headers["hx-request"] === "true")
    return { ...answer, headers: { ...kept(answer), "HX-Redirect": prefix(dashboard) + signIn }, body: "" };
  if (session?.authorization === undefined || (isRenewed && isPage)) return goTo(signIn, request, dashboard, []);
  // A revoked or expired key signs the visitor out.
  const begun = sessions.begin(request);
  const main = signInView({
    formToken: begun.session.formToken,
    to: here,
    problem: `You were signed out. ${failure.message}`,
  });
  return shell("Sign in", main, request, dashboard, { ...answer, cookies: [begun.cookie] });
}

function shell(
  title: string,
  main: Html,
  request: ApiRequest,
  dashboard: Dashboard,
  { status, cookies = [], headers }: Pick<ApiAnswer, "status" | "cookies" | "headers">,
  // After a failure before the caller is known, the navigation is that of anonymous visitors.
  caller: Caller = anonymous,
): ApiAnswer {
  const session = status === 401 ? undefined : dashboard.sessions.of(request);
  const formToken = session?.authorization === undefined ? "" : session.formToken;
  const page = layout({ title, main, assets: [], said: undefined, caller, formToken, path: request.path, dashboard });
  return markup(page, dashboard, { status, cookies, headers: kept({ headers }) });
}

/** Headers of a failure that its page keeps. */
function kept({ headers }: Pick<ApiAnswer, "headers">): Record<string, string> {
  const retry = headers["Retry-After"];
  return { ...pageHeaders, ...(retry !== undefined && { "Retry-After": retry }), "Cache-Control": "no-store" };
}

function goTo(path: string, request: ApiRequest, dashboard: Dashboard, cookies: readonly string[]): ApiAnswer {
  const to = prefix(dashboard) + localPath(path);
  // htmx would follow a redirect, and insert a whole page in place of a part.
  if (request.headers["hx-request"] === "true")
    return { status: 200, headers: { ...pageHeaders, "HX-Redirect": to }, body: "", cookies };
  return { status: 303, headers: { ...pageHeaders, Location: to }, body: null, cookies };
}

function markup(
  page: Html,
  dashboard: Dashboard,
  {
    status,
    cookies = [],
    headers = {},
  }: { status: number; cookies?: readonly string[]; headers?: Record<string, string> },
): ApiAnswer {
  const type = { "Content-Type": "text/html; charset=utf-8" };
  return { status, headers: { ...pageHeaders, ...headers, ...type }, body: withPrefix(page, dashboard), cookies };
}

/** The path of PUBLIC_URL, which a proxy strips. */
function prefix({ publicUrl }: Pick<Dashboard, "publicUrl">): string {
  return publicUrl === null ? "" : new URL(publicUrl).pathname.replace(/\/$/, "");
}

const paths = /(\s(?:href|src|action|formaction|hx-get|hx-post|sse-connect)=")(?=\/(?!\/))/g;

/** Adds the prefix to every path in markup. Quotes in text from outside are escaped, so only attributes of templates match. */
function withPrefix(page: Html, dashboard: Dashboard): string {
  const before = prefix(dashboard);
  return before === "" ? page.toString() : page.toString().replaceAll(paths, `$1${before}`);
}
