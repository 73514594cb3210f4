import { hash } from "node:crypto";

import type { createRemoteJWKSet, JWTPayload } from "jose";

import { Failure } from "../domain/failures.ts";

/** Whose tokens are believed, and how they are read. */
export interface Issuer {
  /** Its identifier, exactly as its tokens have it. */
  readonly issuer: string;
  /** The public address of this server, without a slash at its end. */
  readonly resource: string;
  /** Names of this server, one of which a token has to be made out to. */
  readonly audiences: readonly string[];
  /** The claim that names a user's groups, and the one that names the user. */
  readonly groupsClaim: string;
  readonly userClaim: string;
  /** Scopes that clients are told to ask the issuer for. */
  readonly scopes: readonly string[];
  /** A JSON document of the issuer's, over the guarded client. @throws Failure, or the signal's reason */
  readonly fetchJson: (url: URL, signal: AbortSignal) => Promise<unknown>;
  /** Takes why its keys could not be read again, while those from before are still believed. */
  readonly onProblem: (error: unknown) => void;
  readonly times?: Partial<KeyTimes>;
}

/** How long keys of an issuer are believed, in milliseconds. */
interface KeyTimes {
  /** Read again in the background once older than this; ten minutes by default. */
  readonly fresh: number;
  /** Not believed once older than this; an hour by default. */
  readonly kept: number;
  /** Shortest time between two attempts to read them for a key that is not known, or after a failure; 10 s by default. */
  readonly cooldown: number;
}

/** Who a token was made out for. */
export interface SignedIn {
  /** The same for all tokens of one user, and of no other; it tells nothing of the user. */
  readonly id: string;
  /** What rules and records name the user by. */
  readonly user: string;
  readonly groups: readonly string[];
}

/** Longest token that is looked at, in characters: about what one header has room for. */
const maxToken = 16_000;

/** Groups of one token that count, and the characters that the name of one may have. */
const maxGroups = 1000;
const maxName = 500;

/** Time for a document of the issuer, in milliseconds. */
const issuerTimeout = 5000;

const usualTimes: KeyTimes = { fresh: 600_000, kept: 3_600_000, cooldown: 10_000 };

/** How far clocks may differ, in seconds. */
const clockTolerance = 60;

/** Signatures by keys that only the issuer has: neither "none" nor any that is made with what the issuer publishes. */
const algorithms = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];

/** What an access token may say that it is (RFC 9068 §2.1), or that any JWT is: never a log-out token or the like. */
const types: readonly unknown[] = [undefined, "jwt", "at+jwt", "application/at+jwt"];

/** Whether it has the form of a JWT: three parts, the first of which is a JSON object in base64url. */
export function looksLikeToken(text: string): boolean {
  return text.length <= maxToken && /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/.test(text);
}

/**
 * Checks tokens of an issuer: signature, issuer, audience, expiry. The check
 * @throws Failure invalid_api_key for a token that is not right, service_unavailable where the issuer's keys cannot be read
 */
export function createTokenCheck(issuer: Issuer, now: () => number): (token: string) => Promise<SignedIn> {
  const keys = createKeys(issuer);
  return async (token) => {
    // Half a megabyte of code less where nobody signs in.
    const { errors, jwtVerify } = await import("jose");
    try {
      const { payload, protectedHeader } = await jwtVerify(
        token,
        async (header, parts) => (await keys())(header, parts),
        {
          issuer: issuer.issuer,
          audience: [...issuer.audiences],
          algorithms,
          clockTolerance,
          requiredClaims: ["sub", "exp"],
          currentDate: new Date(now()),
        },
      );
      if (!types.includes(protectedHeader.typ?.toLowerCase())) throw refused("is no access token");
      return toSignedIn(issuer, payload);
    } catch (error) {
      if (error instanceof Failure) throw error;
      if (error instanceof errors.JWKSTimeout) throw issuerAway(error);
      throw refused(reasonOf(error), error);
    }

    function reasonOf(error: unknown): string {
      if (error instanceof errors.JWTExpired) return "has expired";
      if (error instanceof errors.JWTClaimValidationFailed)
        return (
          { aud: "is for another server", iss: "is of another issuer", nbf: "is not valid yet" }[error.claim] ??
          "lacks what every token has"
        );
      return "cannot be verified";
    }
  };
}

