/** An order to the spawner (`spawner.ts`). */
export type SpawnOrder = StartOrder | { readonly type: "kill"; readonly id: number };

/** Starts a process in its own process group. */
export interface StartOrder {
  readonly type: "start";
  readonly id: number;
  readonly command: readonly string[];
  /** Its whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Path of the server's socket. It gets a connection each for standard input and output, which begin with a greeting. */
  readonly socket: string;
  /** Keep all that it prints to standard error, not warnings and errors of git only. */
  readonly keepsLines?: boolean;
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

/** Environment variable with the folder of the server's socket, which the spawner removes at its end. */
export const spawnFolder = "LECTERN_SPAWN_FOLDER";

/** Bytes of a greeting. */
export const greetingLength = 16;

/** The start of a connection: the ID of its order, and the file descriptor, 0 or 1. */
export function toGreeting(id: number, descriptor: 0 | 1): string {
  return `${id} ${descriptor}`.padEnd(greetingLength);
}
