import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "pino";
import type { ApiAnswer } from "../api/answers.ts";
import type { WatchedManifest } from "../api/options.ts";
import type { ApiRequest } from "../api/request.ts";
import { operator } from "../domain/access.ts";
import { repositoryAddress } from "../domain/addresses.ts";
import { Failure } from "../domain/failures.ts";
import type { GitSourceSpec } from "../domain/kinds/index.ts";
import type { ManifestStore } from "../domain/ports.ts";
import type { GitHost } from "../domain/source.ts";
import type { createGitSource } from "../sources/git/index.ts";
import type { Config } from "./config.ts";
import { createSoon } from "./soon.ts";

/** Reads the manifest of `MANIFEST_URL`, and its present commit. */
export interface ManifestReader extends WatchedManifest {
  /** The present commit of its branch. @throws Failure */
  revision(signal: AbortSignal): Promise<string>;
}

/** Caps on a manifest, and on its repository's documents, in bytes. */
const limits = { pages: 1, bytes: 50_000_000, pageBytes: 1_000_000 };

/** The reader of the watched manifest; undefined: none is watched. */
export function openManifest(
  config: Config,
  git: ReturnType<typeof createGitSource>,
  { scratch, hostOf }: { readonly scratch: string; readonly hostOf: (host: string) => GitHost },
): ManifestReader | undefined {
  const { manifestUrl: address, manifestPath: path, manifestBranch: branch, manifestToken: token } = config;
  if (address === null) return undefined;
  const spec: GitSourceSpec = {
    kind: "git",
    host: hostOf(new URL(address).host),
    url: address,
    branch,
    selection: { folders: [], excludeFolders: null, excludeFiles: null },
    skipVersionFiltering: true,
  };
  const credential = token === null ? null : { token };
  const resolve = (signal: AbortSignal) => git.resolve(spec, null, { credential, signal });
  return {
    address,
    prune: config.manifestPrune,
    isAt: (repository) => repository === repositoryAddress(address),
    revision: async (signal) => (await resolve(signal)).revision,
    async read(signal) {
      const state = await resolve(signal);
      await mkdir(scratch, { recursive: true });
      const folder = await mkdtemp(join(scratch, "manifest-"));
      try {
        const bytes = await git.file(spec, state, path, { credential, signal, scratch: folder, limits });
        return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes), revision: state.revision };
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
        throw new Failure("source_invalid", `${path} of ${address} is not text in UTF-8.`, { cause: error });
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

/** Options of watching a manifest. */
export interface WatchingOptions {
  readonly manifest: ManifestReader;
  readonly manifests: ManifestStore;
  readonly answer: (request: ApiRequest) => Promise<ApiAnswer>;
  /** Interval of looking at its branch, in milliseconds. */
  readonly every: number;
  readonly now: () => number;
  readonly log: Logger;
}

/** A manifest that has not changed is applied again after this time, in milliseconds: people may have deleted libraries. */
const appliedAgain = 3_600_000;

/**
 * Applies a watched manifest at once, when its branch has changed, after problems, and every hour. Several processes may do so: applying it
 * twice changes nothing. `requested` looks at it now.
 */
export function watchManifest({ manifest, manifests, answer, every, now, log }: WatchingOptions): {
  requested(): void;
  close(): Promise<void>;
} {
  let isFirst = true;
  const apply = async (signal: AbortSignal): Promise<void> => {
    const [last] = (await manifests.list(operator.teamspace ?? "")).filter(({ revision }) => revision !== null);
    const isDue = isFirst || !last || last.problems.length > 0 || now() - last.appliedAt >= appliedAgain;
    if (!isDue && (await manifest.revision(signal)) === last.revision) return;
    isFirst = false;
    const { status, body } = await answer(reconciliation(signal));
    const said = typeof body === "object" && body !== null && "message" in body ? body.message : undefined;
    log[status < 400 ? "info" : "warn"](
      { manifest: manifest.address, status, said },
      "the library manifest was applied",
    );
  };
  const problem = "the library manifest cannot be read; trying again";
  const soon = createSoon({ action: apply, delay: 0, problem, log: log.child({ manifest: manifest.address }) });
  soon.requested();
  const timer = setInterval(soon.requested, every).unref();
  return {
    requested: soon.requested,
    async close() {
      clearInterval(timer);
      await soon.close();
    },
  };
}

/** A request of the server itself, by its operator. */
function reconciliation(signal: AbortSignal): ApiRequest {
  const bytes = Buffer.from("{}");
  return {
    method: "POST",
    path: "/api/v2/manifests/reconcile",
    query: new URLSearchParams(),
    headers: { host: "localhost", "content-type": "application/json", "content-length": String(bytes.length) },
    remoteAddress: "127.0.0.1",
    readBody: async () => bytes,
    signal,
    by: operator,
  };
}
