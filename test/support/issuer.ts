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

/** An issuer of tokens on loopback, as OpenID providers are: with a description, published keys, and users whom it makes tokens for. */
export interface Issuer {
  readonly url: string;
  /** What it serves; tests change that to have it misbehave. */
  readonly site: Site;
  /** A token; what is not given is right: for PUBLIC_URL of the tests, an hour from the given time on. */
  token(claims?: JWTPayload, header?: Partial<JWTHeaderParameters>): Promise<string>;
  /**
   * What the next browser that is sent to it to sign in gets: claims of both tokens, and what is wrong with them. The refresh token is
   * worth one renewal.
   */
  signsIn(user: SigningIn): void;
  /** Signs with new keys from now on, and publishes only these. */
  rotate(): Promise<void>;
  /** The public key that signs, as everybody can have it. */
  publicKey(): JWK;
  close(): Promise<void>;
}

/** Somebody who signs in with a browser. */
export interface SigningIn {
  readonly claims?: JWTPayload;
  /** Of the ID token, in place of what is right. */
  readonly idClaims?: JWTPayload;
  /** Seconds until the access token ends. */
  readonly expiresIn?: number;
  readonly refreshes?: boolean;
  /** What the browser is sent back with beside code and state. */
  readonly back?: Readonly<Record<string, string>>;
}

/** What tokens of the tests are made out to. */
export const publicUrl = "https://docs.example.com";

const keysPath = "/keys";

/** Starts an issuer, whose clock is the given one, in milliseconds since 1970. */
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
  /** What each code is worth, once. */
  const codes = new Map<string, { readonly asked: URLSearchParams; readonly user: SigningIn }>();
  site.pages.set("/authorize?", (response, _headers, request) => {
    const asked = new URL(request.url ?? "", url).searchParams;
    const code = randomUUID();
    codes.set(code, { asked, user });
    const back = new URL(asked.get("redirect_uri") ?? "");
    back.search = new URLSearchParams({ code, state: asked.get("state") ?? "", ...user.back }).toString();
    response.writeHead(302, { location: back.href }).end();
  });
  const sign = async (claims: JWTPayload, typ: string) => {
    const { key, jwk } = current();
    const seconds = Math.floor(Date.now() / 1000);
    const said = { iss: url, sub: "u-1", iat: seconds, exp: seconds + 3600, ...claims };
    return new SignJWT(said).setProtectedHeader({ alg: "ES256", kid: jwk.kid ?? "", typ }).sign(key);
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
    if (!known || (!isRenewed && known.asked.get("code_challenge") !== challenge)) {
      response.writeHead(400).end(JSON.stringify({ error: "invalid_grant" }));
      return;
    }
    const { claims, idClaims, expiresIn = 3600, refreshes = false } = known.user;
    const seconds = Math.floor(Date.now() / 1000);
    const access = await sign({ aud: sent.get("resource") ?? "", exp: seconds + expiresIn, ...claims }, "at+jwt");
    const asked = { aud: known.asked.get("client_id") ?? "", nonce: known.asked.get("nonce") ?? "" };
    const refresh = randomUUID();
    if (refreshes) codes.set(refresh, { ...known, user: { ...known.user, expiresIn: 3600, refreshes: false } });
    const answer = {
      access_token: access,
      token_type: "Bearer",
      expires_in: expiresIn,
      ...(!isRenewed && { id_token: await sign({ ...asked, ...claims, ...idClaims }, "JWT") }),
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
      const said = { iss: url, aud: publicUrl, sub: "u-1", iat: seconds, exp: seconds + 3600, ...claims };
      return new SignJWT(said)
        .setProtectedHeader({ alg: "ES256", kid: jwk.kid ?? "", typ: "at+jwt", ...header })
        .sign(key);
    },
    rotate,
    publicKey: () => current().jwk,
    close: () => site.close(),
  };
}
