import { createHash, randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import {
  exportJWK,
  generateKeyPair,
  SignJWT,
  type CryptoKey,
  type JWK,
  type JWTHeaderParameters,
  type JWTPayload,
} from "jose";
import { startSite, type Site } from "./site.ts";

/** An OpenID provider on loopback. */
export interface Issuer {
  readonly url: string;
  /** Its pages; tests replace some to make it misbehave. */
  readonly site: Site;
  /** A token; by default valid: for `publicUrl`, for one hour. */
  token(claims?: JWTPayload, header?: Partial<JWTHeaderParameters>): Promise<string>;
  /**
   * Sets the user of the following browser sign-ins. A refresh token is good for one renewal.
   */
  signsIn(user: SigningIn): void;
  /** Replaces its signing key, and publishes only the new one. */
  rotate(): Promise<void>;
  /** The current public key. */
  publicKey(): JWK;
  close(): Promise<void>;
}

/** A user who signs in with a browser; `claims` go into both tokens. */
export interface SigningIn {
  readonly claims?: JWTPayload;
  /** Overrides for the ID token. */
  readonly idClaims?: JWTPayload;
  /** Lifetime of the access token in seconds. */
  readonly expiresIn?: number;
  readonly refreshes?: boolean;
  /** More parameters of the redirect back, beside code and state. */
  readonly back?: Readonly<Record<string, string>>;
}

/** Default audience of tokens. */
export const publicUrl = "https://docs.example.com";

const keysPath = "/keys";

/** Starts an issuer. `now`: its clock, in milliseconds since 1970. */
export async function startIssuer(now: () => number = Date.now): Promise<Issuer> {
  const site = await startSite();
  const url = site.origin;
  let signing: { key: CryptoKey; jwk: JWK } | undefined;
  let made = 0;
  const current = (): NonNullable<typeof signing> => {
    if (!signing) throw new Error("The issuer has no key.");
    return signing;
  };
  const json = (value: object) => ({ headers: { "content-type": "application/json" }, body: JSON.stringify(value) });

  async function rotate(): Promise<void> {
    const { privateKey, publicKey } = await generateKeyPair("ES256");
    const jwk = { ...(await exportJWK(publicKey)), kid: `key-${(made += 1)}`, alg: "ES256", use: "sig" };
    signing = { key: privateKey, jwk };
    site.pages.set(keysPath, json({ keys: [jwk] }));
  }

  const description = {
    issuer: url,
    jwks_uri: `${url}${keysPath}`,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    response_types_supported: ["code"],
    id_token_signing_alg_values_supported: ["ES256"],
    code_challenge_methods_supported: ["S256"],
  };
  site.pages.set("/.well-known/openid-configuration", json(description));
  await rotate();

  let user: SigningIn = {};
  /** Authorization codes and refresh tokens, each valid once. */
  const codes = new Map<string, { readonly request: URLSearchParams; readonly user: SigningIn }>();
  site.pages.set("/authorize?", (response, _headers, request) => {
    const parameters = new URL(request.url ?? "", url).searchParams;
    const code = randomUUID();
    codes.set(code, { request: parameters, user });
    const back = new URL(parameters.get("redirect_uri") ?? "");
    back.search = new URLSearchParams({ code, state: parameters.get("state") ?? "", ...user.back }).toString();
    response.writeHead(302, { location: back.href }).end();
  });
  const sign = async (claims: JWTPayload, typ: string) => {
    const { key, jwk } = current();
    const seconds = Math.floor(Date.now() / 1000);
    const payload = { iss: url, sub: "u-1", iat: seconds, exp: seconds + 3600, ...claims };
    return new SignJWT(payload).setProtectedHeader({ alg: "ES256", kid: jwk.kid ?? "", typ }).sign(key);
  };
  site.pages.set("/token", (response, _headers, request) => void answerToken(response, request));
  async function answerToken(response: ServerResponse, request: IncomingMessage): Promise<void> {
    const sent = new URLSearchParams(await text(request));
    const code = sent.get("code") ?? sent.get("refresh_token") ?? "";
    const known = codes.get(code);
    codes.delete(code);
    const challenge = createHash("sha256")
      .update(sent.get("code_verifier") ?? "")
      .digest("base64url");
    const isRenewed = sent.get("grant_type") === "refresh_token";
    response.setHeader("content-type", "application/json");
    if (!known || (!isRenewed && known.request.get("code_challenge") !== challenge)) {
      response.writeHead(400).end(JSON.stringify({ error: "invalid_grant" }));
      return;
    }
    const { claims, idClaims, expiresIn = 3600, refreshes = false } = known.user;
    const seconds = Math.floor(Date.now() / 1000);
    const access = await sign({ aud: sent.get("resource") ?? "", exp: seconds + expiresIn, ...claims }, "at+jwt");
    const idToken = { aud: known.request.get("client_id") ?? "", nonce: known.request.get("nonce") ?? "" };
    const refresh = randomUUID();
    if (refreshes) codes.set(refresh, { ...known, user: { ...known.user, expiresIn: 3600, refreshes: false } });
    const answer = {
      access_token: access,
      token_type: "Bearer",
      expires_in: expiresIn,
      ...(!isRenewed && { id_token: await sign({ ...idToken, ...claims, ...idClaims }, "JWT") }),
      ...(refreshes && { refresh_token: refresh }),
    };
    response.end(JSON.stringify(answer));
  }
  return {
    signsIn: (next) => void (user = next),
    url,
    site,
    async token(claims = {}, header = {}) {
      const { key, jwk } = current();
      const seconds = Math.floor(now() / 1000);
      const payload = { iss: url, aud: publicUrl, sub: "u-1", iat: seconds, exp: seconds + 3600, ...claims };
      return new SignJWT(payload)
        .setProtectedHeader({ alg: "ES256", kid: jwk.kid ?? "", typ: "at+jwt", ...header })
        .sign(key);
    },
    rotate,
    publicKey: () => current().jwk,
    close: () => site.close(),
  };
}
