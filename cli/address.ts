import { stat } from "node:fs/promises";
import { parsePackage } from "../domain/packages.ts";

const http = /^https?:\/\//i;
const scpForm = /^[\w.-]{1,64}@([\w.-]{1,253}):(?!\d{1,5}\/)\/?([^\s:@]{1,500})$/;
const sshForm = /^(?:ssh|git):\/\/(?:[\w.-]{1,64}@)?([\w.-]{1,253})(?::\d{1,5})?\/([^\s@]{1,500})$/i;
const hostForm = /^[a-z\d-]{1,63}(?:\.[a-z\d-]{1,63}){0,8}\.[a-z]{2,63}(?::\d{1,5})?\/[^\s/][^\s]{0,500}$/i;
const shortForm = /^[a-z\d](?:[a-z\d-]{0,38})\/[\w.-]{1,100}$/i;

/** Where the short form `owner/name` is. */
const commonHost = "github.com";

/**
 * The http address that a typed location stands for: as it is, `git@host:owner/name`, `ssh://git@host/owner/name`, `host/owner/name`,
 * or `owner/name` of github.com. Undefined for a place on this machine: whatever is there comes first, and so does what begins
 * with `.`, `/` or `~`, or with a folder that is there.
 */
export async function addressOf(location: string): Promise<string | undefined> {
  if (http.test(location) || parsePackage(location) !== null) return location;
  const [, host, path] = scpForm.exec(location) ?? sshForm.exec(location) ?? [];
  if (host !== undefined && path !== undefined) return `https://${host}/${path}`;
  if (/^[.~/]/.test(location) || (await isThere(location))) return undefined;
  if (hostForm.test(location)) return `https://${location}`;
  const [owner = ""] = location.split("/");
  return shortForm.test(location) && !(await isThere(owner)) ? `https://${commonHost}/${location}` : undefined;
}

async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
