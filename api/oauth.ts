import { hash } from "node:crypto";
import type { createRemoteJWKSet, JWTPayload } from "jose";
import { Failure } from "../domain/failures.ts";
import type { ApiRequest } from "./request.ts";

/** The trusted issuer of tokens, and how its tokens are read. */
export interface Issuer {
  /** Its identifier, exactly as in its tokens. */
  readonly issuer: string;
  /** The public address of this server, without a slash at its end. */
  readonly resource: string;
  /** Accepted audiences: a token needs one of them. */
  readonly audiences: readonly string[];
  /** Claims of the groups of a user, and of the user. */
  readonly groupsClaim: string;
  readonly userClaim: string;
  /** Scopes that clients request from the issuer. */
  readonly scopes: readonly string[];
  /** Fetches a JSON document of the issuer, over the guarded client. @throws Failure, or the signal's reason */
  readonly fetchJson: (url: URL, signal: AbortSignal) => Promise<unknown>;
  /** Called when its keys could not be refreshed, while the cached ones are still valid. */
  readonly onProblem: (error: unknown) => void;
  readonly times?: Partial<KeyTimes>;
}

/** Lifetimes of the keys of an issuer, in milliseconds. */
interface KeyTimes {
  /** Age at which they are refreshed in the background; ten minutes by default. */
  readonly fresh: number;
  /** Age at which they expire; an hour by default. */
  readonly kept: number;
  /** Minimum time between two reads for an unknown key, or after a failure; 10 s by default. */
  readonly cooldown: number;
}

/** The user of a token. */
export interface SignedIn {
  /** An ID without personal data. */
  readonly id: string;
  /** Name of the user in access rules and audit records. */
  readonly user: string;
  readonly groups: readonly string[];
}

/** Maximum length of a token, in characters: about the limit of a header. */
const maxToken = 16_000;

/** Maximum number of groups of a token, and maximum length of a group, in characters. */
const maxGroups = 1000;
const maxName = 500;

/** Timeout of a request to the issuer, in milliseconds. */
const issuerTimeout = 5000;

const defaultTimes: KeyTimes = { fresh: 600_000, kept: 3_600_000, cooldown: 10_000 };

/** Clock tolerance, in seconds. */
const clockTolerance = 60;

/** Asymmetric algorithms: neither "none" nor HMAC with a published key. */
const algorithms = "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519".split(" ");

/** Accepted `typ` headers: access tokens (RFC 9068 §2.1) and plain JWT, never log-out tokens or the like. */
const types: readonly unknown[] = [undefined, "jwt", "at+jwt", "application/at+jwt"];

/** Whether a text looks like a JWT: three parts, the first of which is a JSON object in base64url. */
export function looksLikeToken(text: string): boolean {
  return text.length <= maxToken && /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/.test(text);
}

/**
 * Checks tokens of an issuer: signature, issuer, audience, expiry. The check
 * @throws Failure invalid_api_key for an invalid token, service_unavailable where the issuer's keys cannot be read
 */
export function createTokenCheck(issuer: Issuer, now: () => number): (token: string) => Promise<SignedIn> {
  const keys = createKeys(issuer);
  return async (token) => {
    // Loaded on demand: half a megabyte of code.
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
      if (!types.includes(protectedHeader.typ?.toLowerCase())) throw refused("is not an access token");
      return toSignedIn(issuer, payload);
    } catch (error) {
      if (error instanceof Failure) throw error;
      if (error instanceof errors.JWKSTimeout) throw issuerUnavailable(error);
      throw refused(reasonOf(error), error);
    }

    function reasonOf(error: unknown): string {
      if (error instanceof errors.JWTExpired) return "has expired";
      if (error instanceof errors.JWTClaimValidationFailed)
        return (
          { aud: "is for another server", iss: "is of another issuer", nbf: "is not valid yet" }[error.claim] ??
          "lacks a required claim"
        );
      return "cannot be verified";
    }
  };
}

type Keys = ReturnType<typeof createRemoteJWKSet>;

