import type { GitServer } from "../../../test/support/git-server.ts";
import type { NpmRegistry } from "../../../test/support/npm-registry.ts";

/** The attacked server, and a Git server and a registry that serve anything. */
export interface AttackContext {
  readonly git: GitServer;
  readonly registry: NpmRegistry;
  /** Address of the attacked server. */
  readonly url: string;
  /** Submits a source to `POST /api<path>`. Returns the ID of the library. */
  submit(path: string, body: Readonly<Record<string, unknown>> & { readonly libraryName: string }): Promise<string>;
}

/** A running attack. */
export interface Begun {
  /** The attacking libraries. */
  readonly libraryIds: readonly string[];
  end?(): void | Promise<void>;
}

/** An attack, and the expected end of its runs. */
export interface Attack {
  readonly name: string;
  /** The possible outcomes of its runs, or codes of their failures. */
  readonly ending: readonly string[];
  /** Whether the benchmark fails if the attack exceeds the bounds. */
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
export function repeatText(count: number, make: (at: number) => string, between = "\n"): string {
  return Array.from({ length: count }, (_, at) => make(at)).join(between);
}
