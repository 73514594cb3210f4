import { stat } from "node:fs/promises";
import { likelyAddress, sureAddress } from "../api/forms/typed-location.ts";

/**
 * The http address that a typed location stands for: as it is, `git@host:owner/name`, `ssh://git@host/owner/name`, `host/owner/name`,
 * or `owner/name` of github.com. Undefined for a place on this machine: whatever is there comes first, and so does what begins
 * with `.`, `/` or `~`, or with a folder that is there.
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
