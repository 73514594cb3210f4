import { fork } from "node:child_process";
import { once } from "node:events";
import { Agent, request, type ClientRequest, type IncomingMessage } from "node:http";
import { join } from "node:path";

/** A program, with all of its environment. */
export interface SpawnedProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** How a program ended. */
export interface ProgramEnd {
  /** Exit code; null where a signal ended it. */
  readonly code: number | null;
  /** The beginning of what it wrote to standard error. */
  readonly errors: string;
}

const agent = new Agent({ keepAlive: true });
let port: Promise<number> | undefined;

/**
 * Starts a program below a process that stays small: to fork a process costs it and its child 7 ms of processor time for each 100 MB
 * that it has in memory, and tests start thousands of gits. The body of the request is the program's input, the response its output.
 */
export async function spawnSmall(program: SpawnedProgram): Promise<ClientRequest> {
  const headers = { "x-program": encodeURIComponent(JSON.stringify(program)) };
  return request({ agent, host: "127.0.0.1", port: await (port ??= startSpawner()), method: "POST", headers });
}

/** How the program ended whose output was read to its end. */
export function endOf({ trailers }: IncomingMessage): ProgramEnd {
  return JSON.parse(decodeURIComponent(trailers["x-end"] ?? "")) as ProgramEnd;
}

async function startSpawner(): Promise<number> {
  const child = fork(join(import.meta.dirname, "spawner-process.ts"), { execArgv: [] });
  const [listening] = (await once(child, "message")) as [number];
  // It ends with this process, and keeps it from nothing.
  child.unref();
  child.channel?.unref();
  return listening;
}
