import { registryNames } from "../../../domain/packages.ts";
import type { RegistryName } from "../../../domain/packages.ts";
import { startLectern } from "../../../test/support/lectern-process.ts";
import type { LecternProcess } from "../../../test/support/lectern-process.ts";

/** A package at a version. */
export interface PinnedPackage {
  readonly registry: RegistryName;
  readonly name: string;
  readonly version: string;
}

/** The fields of a library's status that are read. */
export interface Status {
  readonly state: string;
  readonly notes?: readonly string[];
  readonly live: {
    readonly ref: string;
    readonly counts: { readonly pages: number; readonly passages?: number; readonly code: number };
  } | null;
}

/** Parses `npm:zod@4.6.7`. @throws Error for anything else */
export function pinned(text: string): PinnedPackage {
  const colon = text.indexOf(":");
  const at = text.lastIndexOf("@");
  const registry = registryNames.find((name) => name === text.slice(0, colon));
  if (registry === undefined || at < colon + 2) throw new Error(`"${text}" is not a package at a version.`);
  return { registry, name: text.slice(colon + 1, at), version: text.slice(at + 1) };
}

/** Starts a server that reaches the public registries by the environment of this machine. */
export function startServer(folder: string): Promise<LecternProcess> {
  const kept = ["NODE_EXTRA_CA_CERTS", "HTTPS_PROXY", "NO_PROXY", "NPM_CONFIG_REGISTRY"];
  return startLectern(folder, {
    // Machines of CI may reach registries through private addresses.
    FETCH_ALLOW: "0.0.0.0/0",
    LOG_LEVEL: "error",
    PARSE_THREADS: "2",
    NPM_CONFIG_USERCONFIG: "/dev/null",
    ...Object.fromEntries(kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]))),
  });
}

/** Submits a package at a version and waits until it is indexed. Returns the ID and the status of its library. */
export async function index(
  server: LecternProcess,
  one: PinnedPackage,
  libraryName?: string,
): Promise<Status & { readonly id: string }> {
  const body = { ...one, ...(libraryName !== undefined && { libraryName }) };
  const { status, body: answer } = await server.call("POST", "/v2/add/package", body);
  if (status !== 200) throw new Error(`${one.name} was answered ${status}: ${JSON.stringify(answer)}`);
  const id = (answer as { libraryName: string }).libraryName;
  return { id, ...((await server.settled(id)) as unknown as Status) };
}
