/** What the process is told that starts gits (`spawner.ts`). */
export type SpawnOrder = StartOrder | { readonly type: "kill"; readonly id: number };

/** A process to be started, in a process group of its own. */
export interface StartOrder {
  readonly type: "start";
  readonly id: number;
  readonly command: readonly string[];
  /** Its whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Path of the server's socket. It gets two connections: the process's standard input and its output, each after a greeting. */
  readonly socket: string;
}

/** How a process ended. */
export interface SpawnEnd {
  readonly id: number;
  /** Exit code; null where a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Warnings and errors that it printed, without progress. */
  readonly lines: readonly string[];
  /** Why it could not be started. */
  readonly problem?: string;
}

/** Environment variable with the folder of the server's socket, which goes with the process. */
export const spawnFolder = "LECTERN_SPAWN_FOLDER";

/** Bytes of a greeting. */
export const greetingLength = 16;

/** What a connection begins with: which process it belongs to, and its number there, 0 for the input and 1 for the output. */
export function toGreeting(id: number, descriptor: 0 | 1): string {
  return `${id} ${descriptor}`.padEnd(greetingLength);
}
