import { createHash, randomBytes } from "node:crypto";

/** Lifetime of the link, in milliseconds. */
const lifetime = 15 * 60_000;

/** A one-time sign-in link, printed to the terminal of a new server. */
export interface SignInLink {
  readonly path: string;
  /** The key for a token, once and within the lifetime; otherwise undefined. */
  take(token: string): string | undefined;
}

/** Creates the link for a key. Only a hash of its token is in memory. */
export function createSignInLink(key: string, now: () => number): SignInLink {
  const token = randomBytes(32).toString("base64url");
  const hash = digest(token);
  const until = now() + lifetime;
  let isUsed = false;
  return {
    path: `/-/sign-in?once=${token}`,
    take(given) {
      // Comparing hashes needs no constant time: a matching prefix reveals nothing about the token.
      if (isUsed || digest(given) !== hash || now() > until) return undefined;
      isUsed = true;
      return key;
    },
  };
}

function digest(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
