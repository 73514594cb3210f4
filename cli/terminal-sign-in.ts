import { isLoopback } from "../api/addresses.ts";
import { hashKey, makeKey } from "../api/keys.ts";
import type { Config } from "../config.ts";
import { createSignInLink } from "../dashboard/sign-in-link.ts";
import type { SignInLink } from "../dashboard/sign-in-link.ts";

/** How whoever reads the terminal signs in. */
export interface TerminalSignIn {
  readonly link: SignInLink;
  /** Of the key that has all rights. */
  readonly adminKeyHash: string | null;
}

/**
 * A link that signs in once, for a server on loopback that was started in a terminal: as the holder of LECTERN_ADMIN_KEY, else of
 * the key that this start has made. Later nobody knows that one any more: then for as long as the process lives, as the holder of a key with the same
 * rights that is nowhere else. Undefined where the pages are off, others reach the server, or nobody reads what it prints.
 */
export function terminalSignIn(
  { dashboard, host, publicUrl, adminKey }: Pick<Config, "dashboard" | "host" | "publicUrl" | "adminKey">,
  firstKey: string | null,
  isTerminal: boolean,
): TerminalSignIn | undefined {
  if (!dashboard || !isTerminal || publicUrl !== null || !isLoopback(host)) return undefined;
  const known = adminKey ?? firstKey;
  const key = known ?? makeKey().key;
  const isOperators = adminKey !== null || known === null;
  return { link: createSignInLink(key, Date.now), adminKeyHash: isOperators ? hashKey(key) : null };
}
