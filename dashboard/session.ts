import { randomBytes, timingSafeEqual } from "node:crypto";

import * as z from "zod";

import type { ApiRequest } from "../api/request.ts";
import { Failure } from "../domain/failures.ts";

/** How long a session lasts, in milliseconds; it ends earlier where its key is revoked or expires. */
const lifetime = 7 * 24 * 3_600_000;
/** How long a sign-in form may be left open, in milliseconds. */
const formLifetime = 3_600_000;
/** How long a message waits for the page that shows it, in seconds. */
const saidLifetime = 60;
/** How long somebody may take to sign in with the issuer, in milliseconds. */
const attemptLifetime = 600_000;
/** Characters of a cookie's value that every browser keeps, and how many cookies a session may have: requests have 16 kB of headers. */
const maxCookie = 3600;
const maxParts = 3;

const sessionSchema = z.object({
  /** What else is sealed with the same keys is no session. */
  use: z.literal("session"),
  /** What forms of this session have to send. */
  formToken: z.string(),
  until: z.number(),
  authorization: z.string().optional(),
  /** Of the teamspaces of somebody who signed in, the one that is looked at. */
  teamspace: z.string().optional(),
  /** What the issuer renews the token with. */
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
const saidSchema = z.object({ use: z.literal("said"), message: z.string() });

/** An attempt to sign in with the issuer, until the browser is back, and where it leads. */
export type SignInAttempt = Omit<z.infer<typeof attemptSchema>, "use" | "until">;

/** What a browser's cookie holds, sealed. Without an authorization nobody is signed in: it guards the form that signs in. */
export type Session = z.infer<typeof sessionSchema>;

/** What seals cookies, so that browsers can neither read nor make them. */
export interface Sealing {
  seal(plain: string): string;
  /** @throws Failure for what it has not sealed */
  open(sealed: string): string;
}

/** Reads and makes the cookies of the dashboard. */
export interface Sessions {
  /** The session of a request; undefined without a cookie that is right. */
  of(request: Pick<ApiRequest, "headers">): Session | undefined;
  /** A new session, and the cookie that it is kept in. Without `authorization` it is for the form that signs in. */
  begin(
    request: Pick<ApiRequest, "headers">,
    who?: Pick<Session, "authorization" | "teamspace" | "refresh"> & {
      /** Seconds until it ends, where that is before a week. */
      readonly expiresIn?: number;
    },
  ): {
    readonly session: Session;
    /** The first of `cookies`, which is the only one unless a token is long. */
    readonly cookie: string;
    readonly cookies: readonly string[];
  };
  /** The attempt to sign in that this browser has begun; undefined without one that is new. */
  attempt(request: Pick<ApiRequest, "headers">): SignInAttempt | undefined;
  /** The cookie that keeps an attempt; without one the cookie that forgets it. */
  keepAttempt(request: Pick<ApiRequest, "headers">, attempt?: SignInAttempt): string;
  /** Cookies that end a session. */
  end(request: Pick<ApiRequest, "headers">): readonly string[];
  /** What the last form did, to be shown once; undefined where nothing waits. */
  said(request: Pick<ApiRequest, "headers">): string | undefined;
  /** The cookie that keeps a message for the next page; without one the cookie that forgets it. */
  say(request: Pick<ApiRequest, "headers">, message?: string): string;
}

/** Sessions are nowhere but in their cookies, sealed with the keys that seal credentials. `publicUrl` says whether browsers use HTTPS. */
export function createSessions(secrets: Sealing, now: () => number, publicUrl: string | null): Sessions {
  function open<T>(schema: z.ZodType<T>, sealed: string | undefined): T | undefined {
    if (sealed === undefined) return undefined;
    try {
      return schema.safeParse(JSON.parse(secrets.open(sealed))).data;
    } catch (error) {
      // Sealed with a key that is gone, or made up: whoever sends it has to sign in.
      if (error instanceof Failure || error instanceof SyntaxError) return undefined;
      throw error;
    }
  }

  const isSecure = ({ headers }: Pick<ApiRequest, "headers">): boolean =>
    publicUrl?.startsWith("https:") ??
    (headers["origin"]?.startsWith("https:") === true || headers["x-forwarded-proto"] === "https");

  /** Cookies are for all ports of a host: two servers of one machine keep theirs apart by name. */
  function nameOf(request: Pick<ApiRequest, "headers">, what: string): string {
    const port = /:(\d{1,5})$/.exec(request.headers["host"] ?? "")?.[1] ?? "";
    return `${isSecure(request) ? "__Host-" : ""}lectern-${what}${port === "" ? "" : `-${port}`}`;
  }

  function cookieOf(request: Pick<ApiRequest, "headers">, what: string): string | undefined {
    const name = nameOf(request, what).replace(/^__Host-/, "");
    const cookies = (request.headers["cookie"] ?? "").split(";").map((cookie) => cookie.trim());
    const found = [`__Host-${name}=`, `${name}=`].map((head) => cookies.find((cookie) => cookie.startsWith(head)));
    return found.find((cookie) => cookie !== undefined)?.replace(/^[^=]*=/, "");
  }

  /** What is sealed of a session, from all of its cookies. */
  function whole(request: Pick<ApiRequest, "headers">): string | undefined {
    const first = cookieOf(request, "session");
    const count = Number(/^([2-9])~/.exec(first ?? "")?.[1] ?? 1);
    const more = Array.from(
      { length: Math.min(count, maxParts) - 1 },
      (_, at) => cookieOf(request, `session${at + 1}`) ?? "",
    );
    return first && [first.replace(/^[2-9]~/, ""), ...more].join("");
  }

  const cookie = (request: Pick<ApiRequest, "headers">, what: string, value: string, seconds: number): string =>
    `${nameOf(request, what)}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}${isSecure(request) ? "; Secure" : ""}`;

  return {
    of(request) {
      const session = open(sessionSchema, whole(request));
      return session && session.until > now() ? session : undefined;
    },
    begin(request, { expiresIn, ...who } = {}) {
      const longest = who.authorization === undefined ? formLifetime : lifetime;
      const life = expiresIn === undefined ? longest : Math.min(longest, Math.max(1, Math.floor(expiresIn)) * 1000);
      const formToken = randomBytes(24).toString("base64url");
      const session: Session = { use: "session", formToken, until: now() + life, ...who };
      const parts = partsOf(secrets.seal(JSON.stringify(session)));
      const cookies = parts.map((part, at) =>
        cookie(request, at === 0 ? "session" : `session${at}`, part, life / 1000),
      );
      return { session, cookie: cookies[0] ?? "", cookies };
    },
    end(request) {
      // By which of the two names it is there, is not known of every request.
      const ended = "=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0";
      const names = Array.from({ length: maxParts }, (_, at) => `session${at === 0 ? "" : at}`);
      return names
        .filter((what, at) => at === 0 || cookieOf(request, what) !== undefined)
        .map((what) => nameOf(request, what).replace(/^__Host-/, ""))
        .flatMap((name) => [`${name}${ended}`, `__Host-${name}${ended}; Secure`]);
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
    said: (request) => open(saidSchema, cookieOf(request, "said"))?.message,
    say(request, message) {
      if (message === undefined) return cookie(request, "said", "", 0);
      const sealed = secrets.seal(JSON.stringify({ use: "said", message: message.slice(0, 1000) }));
      return cookie(request, "said", sealed, saidLifetime);
    },
  };
}

/**
 * What is sealed, in parts that browsers keep; the first says how many there are.
 * @throws Failure forbidden for what is too long for all of them
 */
function partsOf(sealed: string): readonly string[] {
  const parts = sealed.match(new RegExp(`.{1,${maxCookie}}`, "g")) ?? [];
  if (parts.length > maxParts)
    throw new Failure(
      "forbidden",
      "The issuer's tokens are too long for a session. Have it leave out groups and claims that are not needed here.",
    );
  return parts.length === 1 ? parts : parts.map((part, at) => (at === 0 ? `${parts.length}~${part}` : part));
}

/** Whether a form came with the token of its session. */
export function hasFormToken(session: Session | undefined, sent: string | undefined): boolean {
  if (session === undefined || sent === undefined) return false;
  const [a, b] = [Buffer.from(session.formToken), Buffer.from(sent)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Where a browser may be sent after it signed in: a path of this server, else the start page. */
export function localPath(path: string | undefined): string {
  return path !== undefined && /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(path) ? path : "/";
}

/**
 * Keeps pages of others from sending forms here: a browser says where a form comes from.
 * @throws Failure forbidden
 */
export function requireOwnForm({ headers }: Pick<ApiRequest, "headers">, publicUrl: string | null): void {
  const { origin, host = "" } = headers;
  const site = headers["sec-fetch-site"];
  const own =
    publicUrl === null ? [`http://${host}`, `https://${host}`] : [new URL(publicUrl).origin, `http://${host}`];
  const isOwn = origin === undefined ? site === "same-origin" : own.includes(origin);
  if (isOwn && (site === undefined || site === "same-origin")) return;
  throw new Failure(
    "forbidden",
    "This form was not sent by a page of this server. Open the page here, and send it again.",
  );
}
