import { isLoopback } from "../api/addresses.ts";
import { hashKey, makeKey } from "../api/keys.ts";
import type { Config } from "./config.ts";
import { createSignInLink } from "../api/dashboard/sign-in-link.ts";
import type { SignInLink } from "../api/dashboard/sign-in-link.ts";

/** The sign-in link of the terminal. */
export interface TerminalSignIn {
  readonly link: SignInLink;
  /** Hash of the key with all rights. */
  readonly adminKeyHash: string | null;
}

/**
 * A one-time sign-in link, for a server on loopback that was started in a terminal: with LECTERN_ADMIN_KEY, else with the key that this
 * start created. At later starts, when that key is unknown, with a key of the same rights that lives as long as the process. Undefined:
 * the dashboard is off, the server is reachable by others, or standard output is not a terminal.
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