/** The issuer's keys, cached. They are refreshed in the background, and at once for an unknown key. */
function createKeys({ issuer, fetchJson, onProblem, times }: Issuer): () => Promise<Keys> {
  const { fresh, kept, cooldown } = { ...defaultTimes, ...times };
  let known: { readonly keys: Keys; readonly readAt: number } | undefined;
  let pending: Promise<Keys> | undefined;
  let triedAt = 0;

  async function read(url: URL, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>> {
    try {
      const document = await fetchJson(url, signal);
      if (typeof document === "object" && document !== null) return { ...document };
      throw new Error(`${url.href} is not a JSON object.`);
    } catch (error) {
      throw issuerUnavailable(error);
    }
  }

  /** The address of the keys is in the issuer's metadata (OpenID Connect Discovery 1.0 §4), which has to name the issuer. */
  async function discover(): Promise<Keys> {
    const { createRemoteJWKSet, customFetch } = await import("jose");
    const { issuer: named, jwks_uri: address } = await read(
      new URL(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`),
      AbortSignal.timeout(issuerTimeout),
    );
    if (named !== issuer) throw issuerUnavailable(new Error("The issuer's metadata names another issuer."));
    const url = typeof address === "string" ? URL.parse(address) : null;
    if (url === null || (url.protocol !== "https:" && !issuer.startsWith("http:")))
      throw issuerUnavailable(new Error("The issuer's metadata has no https address of its keys."));
    const keys = createRemoteJWKSet(url, {
      cacheMaxAge: kept,
      cooldownDuration: cooldown,
      timeoutDuration: issuerTimeout,
      [customFetch]: async (keysUrl: string, { signal }: { signal: AbortSignal }) =>
        Response.json(await read(new URL(keysUrl), signal)),
    });
    await keys.reload().catch((error: unknown) => {
      throw error instanceof Failure ? error : issuerUnavailable(error);
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
  const claimed = [claimOf(payload, groupsClaim)].flat().filter((group) => typeof group === "string");
  // "*" means every user who signs in, so a token must not claim it.
  const groups = claimed.filter((group) => group !== "" && group !== "*" && group.length <= maxName);
  return {
    id: `user:${hash("sha256", JSON.stringify([issuer, sub]), "base64url").slice(0, 32)}`,
    user,
    groups: groups.slice(0, maxGroups),
  };
}

/** A claim by name, or by a path with dots, such as `realm_access.roles`. */
function claimOf(payload: JWTPayload, name: string): unknown {
  if (Object.hasOwn(payload, name)) return payload[name];
  let claim: unknown = payload;
  for (const part of name.split(".")) {
    if (typeof claim !== "object" || claim === null || !Object.hasOwn(claim, part)) return undefined;
    claim = (claim as Readonly<Record<string, unknown>>)[part];
  }
  return claim;
}

function refused(what: string, cause?: unknown): Failure {
  return new Failure("invalid_api_key", `The token ${what}. Sign in again, or send an API key.`, { cause });
}

/** The failure when the issuer's keys cannot be read. The reason is in the cause, for the log. */
function issuerUnavailable(cause: unknown): Failure {
  const message = "The issuer of tokens does not answer as it should. Try again in a moment, or send an API key.";
  return new Failure("service_unavailable", message, { cause });
}

/** Path of the protected resource metadata (RFC 9728 §3). */
export const metadataPath = "/.well-known/oauth-protected-resource";

/** Paths of the protected resources: the server, its API, and MCP. */
export const resourcePaths = ["", "/mcp", "/api", "/api/mcp"] as const;

/**
 * The WWW-Authenticate header of a 401 (RFC 6750 §3, RFC 9728 §5.1): where to sign in, with which scopes, and whether the sent
 * token was invalid.
 */
export function challenge(issuer: Issuer, { path, headers }: Pick<ApiRequest, "path" | "headers">): string {
  const resource = path === "/mcp" || path === "/api/mcp" ? path : "";
  const parts = [
    `resource_metadata="${issuer.resource}${metadataPath}${resource}"`,
    ...(issuer.scopes.length > 0 ? [`scope="${issuer.scopes.join(" ")}"`] : []),
    ...(headers["authorization"] === undefined ? [] : [`error="invalid_token"`]),
  ];
  return `Bearer ${parts.join(", ")}`;
}
