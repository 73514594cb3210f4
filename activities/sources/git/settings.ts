import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Remote } from "./remote.ts";

/** What makes a repository one that need not have all its objects. */
export const promisor = '[extensions]\n\tpartialClone = origin\n[remote "origin"]\n\tpromisor = true\n';

/** What `git init --bare` would make, without the start of a program. */
export async function makeRepository(path: string, more: string): Promise<void> {
  await mkdir(join(path, "objects", "pack"), { recursive: true });
  await mkdir(join(path, "refs"));
  await writeFile(join(path, "HEAD"), "ref: refs/heads/none\n");
  await writeFile(join(path, "config"), `[core]\n\trepositoryformatversion = 1\n\tbare = true\n${more}`);
}

/** An environment in which only our own settings count, and nobody is asked for anything. */
export function hardening(home: string): Record<string, string> {
  return {
    HOME: home,
    LC_ALL: "C",
    GIT_TERMINAL_PROMPT: "0",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_ALLOW_PROTOCOL: "http:https",
  };
}

/** Slower than this for `idleTimeout` counts as hanging, in bytes a second; sidebands keep a working server above it. */
const lowSpeed = 100;

/** How Git reaches a remote and no other place, as settings by environment. `idleTimeout` is in milliseconds. */
export function remoteSettings(remote: Remote, idleTimeout: number): Record<string, string> {
  return toGitConfig(remoteConfig(remote, idleTimeout));
}

function remoteConfig(remote: Remote, idleTimeout: number): [string, string][] {
  const { url, addresses, proxy, authorization } = remote;
  const port = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port;
  const pins = addresses.map((address) => (address.includes(":") ? `[${address}]` : address)).join(",");
  const authority = process.env["GIT_SSL_CAINFO"] ?? process.env["SSL_CERT_FILE"] ?? "";
  return [
    ["remote.origin.url", url.href],
    ["core.hooksPath", "/dev/null"],
    // Blobs beyond it are streamed through index-pack, not held in memory.
    ["core.bigFileThreshold", "16m"],
    // All asked-for blobs are new: there is nothing to negotiate about.
    ["fetch.negotiationAlgorithm", "noop"],
    // Always a pack, never a file for each object.
    ["fetch.unpackLimit", "1"],
    ["http.followRedirects", "false"],
    ["http.lowSpeedLimit", String(lowSpeed)],
    ["http.lowSpeedTime", String(Math.max(1, Math.ceil(idleTimeout / 1000)))],
    // The ids of 300,000 blobs fit: some servers take no chunked requests.
    ["http.postBuffer", "16m"],
    ["http.proxy", proxy?.href ?? ""],
    ...(authority === "" ? [] : [["http.sslCAInfo", authority] satisfies [string, string]]),
    ...(pins === "" ? [] : [["http.curloptResolve", `${url.hostname}:${port}:${pins}`] satisfies [string, string]]),
    ...(authorization === null
      ? []
      : [["http.extraHeader", `Authorization: ${authorization}`] satisfies [string, string]]),
  ];
}

/** Settings by environment: no quoting, and nothing to be seen in the list of processes. */
function toGitConfig(settings: readonly (readonly [string, string])[]): Record<string, string> {
  const env: Record<string, string> = { GIT_CONFIG_COUNT: String(settings.length) };
  for (const [index, [key, value]] of settings.entries()) {
    env[`GIT_CONFIG_KEY_${index}`] = key;
    env[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return env;
}
