import type { ApiAnswer } from "../answers.ts";
import { route, type Call, type ForBrowsers, type Route } from "../route.ts";
import { Failure } from "../../domain/failures.ts";
import type { SentForm } from "./form-bodies.ts";
import type { Dashboard, Described, NavigationEntry, Reply, Visit, PageResult } from "./page.ts";
import { pages } from "./pages.ts";
import {
  createSessions,
  hasFormToken,
  requireOwnForm,
  localPath,
  type EndedSessions,
  type Sealing,
} from "./session.ts";
import { toQuery, type ApiRequest, type Query } from "../request.ts";
import { anonymous, type Caller } from "../../domain/access.ts";
import type { Html } from "./html.ts";
import { libraryPath } from "./views/addresses.ts";
import { failureView } from "./views/failure.ts";
import { layout } from "./views/layout.ts";
import { signInView } from "./pages/sign-in.ts";

/** Options of the dashboard. */
export interface DashboardOptions extends Omit<Dashboard, "sessions" | "navigation"> {
  readonly secrets: Sealing;
  readonly ended: EndedSessions;
  readonly now: () => number;
}

/** The routes of all pages and forms. */
export function createPages({ secrets, ended, now, ...more }: DashboardOptions): readonly Route[] {
  const navigation = pages.flatMap((one): NavigationEntry[] =>
    one.kind === "page" && one.entry !== undefined
      ? [{ label: one.entry, path: one.path, scope: one.scope ?? "anonymous" }]
      : [],
  );
  const dashboard = { ...more, sessions: createSessions(secrets, ended, now, more.publicUrl), navigation };
  return pages.map((one) => toRoute(one, dashboard));
}

function toRoute(described: Described, dashboard: Dashboard): Route {
  const { kind, path, limit = "read" } = described;
  const common = {
    path,
    limit,
    about: { operationId: `${kind}:${path}`, tag: "Server", summary: `The ${kind} ${path}` },
    answers: {},
    forBrowsers: forBrowsers(described, dashboard),
    handler: (call: Call) => handle(described, dashboard, call),
  } as const;
  return described.kind === "page"
    ? route({
        ...common,
        method: "GET",
        scope: described.scope ?? "anonymous",
        ...(described.parameters && { parameters: described.parameters }),
        ...(described.isPolled && { isPolled: true }),
      })
    : route({ ...common, method: "POST", scope: described.scope ?? "read", body: described.body });
}

/** A page for the dispatcher: the requests that it takes, their caller, and its pages for failures. */
function forBrowsers({ kind, limit, path: own }: Described, dashboard: Dashboard): ForBrowsers {
  const { sessions, publicUrl } = dashboard;
  return {
    takes: ({ path, headers }) =>
      path.startsWith("/-/") || ((own === path || !ofPrograms.test(path)) && isBrowser(headers)),
    async enter(sent) {
      if (kind === "form") requireOwnForm(sent, publicUrl);
      // Files are public, and pages load many of them.
      if (limit === null) return sent;
      const request = await sessions.withoutEnded(sent);
      const { authorization, teamspace } = sessions.of(request) ?? {};
      if (request.headers["authorization"] !== undefined || authorization === undefined) return request;
      const named = teamspace !== undefined && { "x-lectern-teamspace": teamspace };
      return { ...request, headers: { ...request.headers, authorization, ...named } };
    },
    failed: (answer, request, caller) => showFailure(answer, request, dashboard, caller),
  };
}

/** Paths whose first segment is never the owner of a library. */
const ofPrograms = /^\/(?:api|mcp|auth|\.well-known)(?:\/|$)/;

/** Whether a browser sends the request, rather than a program. */
function isBrowser(headers: Readonly<Record<string, string | undefined>>): boolean {
  return /\btext\/html\b/i.test(headers["accept"] ?? "") || headers["hx-request"] === "true";
}

async function handle(described: Described, dashboard: Dashboard, call: Call): Promise<ApiAnswer> {
  const visit = toVisit(call, dashboard);
  try {
    if (described.kind === "page") return answerShown(await described.show(visit), visit);
    const { formToken, fields } = call.body as SentForm<unknown>;
    if (!hasFormToken(visit.session, formToken)) {
      const message =
        "This form belongs to another session, or has expired. Go back, reload the page, and send the form again.";
      throw new Failure("forbidden", message);
    }
    return answerShown(await described.submit(visit, fields), visit);
  } catch (error) {
    if (error instanceof Refused) return showFailure(error.answer, call.request, dashboard, visit.caller);
    throw error;
  }
}

class Refused extends Error {
  readonly answer: ApiAnswer;

