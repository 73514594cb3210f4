import type { GitServer } from "../../../test/support/git-server.ts";
import type { NpmRegistry } from "../../../test/support/npm-registry.ts";

/** What an attack has: a Git server and a registry that allow anything, and the server that is attacked. */
export interface AttackContext {
  readonly git: GitServer;
  readonly registry: NpmRegistry;
  /** Address of the attacked server. */
  readonly url: string;
  /** Submits a source as `POST /api<path>` takes it; answers the library's ID. */
  submit(path: string, body: Readonly<Record<string, unknown>> & { readonly libraryName: string }): Promise<string>;
}

/** An attack that has begun. */
export interface Begun {
  /** The libraries whose runs it is. */
  readonly libraryIds: readonly string[];
  end?(): void | Promise<void>;
}

/** An attack, and how the runs of its libraries end. */
export interface Attack {
  readonly name: string;
  /** The outcome of each run, or the code of its failure. */
  readonly ending: readonly string[];
  /** Whether the benchmark fails where others notice more of it than they may. */
  readonly isBounded?: true;
  begin(context: AttackContext): Promise<Begun>;
}

/** Settings of a server that is attacked. */
export function attackedSettings(registry: NpmRegistry): Record<string, string> {
  return {
    FETCH_ALLOW: "127.0.0.1",
    HOST_INTERVAL: "0",
    LOG_LEVEL: "error",
    PARSE_THREADS: "2",
    NPM_CONFIG_REGISTRY: registry.url,
    NPM_CONFIG_USERCONFIG: "/dev/null",
  };
}

/** Concatenates the texts that `make` returns for each number below a count. */
export function many(count: number, make: (at: number) => string, between = "\n"): string {
  return Array.from({ length: count }, (_, at) => make(at)).join(between);
}
