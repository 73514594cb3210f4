import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { Failure } from "../../domain/failures.ts";
import { findProgram, freePort, startProgram } from "./program.ts";
import type { Program } from "./program.ts";

const run = promisify(execFile);

/** A Temporal server of our own, with its database in a file. */
export interface Temporal extends Program {
  /** host:port of the frontend. */
  readonly address: string;
  /** The Web UI; null where it was left out. */
  readonly ui: string | null;
}

/** `go install` puts programs into a folder that is seldom on the PATH. */
const folders = [join(process.env["GOPATH"] ?? join(process.env["HOME"] ?? "/", "go"), "bin")];

/** Whether there is a Temporal CLI to start a server with on this machine. */
export function hasTemporal(): boolean {
  return findProgram("temporal", folders) !== undefined;
}

/**
 * Starts Temporal's development server on loopback over a folder, with priority and fairness, which its version has
 * switched off. `ui: false` leaves the Web UI out. `codec` is the endpoint by which the Web UI reads payloads.
 * @throws Failure service_unavailable
 */
export async function startTemporal(options: {
  readonly folder: string;
  readonly port?: number;
  readonly ui?: number | false;
  readonly codec?: string;
}): Promise<Temporal> {
  const command = findProgram("temporal", folders);
  if (command === undefined)
    throw new Failure("service_unavailable", "The Temporal CLI is not installed. Install it, or set TEMPORAL_ADDRESS.");
  const { folder, codec } = options;
  const port = options.port ?? (await freePort());
  const ui = options.ui === false ? null : (options.ui ?? (await freePort()));
  const address = `127.0.0.1:${port}`;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const program = await startProgram({
    command,
    args: [
      "server",
      "start-dev",
      "--ip=127.0.0.1",
      `--port=${port}`,
      `--db-filename=${join(folder, "temporal.sqlite")}`,
      "--log-level=warn",
      ui === null ? "--headless" : `--ui-port=${ui}`,
      ...(codec === undefined ? [] : [`--ui-codec-endpoint=${codec}`]),
      "--dynamic-config-value=matching.useNewMatcher=true",
      "--dynamic-config-value=matching.enableFairness=true",
    ],
    log: join(folder, "temporal.log"),
    ready: () =>
      run(command, ["operator", "cluster", "health", "--address", address], { timeout: 5000 }).then(
        ({ stdout }) => stdout.includes("SERVING"),
        () => false,
      ),
  });
  return { ...program, address, ui: ui === null ? null : `http://127.0.0.1:${ui}` };
}
