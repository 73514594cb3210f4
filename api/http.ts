import type { Unread } from "../domain/generation.ts";
import { randomUUID } from "node:crypto";
import { anonymous, hasScope, requireScope, type Caller } from "../domain/access.ts";
import { diskFailure, Failure, failures } from "../domain/failures.ts";
import { agentAuthorization, createAuthentication } from "./access.ts";
import { createPageReading } from "./answer/pages.ts";
import { createReader, createReading } from "./answer/reading.ts";
import { withUpstream } from "./answer/upstream.ts";
import { failureAnswer, unexpectedFailure, type ApiAnswer } from "./answers.ts";
import { createAgentNotes } from "./agents.ts";
import { createAuditing, type Act } from "./auditing.ts";
import { challenge } from "./oauth.ts";
import { createCounting } from "./metrics.ts";
import { cachedFromManifest } from "./manifest-cache.ts";
import { createLimits, createStreams } from "./rate-limits.ts";
import { isLocal, createOriginCheck, preflightHeaders } from "./origin.ts";
import type { ApiOptions } from "./options.ts";
import { parseParameters } from "./parameters.ts";
import { showPath, withoutSlash, type ApiRequest } from "./request.ts";
import { createTable, toRequest, type ApiMemory, type Route, type MatchedPath } from "./route.ts";
import { createScheduler, clientOf, createTurns } from "./scheduling.ts";

/** The state of a request: response headers, and facts for the log. */
interface Trace {
  readonly requestId: string;
  readonly headers: Record<string, string>;
  keyId: string | null;
  readonly address: string;
  /** The operation. */
  route?: Route;
  /** The exceeded rate limit. */
  limited?: string;
  /** Turns a failure into a page, where a page was requested. */
  toPage?: (failed: ApiAnswer) => ApiAnswer;
  /** The called MCP method, and its trace context. */
  called?: { readonly name: string; readonly traceparent?: string | undefined };
}

/**
 * The API as a pure function from request to answer. It never throws: a Failure becomes its status, anything else is
 * logged and becomes a 500 without details.
 */
