import type * as OpenIdClient from "openid-client";
import type { Configuration, CustomFetch, TokenEndpointResponse } from "openid-client";

import { Failure } from "../../domain/failures.ts";
import type { SignInAttempt } from "./session.ts";

/** Options of signing in with the issuer. */
export interface OidcOptions {
  readonly issuer: string;
  readonly clientId: string;
  /** Null: a public client, secured by PKCE alone. */
  readonly clientSecret: string | null;
  /** Scopes in addition to `openid`. */
  readonly scopes: readonly string[];
  /** Audience of tokens: the address of this server, or its name at the issuer. */
  readonly audience: { readonly resource: string } | { readonly audience: string };
  readonly redirectUri: string;
  /** Sends a request to the issuer, over the guarded client. */
  readonly fetch: (url: string, init: IssuerRequest) => Promise<Response>;
}

/** A request to the issuer. */
export interface IssuerRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/** State of an attempt to sign in until the browser returns. */
type Attempt = Omit<SignInAttempt, "to">;

/** The tokens of a user. */
export interface Tokens {
  readonly access: string;
  readonly refresh?: string;
  /** Seconds until the access token expires; absent: unknown. */
  readonly expiresIn?: number;
}

/** The authorization code flow with PKCE, state and nonce (OpenID Connect Core 1.0 §3.1, RFC 7636). */
export interface Oidc {
  /** The authorization URL, and the state to keep. @throws Failure service_unavailable */
  begin(): Promise<{ readonly url: string; readonly attempt: Attempt }>;
  /** Exchanges the query of the returning browser for tokens. @throws Failure forbidden, service_unavailable */
  finish(query: URLSearchParams, attempt: Attempt): Promise<Tokens>;
  /** Refreshes tokens. @throws Failure forbidden, service_unavailable */
  renew(refresh: string): Promise<Tokens>;
}

/** Cache lifetime of the issuer's metadata, in milliseconds. */
const metadataLifetime = 600_000;
/** Timeout of a request to the issuer, in seconds. */
const timeout = 5;

/** Signing in with an issuer. The first attempt sends the first request. */
export function createOidc(options: OidcOptions): Oidc {
  const { issuer, clientId, clientSecret, scopes, audience, redirectUri } = options;
  let known: { readonly config: Promise<Configuration>; readonly until: number } | undefined;

  const customFetch: CustomFetch = async (url, { method, headers, body, signal }) => {
    if (body !== undefined && body !== null && typeof body !== "string" && !(body instanceof URLSearchParams))
      throw new TypeError("Requests to the issuer must be forms.");
    return options.fetch(url, { method, headers, body: body?.toString(), signal });
  };

  async function discover(): Promise<Configuration> {
    const client = await import("openid-client");
    const auth = clientSecret === null ? client.None() : undefined;
    // The settings permit an issuer without TLS on loopback only.
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
      const made = { config: discover(), until: Date.now() + metadataLifetime };
      known = made;
      made.config.catch(() => {
        if (known === made) known = undefined;
      });
    }
    return known.config.catch((cause: unknown) => {
      throw unreachable(cause);
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
      return toTokens(client, client.authorizationCodeGrant(config, back, checks, { ...audience }));
    },
    async renew(refresh) {
      const client = await import("openid-client");
      const config = await configuration();
      // Without a new refresh token the previous one stays valid (RFC 6749 §6).
      return { refresh, ...(await toTokens(client, client.refreshTokenGrant(config, refresh, { ...audience }))) };
    },
  };
}

/** The tokens of a grant. @throws Failure forbidden, service_unavailable */
async function toTokens(client: typeof OpenIdClient, grant: Promise<TokenEndpointResponse>): Promise<Tokens> {
  const response = await grant.catch((error: unknown) => {
    throw refusal(client, error);
  });
  const { access_token: access, refresh_token: refresh, expires_in: expiresIn } = response;
  return { access, ...(refresh !== undefined && { refresh }), ...(expiresIn !== undefined && { expiresIn }) };
}

/** The failure for an error of the issuer. It contains only the code, as the text is untrusted. */
function refusal(client: typeof OpenIdClient, error: unknown): Failure {
  if (error instanceof client.AuthorizationResponseError || error instanceof client.ResponseBodyError) {
    const code = /^[\w-]{1,60}$/.test(error.error) ? ` (${error.error})` : "";
    return new Failure("forbidden", `The issuer refused the sign-in${code}. Try again, or sign in with a key.`, {
      cause: error,
    });
  }
  const isAnswer = error instanceof client.ClientError && error.code !== "OAUTH_TIMEOUT";
  // The issuer was unreachable; any other answer is invalid.
  if (!isAnswer && !(error instanceof Error && error.name === "OperationProcessingError")) return unreachable(error);
  const message = "The issuer's response is invalid: forged, expired, or meant for another user. Sign in again.";
  return new Failure("forbidden", message, { cause: error });
}

function unreachable(cause: unknown): Failure {
  const message =
    "The issuer is unreachable or does not respond correctly. Try again in a moment, or sign in with a key.";
  return new Failure("service_unavailable", message, { cause });
}