  constructor(answer: ApiAnswer) {
    super(`The API answered ${answer.status}.`);
    this.answer = answer;
  }
}

/** A request for a page, with the API for its caller as the only access to the program. */
function toVisit(call: Call, dashboard: Dashboard): Visit {
  const { request, caller, parameters, callOperation: again, identify } = call;
  const session = dashboard.sessions.of(request);
  const isSignedIn = session?.authorization !== undefined;
  const send = (method: Parameters<Visit["call"]>[0], path: string, asked: Parameters<Visit["call"]>[2] = {}) =>
    again(method, path, {
      query: toQuery(asked.query ?? {}),
      body: asked.body,
      bytes: asked.bytes,
      // The browser's headers are for the page, not for the operations that it calls.
      headers: { accept: asked.accept ?? "application/json", "if-none-match": undefined, "if-match": asked.ifMatch },
    });
  const succeed = async (path: string, query: Query | undefined) => {
    const answer = await send("GET", path, query && { query });
    if (answer.status < 300) return answer;
    throw new Refused(answer);
  };
  return {
    request,
    caller,
    parameters,
    formToken: isSignedIn ? session.formToken : "",
    isPart: request.headers["hx-request"] === "true",
    session,
    dashboard,
    identify,
    // Not parsed: tests check that responses match their schemas.
    ask: async <T>(path: string, query?: Query) => (await succeed(path, query)).body as T,
    async call<T>(...asked: Parameters<typeof send>): Promise<Reply<T>> {
      const { status, body, headers } = await send(...asked);
      if (status < 300) return { status, body: body as T, etag: headers["ETag"] };
      return { status, body: body as T, failure: body as NonNullable<Reply<T>["failure"]> };
    },
    stream: async (path, query) => (await succeed(path, query)).body as AsyncIterable<string>,
  };
}

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

/** The response for the result of a page. */
function answerShown(shown: PageResult, visit: Visit): ApiAnswer {
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
    const flash = shown.flash === undefined ? [] : [sessions.keepFlash(request, shown.flash)];
    return goTo(shown.goTo, request, dashboard, [...cookies, ...flash]);
  }
  const flash = sessions.flash(request);
  const page = layout({
    title: shown.title,
    main: shown.main,
    assets: shown.assets ?? [],
    flash,
    caller: visit.caller,
    formToken: visit.formToken,
    path: request.path,
    dashboard,
  });
  const forgotten = flash === undefined ? [] : [sessions.keepFlash(request)];
  return markup(page, dashboard, { status: shown.status ?? 200, cookies: [...cookies, ...forgotten] });
}

/**
 * A failure of the API as a page, with its message and status. A visitor who is not signed in is sent to sign in; a redirect of a
 * library is followed.
 */
function showFailure(
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
    return shell("Failed", main, request, dashboard, { ...answer, cookies: [] }, caller);
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
  return shell("Sign in", main, request, dashboard, { ...answer, cookies: begun.cookies });
}

function shell(
  title: string,
  main: Html,
  request: ApiRequest,
  dashboard: Dashboard,
  { status, cookies = [], headers }: Pick<ApiAnswer, "status" | "cookies" | "headers">,
  // If the failure comes before the caller is known, the navigation is that of anonymous visitors.
  caller: Caller = anonymous,
): ApiAnswer {
  const session = status === 401 ? undefined : dashboard.sessions.of(request);
  const formToken = session?.authorization === undefined ? "" : session.formToken;
  const page = layout({ title, main, assets: [], flash: undefined, caller, formToken, path: request.path, dashboard });
  return markup(page, dashboard, { status, cookies, headers: kept({ headers }) });
}

/** Headers of a failure that its page keeps. */
function kept({ headers }: Pick<ApiAnswer, "headers">): Record<string, string> {
  const retry = headers["Retry-After"];
  return { ...pageHeaders, ...(retry !== undefined && { "Retry-After": retry }), "Cache-Control": "no-store" };
}

function goTo(path: string, request: ApiRequest, dashboard: Dashboard, cookies: readonly string[]): ApiAnswer {
  const to = prefix(dashboard) + localPath(path);
  // htmx would follow a redirect, and insert a whole page instead of a part.
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

const paths =
  /(\s(?:href|src|action|formaction|hx-get|hx-post|sse-connect|data-highlighter|data-grammars|data-description)=")(?=\/(?!\/))/g;

/** Adds the prefix to every path in markup. Quotes in text from outside are escaped, so only attributes of templates match. */
function withPrefix(page: Html, dashboard: Dashboard): string {
  const before = prefix(dashboard);
  return before === "" ? page.toString() : page.toString().replaceAll(paths, `$1${before}`);
}
