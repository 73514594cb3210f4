import { randomBytes } from "node:crypto";

import * as z from "zod";

import { isSame } from "../keys.ts";
import type { ApiRequest } from "../request.ts";
import { Failure } from "../../domain/failures.ts";

/** Lifetime of a session, in milliseconds; it ends earlier with its key. */
const lifetime = 7 * 24 * 3_600_000;
/** Lifetime of a sign-in form, in milliseconds. */
const formLifetime = 3_600_000;
/** Lifetime of a flash message, in seconds. */
const flashLifetime = 60;
/** Lifetime of an attempt to sign in with the issuer, in milliseconds. */
const attemptLifetime = 600_000;
/** Maximum length of a cookie in all browsers, in characters, and maximum cookies of a session: requests have at most 16 kB of headers. */
const maxCookie = 3600;
const maxParts = 3;

const sessionSchema = z.object({
  /** Distinguishes sessions from other texts sealed with the same keys. */
  use: z.literal("session"),
  /** It stays the same when tokens are refreshed; absent: the session is older than IDs. */
  id: z.string().optional(),
  formToken: z.string(),
  until: z.number(),
  authorization: z.string().optional(),
  teamspace: z.string().optional(),
  refresh: z.string().optional(),
});
const attemptSchema = z.object({
  use: z.literal("attempt"),
  until: z.number(),
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  to: z.string(),
});
const flashSchema = z.object({ use: z.literal("said"), message: z.string() });

/** An attempt to sign in with the issuer, with the path to return to. */
export type SignInAttempt = Omit<z.infer<typeof attemptSchema>, "use" | "until">;

/** The sealed content of the session cookie. Without an authorization it only protects the sign-in form. */
export type Session = z.infer<typeof sessionSchema>;

/** The part of a request that has cookies. */
type WithHeaders = Pick<ApiRequest, "headers">;

/** Seals cookies, so that browsers can neither read nor forge them. */
export interface Sealing {
  seal(plain: string): string;
  /** @throws Failure for text that was not sealed by it */
  open(sealed: string): string;
}

/** Remembers ended sessions, for all processes. Times are in milliseconds since 1970. */
export interface EndedSessions {
  /** Ends a session. `until` is the end of validity of its cookies. Idempotent. */
  end(id: string, until: number): Promise<void>;
  isEnded(id: string): Promise<boolean>;
}

/** Reads and creates the cookies of the dashboard. */
export interface Sessions {
  /** The session of a request, possibly an ended one; undefined without a valid cookie. */
  of(request: WithHeaders): Session | undefined;
  /** A new session with its cookies. Without `authorization` it is for the sign-in form. */
  begin(
    request: WithHeaders,
    who?: Pick<Session, "id" | "authorization" | "teamspace" | "refresh"> & {
      /** Seconds until it expires, if less than a week. */
      readonly expiresIn?: number;
    },
  ): { readonly session: Session; readonly cookies: readonly string[] };
  /** The browser's pending attempt to sign in; undefined: none, or expired. */
  attempt(request: WithHeaders): SignInAttempt | undefined;
  /** The cookie of an attempt; without one the cookie that deletes it. */
  keepAttempt(request: WithHeaders, attempt?: SignInAttempt): string;
  /** The request without the cookies of an ended session. */
  withoutEnded<Request extends WithHeaders>(request: Request): Promise<Request>;
  /** Ends the session of a request, for every copy of its cookies. Returns cookies that delete it. */
  end(request: WithHeaders): Promise<readonly string[]>;
  /** The flash message of the last form; undefined: none. */
  flash(request: WithHeaders): string | undefined;
  /** The cookie of a flash message; without one the cookie that deletes it. */
  keepFlash(request: WithHeaders, message?: string): string;
}

/**
 * Creates sessions in cookies, sealed with the key ring of credentials. `ended` has the IDs of ended ones. `publicUrl` shows whether browsers
 * use HTTPS.
 */
