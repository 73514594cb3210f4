import type { ApiAnswer } from "../answers.ts";
import { route } from "../route.ts";
import type { Call, ForBrowsers, Route } from "../route.ts";
import { Failure } from "../../domain/failures.ts";
import { answerShown, showFailure } from "./answering.ts";
import type { SentForm } from "./fields.ts";
import type { Dashboard, Described, NavigationEntry } from "./page.ts";
import { pages } from "./pages.ts";
import { createSessions, hasFormToken, requireOwnForm } from "./session.ts";
import type { EndedSessions, Sealing } from "./session.ts";
import { Refused, toVisit } from "./visit.ts";

/** What the dashboard is made of. */
export interface DashboardOptions extends Omit<Dashboard, "sessions" | "navigation"> {
  /** Seals cookies. */
  readonly secrets: Sealing;
  /** The sessions that were signed out of. */
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
  const { kind, path, limit = "read", parameters } = described;
  const common = {
    path,
    limit,
    about: { operationId: `${kind}:${path}`, tag: "Server", summary: `The ${kind} ${path}` },
    ...(parameters && { parameters }),
    answers: {},
    forBrowsers: forBrowsers(described, dashboard),
    handler: (call: Call) => handle(described, dashboard, call),
  } as const;
  return described.kind === "page"
    ? route({
        ...common,
        method: "GET",
        scope: described.scope ?? "anonymous",
        ...(described.isPolled && { isPolled: true }),
      })
    : route({ ...common, method: "POST", scope: described.scope ?? "read", body: described.body });
}

/** A page for the dispatcher: which requests it answers, its caller, and the form of failures. */
function forBrowsers({ kind, limit, path: own }: Described, dashboard: Dashboard): ForBrowsers {
  const { sessions, publicUrl } = dashboard;
  return {
    takes: ({ path, headers }) =>
      path.startsWith("/-/") || ((own === path || !ofPrograms.test(path)) && isBrowser(headers)),
    async enter(sent) {
      if (kind === "form") requireOwnForm(sent, publicUrl);
      // Files are for everybody, and many.
      if (limit === null) return sent;
      const request = await sessions.withoutEnded(sent);
      const { authorization, teamspace } = sessions.of(request) ?? {};
      if (request.headers["authorization"] !== undefined || authorization === undefined) return request;
      const named = teamspace !== undefined && { "x-lectern-teamspace": teamspace };
      return { ...request, headers: { ...request.headers, authorization, ...named } };
    },
    failed: (answer, request) => showFailure(answer, request, dashboard),
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
        "This form was made for another session, or is too old. Go back, load the page again, and send it again.";
      throw new Failure("forbidden", message);
    }
    return answerShown(await described.submit(visit, fields), visit);
  } catch (error) {
    if (error instanceof Refused) return showFailure(error.answer, call.request, dashboard, visit.caller);
    throw error;
  }
}