type Keys = ReturnType<typeof createRemoteJWKSet>;

/** The issuer's keys: kept, read again in the background, and at once where a token names one that is not known. */
function createKeys({ issuer, fetchJson, onProblem, times }: Issuer): () => Promise<Keys> {
  const { fresh, kept, cooldown } = { ...usualTimes, ...times };
  let known: { readonly keys: Keys; readonly readAt: number } | undefined;
  let pending: Promise<Keys> | undefined;
  let triedAt = 0;

  async function read(url: URL, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>> {
    try {
      const document = await fetchJson(url, signal);
      if (typeof document === "object" && document !== null) return { ...document };
      throw new Error(`${url.href} is no JSON object.`);
    } catch (error) {
      throw issuerAway(error);
    }
  }

  /** Its address is in the issuer's description (OpenID Connect Discovery 1.0 §4), which has to name the issuer itself. */
  async function discover(): Promise<Keys> {
    const { createRemoteJWKSet, customFetch } = await import("jose");
    const described = await read(
      new URL(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`),
      AbortSignal.timeout(issuerTimeout),
    );
    const { jwks_uri: address } = described;
    if (described["issuer"] !== issuer) throw issuerAway(new Error("The issuer's description is that of another one."));
    const url = typeof address === "string" ? URL.parse(address) : null;
    if (url === null || (url.protocol !== "https:" && !issuer.startsWith("http:")))
      throw issuerAway(new Error("The issuer's description names no https address of its keys."));
    const keys = createRemoteJWKSet(url, {
      cacheMaxAge: kept,
      cooldownDuration: cooldown,
      timeoutDuration: issuerTimeout,
      [customFetch]: async (asked: string, { signal }: { signal: AbortSignal }) =>
        Response.json(await read(new URL(asked), signal)),
    });
    await keys.reload().catch((error: unknown) => {
      throw error instanceof Failure ? error : issuerAway(error);
    });
    return keys;
  }

  async function renew(): Promise<Keys> {
    triedAt = Date.now();
    pending ??= discover()
      .then((keys) => (known = { keys, readAt: Date.now() }).keys)
      .finally(() => (pending = undefined));
    return pending;
  }

  return async () => {
    const age = known === undefined ? Infinity : Date.now() - known.readAt;
    if (known === undefined || age > kept) return renew();
    if (age > fresh && Date.now() - triedAt >= cooldown) renew().catch(onProblem);
    return known.keys;
  };
}

function toSignedIn({ issuer, groupsClaim, userClaim }: Issuer, payload: JWTPayload): SignedIn {
  const { sub = "" } = payload;
  const user = claimOf(payload, userClaim);
  if (typeof user !== "string" || user === "" || user.length > maxName || sub === "")
    throw refused(`names no user (claim "${userClaim}")`);
  const groups = [claimOf(payload, groupsClaim)].flat().filter((one) => typeof one === "string");
  const named = groups.filter((one) => one !== "" && one.length <= maxName);
  // "*" stands for everybody who signs in: no token may say so of itself, and need not.
  const counted = named.filter((one) => one !== "*").slice(0, maxGroups);
  return {
    id: `user:${hash("sha256", JSON.stringify([issuer, sub]), "base64url").slice(0, 32)}`,
    user,
    groups: counted,
  };
}

/** A claim by its name, or by a path with dots, as in `realm_access.roles`. */
function claimOf(payload: JWTPayload, name: string): unknown {
  if (Object.hasOwn(payload, name)) return payload[name];
  let at: unknown = payload;
  for (const part of name.split(".")) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, part)) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[part];
  }
  return at;
}

function refused(what: string, cause?: unknown): Failure {
  return new Failure("invalid_api_key", `The token ${what}. Sign in again, or send an API key.`, { cause });
}

/** The reason is in the cause, for the log. */
function issuerAway(cause: unknown): Failure {
  const message = "The issuer of tokens does not answer as it should. Try again in a moment, or send an API key.";
  return new Failure("service_unavailable", message, { cause });
}