export function createSessions(
  secrets: Sealing,
  ended: EndedSessions,
  now: () => number,
  publicUrl: string | null,
): Sessions {
  function open<T>(schema: z.ZodType<T>, sealed: string | undefined): T | undefined {
    if (sealed === undefined) return undefined;
    try {
      return schema.safeParse(JSON.parse(secrets.open(sealed))).data;
    } catch (error) {
      // Sealed with a removed key, or forged: the visitor must sign in.
      if (error instanceof Failure || error instanceof SyntaxError) return undefined;
      throw error;
    }
  }

  const isSecure = ({ headers }: WithHeaders): boolean => publicUrl?.startsWith("https:") ?? isHttps(headers);

  /** Cookies are shared by all ports of a host, so two servers on a machine need different names. */
  function nameOf(request: WithHeaders, what: string): string {
    const port = /:(\d{1,5})$/.exec(request.headers["host"] ?? "")?.[1] ?? "";
    return `${isSecure(request) ? "__Host-" : ""}lectern-${what}${port === "" ? "" : `-${port}`}`;
  }

  function cookieOf(request: WithHeaders, what: string): string | undefined {
    const name = nameOf(request, what).replace(/^__Host-/, "");
    const cookies = (request.headers["cookie"] ?? "").split(";").map((cookie) => cookie.trim());
    const matches = [`__Host-${name}=`, `${name}=`].map((head) => cookies.find((cookie) => cookie.startsWith(head)));
    return matches.find((cookie) => cookie !== undefined)?.replace(/^[^=]*=/, "");
  }

  /** The sealed text of a session, from all of its cookies. */
  function whole(request: WithHeaders): string | undefined {
    const first = cookieOf(request, "session");
    const count = Number(/^([2-9])~/.exec(first ?? "")?.[1] ?? 1);
    const more = Array.from(
      { length: Math.min(count, maxParts) - 1 },
      (_, at) => cookieOf(request, `session${at + 1}`) ?? "",
    );
    return first && [first.replace(/^[2-9]~/, ""), ...more].join("");
  }

  const cookie = (request: WithHeaders, what: string, value: string, seconds: number): string =>
    `${nameOf(request, what)}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}${isSecure(request) ? "; Secure" : ""}`;

  function sessionOf(request: WithHeaders): Session | undefined {
    const session = open(sessionSchema, whole(request));
    return session && session.until > now() ? session : undefined;
  }

  /** The ID of the session of a request that is signed in; undefined: none. */
  function signedIn(request: WithHeaders): string | undefined {
    const session = sessionOf(request);
    return session?.authorization === undefined ? undefined : (session.id ?? session.formToken);
  }

  return {
    of: sessionOf,
    async withoutEnded(request) {
      const id = signedIn(request);
      if (id === undefined || !(await ended.isEnded(id))) return request;
      const kept = (request.headers["cookie"] ?? "").split(";").filter((cookie) => !sessionCookie.test(cookie));
      return { ...request, headers: { ...request.headers, cookie: kept.join(";") } };
    },
    begin(request, { expiresIn, ...who } = {}) {
      const longest = who.authorization === undefined ? formLifetime : lifetime;
      const life = expiresIn === undefined ? longest : Math.min(longest, Math.max(1, Math.floor(expiresIn)) * 1000);
      const formToken = randomBytes(24).toString("base64url");
      const id = randomBytes(16).toString("base64url");
      const session: Session = { use: "session", id, formToken, until: now() + life, ...who };
      const parts = partsOf(secrets.seal(JSON.stringify(session)));
      const cookies = parts.map((part, at) =>
        cookie(request, at === 0 ? "session" : `session${at}`, part, life / 1000),
      );
      return { session, cookies };
    },
    async end(request) {
      const id = signedIn(request);
      if (id !== undefined) await ended.end(id, now() + lifetime);
      // It is not always known which of the two names a request has.
      const gone = "=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0";
      const names = Array.from({ length: maxParts }, (_, at) => `session${at === 0 ? "" : at}`);
      return names
        .filter((what, at) => at === 0 || cookieOf(request, what) !== undefined)
        .map((what) => nameOf(request, what).replace(/^__Host-/, ""))
        .flatMap((name) => [`${name}${gone}`, `__Host-${name}${gone}; Secure`]);
    },
    attempt(request) {
      const { use: _use, until = 0, ...attempt } = open(attemptSchema, cookieOf(request, "attempt")) ?? {};
      return until > now() ? (attempt as SignInAttempt) : undefined;
    },
    keepAttempt(request, attempt) {
      if (attempt === undefined) return cookie(request, "attempt", "", 0);
      const kept = { use: "attempt", until: now() + attemptLifetime, ...attempt };
      return cookie(request, "attempt", secrets.seal(JSON.stringify(kept)), attemptLifetime / 1000);
    },
    flash: (request) => open(flashSchema, cookieOf(request, "said"))?.message,
    keepFlash(request, message) {
      if (message === undefined) return cookie(request, "said", "", 0);
      const sealed = secrets.seal(JSON.stringify({ use: "said", message: message.slice(0, 1000) }));
      return cookie(request, "said", sealed, flashLifetime);
    },
  };
}

const sessionCookie = /^\s*(?:__Host-)?lectern-session\d?(?:-\d+)?=/;

/**
 * Splits sealed text into cookies; the first has their number.
 * @throws Failure forbidden for text that is too long
 */
function partsOf(sealed: string): readonly string[] {
  const parts = sealed.match(new RegExp(`.{1,${maxCookie}}`, "g")) ?? [];
  if (parts.length > maxParts)
    throw new Failure(
      "forbidden",
      "The issuer's tokens are too long for a session. Configure it to leave out groups and claims that are not needed here.",
    );
  return parts.length === 1 ? parts : parts.map((part, at) => (at === 0 ? `${parts.length}~${part}` : part));
}

/** The address at which the visitor reaches this server. */
export function servedAddress({ headers }: WithHeaders, { publicUrl }: { readonly publicUrl: string | null }): string {
  if (publicUrl !== null) return publicUrl.replace(/\/$/, "");
  return `${isHttps(headers) ? "https" : "http"}://${headers["host"] ?? ""}`;
}

function isHttps(headers: WithHeaders["headers"]): boolean {
  return headers["origin"]?.startsWith("https:") === true || headers["x-forwarded-proto"] === "https";
}

/** Whether a form has the CSRF token of its session. */
export function hasFormToken(session: Session | undefined, sent: string | undefined): boolean {
  return session !== undefined && sent !== undefined && isSame(session.formToken, sent);
}

/** The redirect target after signing in: a path of this server, else the start page. */
export function localPath(path: string | undefined): string {
  return path !== undefined && /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(path) ? path : "/";
}

/**
 * Refuses cross-site forms, by the headers of the browser.
 * @throws Failure forbidden
 */
export function requireOwnForm({ headers }: WithHeaders, publicUrl: string | null): void {
  const { origin, host = "" } = headers;
  const site = headers["sec-fetch-site"];
  const own =
    publicUrl === null ? [`http://${host}`, `https://${host}`] : [new URL(publicUrl).origin, `http://${host}`];
  const isOwn = origin === undefined ? site === "same-origin" : own.includes(origin);
  if (isOwn && (site === undefined || site === "same-origin")) return;
  throw new Failure(
    "forbidden",
    "This form was not sent from a page of this server. Open the page here, and send the form again.",
  );
}
