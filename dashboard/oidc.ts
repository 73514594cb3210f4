import type * as OpenIdClient from "openid-client";
import type { Configuration, CustomFetch } from "openid-client";

import { Failure } from "../domain/failures.ts";

/** How people sign in with the issuer of tokens. */
export interface OidcOptions {
  /** Identifier of the issuer. */
  readonly issuer: string;
  readonly clientId: string;
  /** Null: a public client, which PKCE alone secures. */
  readonly clientSecret: string | null;
  /** Beside `openid`. */
  readonly scopes: readonly string[];
  /** What tokens are asked for: this server's address, or the name that the issuer has for it. */
  readonly audience: { readonly resource: string } | { readonly audience: string };
  /** Where browsers come back to. */
  readonly redirectUri: string;
  /** Asks the issuer, over the guarded client. */
  readonly fetch: (url: string, init: IssuerRequest) => Promise<Response>;
}

/** One request to the issuer. */
export interface IssuerRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/** What is kept of one attempt to sign in until the browser is back. */
export interface Attempt {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** What somebody is signed in with. */
export interface Tokens {
  readonly access: string;
  readonly refresh?: string;
  /** Seconds until the access token ends; absent: the issuer does not say. */
  readonly expiresIn?: number;
}

/** The authorization code flow with PKCE, state and nonce (OpenID Connect Core 1.0 §3.1, RFC 7636). */
export interface Oidc {
  /** Where the browser is sent, and what is to be kept until it is back. @throws Failure service_unavailable */
  begin(): Promise<{ readonly url: string; readonly attempt: Attempt }>;
  /** What the query that the browser came back with is worth. @throws Failure forbidden, service_unavailable */
  finish(query: URLSearchParams, attempt: Attempt): Promise<Tokens>;
  /** New tokens for old ones. @throws Failure forbidden, service_unavailable */
  renew(refresh: string): Promise<Tokens>;
}

/** How long the issuer's description is believed, in milliseconds. */
const described = 600_000;
/** Time for an answer of the issuer, in seconds. */
const timeout = 5;

/** Signing in with an issuer. It is asked nothing before somebody does. */
export function createOidc(options: OidcOptions): Oidc {
  const { issuer, clientId, clientSecret, scopes, audience, redirectUri } = options;
  let known: { readonly config: Promise<Configuration>; readonly until: number } | undefined;

  const customFetch: CustomFetch = async (url, { method, headers, body, signal }) => {
    if (body !== undefined && body !== null && typeof body !== "string" && !(body instanceof URLSearchParams))
      throw new TypeError("The issuer is sent forms only.");
    return options.fetch(url, { method, headers, body: body?.toString(), signal });
  };

  async function discover(): Promise<Configuration> {
    const client = await import("openid-client");
    const auth = clientSecret === null ? client.None() : undefined;
    // An issuer without TLS is one on this machine: the settings take no other.
    const plain = issuer.startsWith("http:") ? [client.allowInsecureRequests] : [];
    const config = await client.discovery(new URL(issuer), clientId, clientSecret ?? undefined, auth, {
      [client.customFetch]: customFetch,
      execute: [...plain, client.enableNonRepudiationChecks],
      timeout,
    });
    config[client.customFetch] = customFetch;
    return config;
  }

  async function configuration(): Promise<Configuration> {
    if (known === undefined || Date.now() > known.until) {
      const made = { config: discover(), until: Date.now() + described };
      known = made;
      made.config.catch(() => {
        if (known === made) known = undefined;
      });
    }
    return known.config.catch((cause: unknown) => {
      throw away(cause);
    });
  }

  return {
    async begin() {
      const client = await import("openid-client");
      const config = await configuration();
      const verifier = client.randomPKCECodeVerifier();
      const attempt = { state: client.randomState(), nonce: client.randomNonce(), verifier };
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: ["openid", ...scopes.filter((one) => one !== "openid")].join(" "),
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
        state: attempt.state,
        nonce: attempt.nonce,
        ...audience,
      });
      return { url: url.href, attempt };
    },
    async finish(query, { state, nonce, verifier }) {
      const client = await import("openid-client");
      const config = await configuration();
      const back = new URL(redirectUri);
      back.search = query.toString();
      const checks = {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      };
      return toTokens(
        await client.authorizationCodeGrant(config, back, checks, { ...audience }).catch((error: unknown) => {
          throw refusal(client, error);
        }),
      );
    },
    async renew(refresh) {
      const client = await import("openid-client");
      const config = await configuration();
      const tokens = toTokens(
        await client.refreshTokenGrant(config, refresh, { ...audience }).catch((error: unknown) => {
          throw refusal(client, error);
        }),
      );
      // An issuer that rotates none leaves the one from before in force (RFC 6749 §6).
      return { refresh, ...tokens };
    },
  };
}

function toTokens({
  access_token: access,
  refresh_token: refresh,
  expires_in: expiresIn,
}: {
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly expires_in?: number;
}): Tokens {
  return { access, ...(refresh !== undefined && { refresh }), ...(expiresIn !== undefined && { expiresIn }) };
}

/** What the issuer refused is told by its code alone: its words are anybody's. */
function refusal(client: typeof OpenIdClient, error: unknown): Failure {
  if (error instanceof client.AuthorizationResponseError || error instanceof client.ResponseBodyError) {
    const code = /^[\w-]{1,60}$/.test(error.error) ? ` (${error.error})` : "";
    return new Failure("forbidden", `The issuer did not let you in${code}. Try again, or sign in with a key.`, {
      cause: error,
    });
  }
  const isAnswer = error instanceof client.ClientError && error.code !== "OAUTH_TIMEOUT";
  // What could not be had at all; whatever else was answered is not right.
  if (!isAnswer && !(error instanceof Error && error.name === "OperationProcessingError")) return away(error);
  const message =
    "What the issuer answered is not right: it is forged, too old, or meant for somebody else. Sign in again.";
  return new Failure("forbidden", message, { cause: error });
}

function away(cause: unknown): Failure {
  const message = "The issuer does not answer as it should. Try again in a moment, or sign in with a key.";
  return new Failure("service_unavailable", message, { cause });
}
