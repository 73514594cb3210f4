import { createHash, randomBytes } from "node:crypto";

/** How long the link may be used, in milliseconds. */
const lifetime = 15 * 60_000;

/** A link that signs in once: for whoever reads the terminal that a server was started in. */
export interface SignInLink {
  /** Path and query of the link. */
  readonly path: string;
  /** What it signs in with: once, and as long as it is new; undefined for anything else. */
  take(token: string): string | undefined;
}

/** Makes the link for a key. Only its hash is kept, in this process. */
export function createSignInLink(key: string, now: () => number): SignInLink {
  const token = randomBytes(32).toString("base64url");
  const hash = digest(token);
  const until = now() + lifetime;
  let isUsed = false;
  return {
    path: `/-/sign-in?once=${token}`,
    take(given) {
      // Hashes may be compared as texts: how many of their characters fit says nothing of the token.
      if (isUsed || digest(given) !== hash || now() > until) return undefined;
      isUsed = true;
      return key;
    },
  };
}

function digest(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
