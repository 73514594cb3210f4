import { fork } from "node:child_process";
import { once } from "node:events";
import { Agent, request, type ClientRequest, type IncomingMessage } from "node:http";
import { join } from "node:path";

/** A program, with its whole environment. */
export interface SpawnedProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** How a program ended. */
export interface ProgramEnd {
  /** Null if a signal ended it. */
  readonly code: number | null;
  /** The beginning of standard error. */
  readonly errors: string;
}

const agent = new Agent({ keepAlive: true });
let port: Promise<number> | undefined;

/**
 * Starts a program from a small helper process: a fork costs 7 ms of CPU time per 100 MB of the parent, and tests start thousands of
 * gits. The request body is the program's input, the response its output.
 */
export async function spawnSmall(program: SpawnedProgram): Promise<ClientRequest> {
  const headers = { "x-program": encodeURIComponent(JSON.stringify(program)) };
  return request({ agent, host: "127.0.0.1", port: await (port ??= startSpawner()), method: "POST", headers });
}

/** How a program ended, after its output was read to the end. */
export function endOf({ trailers }: IncomingMessage): ProgramEnd {
  return JSON.parse(decodeURIComponent(trailers["x-end"] ?? "")) as ProgramEnd;
}

async function startSpawner(): Promise<number> {
  const child = fork(join(import.meta.dirname, "spawner-process.ts"), { execArgv: [] });
  const [listening] = (await once(child, "message")) as [number];
  // It exits with this process, and does not keep it alive.
  child.unref();
  child.channel?.unref();
  return listening;
}