export function createDispatcher(
  routes: readonly Route[],
  options: ApiOptions,
): (request: ApiRequest) => Promise<ApiAnswer> {
  const { log, settings } = options;
  const find = createTable(routes);
  const checkOrigin = createOriginCheck(settings);
  const authenticate = createAuthentication(options);
  const limits = createLimits(options);
  const audit = createAuditing(options);
  const schedule = createScheduler(settings);
  const turn = createTurns();
  const unreadOf = cachedFromManifest<Unread | undefined>(options.ports, ({ unread }) => unread, undefined);
  const reading = { ...options, turn, unreadOf };
  const reader = createReader(reading);
  const memory: ApiMemory = {
    turn,
    streams: createStreams(settings),
    ...withUpstream({ ...createReading(reading, reader), ...createPageReading(options.ports, reader) }, options.ports),
    count: createCounting(options),
    noteAgent: createAgentNotes(options),
    // Cached, as a status is polled.
    notesOf: cachedFromManifest(options.ports, ({ notes = [] }) => notes, []),
    unreadOf,
  };

  async function answer(request: ApiRequest, trace: Trace): Promise<ApiAnswer> {
    const place = find(request);
    const { audit: action } = place.methods?.get(request.method) ?? {};
    return audit(action, request, trace, (act) => answerAt(place, request, trace, act));
  }

  async function answerAt(
    { methods, inPath }: MatchedPath,
    sent: ApiRequest,
    trace: Trace,
    act: Act,
  ): Promise<ApiAnswer> {
    let request = sent;
    const routesOfPath = [...(methods?.values() ?? [])];
    const cors = checkOrigin(request, {
      forTemporalUi: routesOfPath.some((one) => one.forTemporalUi),
      // Prometheus asks each process at its own address. Pages that a browser was tricked into opening have no key.
      forProbes: routesOfPath.some(
        ({ forProbes, forLocal }) => forProbes || (forLocal && request.headers["authorization"] !== undefined),
      ),
      forPrograms: routesOfPath.some((one) => one.forPrograms),
    });
    Object.assign(trace.headers, cors);
    // This header chooses among the teamspaces of a user.
    if (options.issuer) trace.headers["Vary"] = [cors["Vary"], "X-Lectern-Teamspace"].filter(Boolean).join(", ");
    if (!methods) throw new Failure("route_not_found", `There is no ${showPath(request.path)}. See /api/openapi.json.`);
    const allowed = [...methods.keys(), ...(methods.has("GET") ? ["HEAD"] : [])];
    if (request.method === "OPTIONS" && cors["Access-Control-Allow-Origin"] !== undefined) {
      return { status: 204, headers: preflightHeaders(allowed), body: null };
    }
    const route = methods.get(request.method === "HEAD" ? "GET" : request.method);
    if (!route) {
      const message = `${showPath(request.path)} takes ${allowed.join(", ")}, not ${request.method}.`;
      throw new Failure("method_not_allowed", message, { allow: allowed });
    }
    trace.route = route;
    const { forBrowsers } = route;
    if (forBrowsers) {
      trace.toPage = (failed) => forBrowsers.failed(failed, request);
      request = await forBrowsers.enter(sent);
    }
    const hasBody = route.body?.announced(request) ?? false;
    const { caller, counted } = await admit(route, request, trace, act);
    if (forBrowsers) trace.toPage = (failed) => forBrowsers.failed(failed, request, caller);
    const work = (signal: AbortSignal) =>
      handle(route, { ...request, signal }, { caller, hasBody, inPath, trace, act });
    if (route.scope === "open") return work(request.signal);
    return schedule(route, { client: clientOf(caller, trace.address), counted, signal: request.signal }, work);
  }

  /** The answer of a route to an authorised caller. */
  async function handle(route: Route, request: ApiRequest, { caller, hasBody, inPath, trace, act }: Entered) {
    const missing = hasBody ? null : (route.body?.missing ?? null);
    if (missing !== null) throw new Failure("validation_error", `The request has no body. ${missing}`);
    const query = route.completeQuery?.(request) ?? request.query;
    const parameters = route.parameters && parseParameters(route.parameters, query, inPath);
    // Read after the checks: a body costs memory and time, which callers without a key or over their limit must not cause.
    const body = hasBody ? await route.body?.read(request, caller) : undefined;
    const called = route.called?.(body);
    if (called) trace.called = called;
    await act.begin(route.audit, [parameters, body]);
    return route.handler({
      request,
      caller,
      address: trace.address,
      recheck: () => recheck(route, request),
      identify: (authorization) => authenticate(authorization, request.headers["x-lectern-teamspace"]),
      callOperation: (method, path, input) =>
        callOperation(
          route,
          input.by ?? caller,
          trace,
          toRequest(request, method, path, input),
          input.by !== undefined,
        ),
      parameters,
      body,
      options,
      memory,
      act,
    });
  }

  /** Calls another operation as the same caller. Its scope and rate limit are checked too. */
  async function callOperation(
    from: Route,
    caller: Caller,
    trace: Trace,
    request: ApiRequest,
    isCounted = false,
  ): Promise<ApiAnswer> {
    try {
      const { methods, inPath } = find(request);
      const route = methods?.get(request.method);
      if (!route) throw new Error(`There is no ${request.method} ${request.path}.`);
      const scope = route.scope === "anonymous" ? "read" : route.scope;
      const mayBeAnonymous = route.scope === "anonymous" && settings.anonymous === "search";
      return await audit(route.audit, request, trace, async (act) => {
        act.by(caller);
        if (caller.keyId === null && scope !== "open" && !mayBeAnonymous) requireScope(caller, scope);
        if (route.limit !== from.limit && !isCounted) await count(route, caller, trace);
        if (caller.keyId !== null && scope !== "open") requireScope(caller, scope);
        const hasBody = route.body?.announced(request) ?? false;
        return handle(route, request, { caller, hasBody, inPath, trace, act });
      });
    } catch (error) {
      return answerError(error, request, trace.requestId);
    }
  }

  /**
   * Authenticates the caller, and checks the rate limit and the scope. Reads do not wait for the limit: `counted` rejects with a failure if
   * the request exceeds it.
   */
  async function admit(route: Route, request: ApiRequest, trace: Trace, act: Act) {
    const isOpen = route.scope === "open";
    if (isOpen || (route.forLocal && request.headers["authorization"] === undefined && isLocal(settings, request))) {
      await count(route, anonymous, trace);
      return { caller: anonymous, counted };
    }
    if (request.by) {
      trace.keyId = request.by.keyId;
      act.by(request.by);
      return { caller: request.by, counted };
    }
    let caller: Caller;
    try {
      const { headers } = request;
      const authorization = route.forPrograms ? agentAuthorization(headers) : headers["authorization"];
      caller = await authenticate(authorization, headers["x-lectern-teamspace"]);
    } catch (error) {
      // Invalid keys count for the IP address that sends them, which limits guessing.
      await count(route, anonymous, trace);
      throw error;
    }
    trace.keyId = caller.keyId;
    act.by(caller);
    // Agents start to sign in only on a 401.
    const signsIn = options.issuer !== undefined && route.forPrograms === true;
    const mayBeAnonymous = route.scope === "anonymous" && settings.anonymous === "search" && !signsIn;
    const scope = route.scope === "anonymous" ? "read" : route.scope;
    if (caller.keyId === null && !mayBeAnonymous) requireScope(caller, scope);
    const counting = count(route, caller, trace);
    const mayRead = caller.keyId === null || hasScope(caller, scope);
    if (route.isRead && mayRead && !hasScope(caller, "submit")) return { caller, counted: counting };
    await counting;
    if (caller.keyId !== null) requireScope(caller, scope);
    return { caller, counted };
  }

  /** Authenticates the caller again, as its key may have been revoked or have expired. */
  async function recheck({ scope }: Route, { headers }: ApiRequest): Promise<Caller> {
    const caller = await authenticate(headers.authorization, headers["x-lectern-teamspace"]);
    if (scope !== "open" && scope !== "anonymous") requireScope(caller, scope);
    return caller;
  }

  async function count(route: Route, caller: Caller, trace: Trace): Promise<void> {
    if (route.limit === null) return;
    const { headers, failure } = await limits.take(route.limit, caller, trace.address);
    Object.assign(trace.headers, headers);
    if (!failure) return;
    trace.limited = route.limit;
    throw failure;
  }

  function answerError(thrown: unknown, request: ApiRequest, requestId: string): ApiAnswer {
    const error = thrown instanceof Failure ? thrown : (diskFailure(thrown) ?? thrown);
    if (!(error instanceof Failure)) {
      log.error({ requestId, err: error }, "request failed unexpectedly");
      return failureAnswer(unexpectedFailure(requestId));
    }
    // Only the log has this: callers must not be able to distinguish a refusal from a missing library.
    if (error.details.byRule) log.info({ requestId }, "an access rule refused a request");
    if (failures[error.code].status >= 500) log.warn({ requestId, err: error }, "request failed");
    const plain = failureAnswer(error);
    const signIn = plain.status === 401 && options.issuer && { "WWW-Authenticate": challenge(options.issuer, request) };
    const { redirectUrl } = error.details;
    // Clients follow a redirect with GET; a library ID in the path cannot be replaced.
    const isRead = request.method === "GET" || request.method === "HEAD";
    const follows = isRead && settings.sendLocation && request.query.has("libraryId");
    const location = redirectUrl !== undefined && follows && locationOf(request, redirectUrl);
    return { ...plain, headers: { ...plain.headers, ...signIn, ...location } };
  }

  return async (sent) => {
    const request = withoutSlash(sent);
    const started = performance.now();
    const startedAt = Date.now();
    const requestId = randomUUID();
    const trace: Trace = { requestId, headers: {}, keyId: null, address: limits.address(request) };
    let answered: ApiAnswer;
    try {
      answered = await answer(request, trace);
    } catch (error) {
      const failed = answerError(error, request, requestId);
      answered = trace.toPage?.(failed) ?? failed;
    }
    const duration = performance.now() - started;
    options.telemetry?.answered({
      method: request.method,
      route: trace.route?.path ?? null,
      called: trace.called?.name,
      status: answered.status,
      startedAt,
      duration,
      limited: trace.limited,
      traceparent: trace.called?.traceparent ?? request.headers["traceparent"],
      runId: runOf(answered),
    });
    // Clients poll the status several times a second, which would flood the log.
    log[trace.route?.isPolled && answered.status < 400 ? "debug" : "info"](
      {
        requestId,
        method: request.method,
        path: showPath(request.path),
        status: answered.status,
        ms: Math.round(duration * 1000) / 1000,
        keyId: trace.keyId,
        address: trace.address,
      },
      "request",
    );
    const headers: Record<string, string> = {
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
      ...trace.headers,
      ...answered.headers,
      "X-Request-Id": requestId,
    };
    // It is relative to the path as sent, with the trailing slash.
    if (request !== sent && headers["Location"]?.startsWith("/") === false)
      headers["Location"] = `../${headers["Location"]}`;
    const vary = [trace.headers["Vary"], answered.headers["Vary"]].filter((names) => names !== undefined);
    if (vary.length > 0) headers["Vary"] = vary.join(", ");
    return { ...answered, headers };
  };
}

/** The run ID in an answer. */
function runOf({ body }: ApiAnswer): string | undefined {
  const runId = typeof body === "object" && body !== null && "runId" in body ? body.runId : undefined;
  return typeof runId === "string" ? runId : undefined;
}

const counted = Promise.resolve();

/** A request with its authorised caller. */
interface Entered {
  readonly caller: Caller;
  readonly hasBody: boolean;
  readonly inPath: MatchedPath["inPath"];
  readonly trace: Trace;
  readonly act: Act;
}

/** The Location header of a moved library. It is relative, as a proxy may add a prefix to our paths. */
function locationOf(request: ApiRequest, redirectUrl: string): Record<string, string> {
  const query = new URLSearchParams(request.query);
  query.set("libraryId", redirectUrl);
  return { Location: `${request.path.slice(request.path.lastIndexOf("/") + 1)}?${query.toString()}` };
}
