import { stat } from "node:fs/promises";
import { likelyAddress, sureAddress } from "../api/forms/typed-location.ts";

/**
 * The http address of a typed location: an address, `git@host:owner/name`, `ssh://git@host/owner/name`, `host/owner/name`,
 * or `owner/name` of github.com. Undefined for a path on this machine: an existing one, one that begins with `.`, `/` or `~`, or
 * whose first folder exists.
 */
export async function addressOf(location: string): Promise<string | undefined> {
  const sure = sureAddress(location);
  if (sure !== undefined) return sure;
  if (/^[.~/]/.test(location) || (await isThere(location))) return undefined;
  const likely = likelyAddress(location);
  if (likely === undefined || likely === `https://${location}`) return likely;
  const [owner = ""] = location.split("/");
  return (await isThere(owner)) ? undefined : likely;
}

async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
