import { parsePackage } from "../../domain/packages.ts";

const http = /^https?:\/\//i;
const scpForm = /^[\w.-]{1,64}@([\w.-]{1,253}):(?!\d{1,5}\/)\/?([^\s:@]{1,500})$/;
const sshForm = /^(?:ssh|git):\/\/(?:[\w.-]{1,64}@)?([\w.-]{1,253})(?::\d{1,5})?\/([^\s@]{1,500})$/i;
const hostForm = /^[a-z\d-]{1,63}(?:\.[a-z\d-]{1,63}){0,8}\.[a-z]{2,63}(?::\d{1,5})?\/[^\s/][^\s]{0,500}$/i;
const shortForm = /^[a-z\d](?:[a-z\d-]{0,38})\/[\w.-]{1,100}$/i;

/** Host of the short form `owner/name`. */
const commonHost = "github.com";

/**
 * An unambiguous typed location: an http address or a package unchanged, `git@host:owner/name` and `ssh://git@host/owner/name` as
 * http addresses. Undefined for what can be a folder.
 */
export function sureAddress(location: string): string | undefined {
  if (http.test(location) || parsePackage(location) !== null) return location;
  const [, host, path] = scpForm.exec(location) ?? sshForm.exec(location) ?? [];
  return host !== undefined && path !== undefined ? `https://${host}/${path}` : undefined;
}

/** The http address of a typed location that is not a folder: `host/owner/name`, or `owner/name` of github.com. */
export function likelyAddress(location: string): string | undefined {
  if (hostForm.test(location)) return `https://${location}`;
  return shortForm.test(location) ? `https://${commonHost}/${location}` : undefined;
}
