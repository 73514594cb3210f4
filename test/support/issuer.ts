import { exportJWK, generateKeyPair, SignJWT } from "jose";
import type { CryptoKey, JWK, JWTHeaderParameters, JWTPayload } from "jose";
import { startSite } from "./site.ts";
import type { Site } from "./site.ts";

/** An issuer of tokens on loopback, as OpenID providers are: with a description, published keys, and users whom it makes tokens for. */
export interface Issuer {
  readonly url: string;
  /** What it serves; tests change that to have it misbehave. */
  readonly site: Site;
  /** A token; what is not given is right: for PUBLIC_URL of the tests, an hour from the given time on. */
  token(claims?: JWTPayload, header?: Partial<JWTHeaderParameters>): Promise<string>;
  /** Signs with new keys from now on, and publishes only these. */
  rotate(): Promise<void>;
  /** The public key that signs, as everybody can have it. */
  publicKey(): JWK;
  close(): Promise<void>;
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

  site.pages.set("/.well-known/openid-configuration", json({ issuer: url, jwks_uri: `${url}${keysPath}` }));
  await rotate();
  return {
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
