import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { Failure } from "../../domain/failures.ts";
import { findProgram, freePort, startProgram, type Program } from "./program.ts";

const run = promisify(execFile);

/** A started Temporal server, with its database in a file. */
export interface Temporal extends Program {
  /** host:port of the frontend. */
  readonly address: string;
  /** The Web UI; null without it. */
  readonly ui: string | null;
}

/** The folder of `go install`, which is seldom on the PATH. */
const folders = [join(process.env["GOPATH"] ?? join(process.env["HOME"] ?? "/", "go"), "bin")];

/** Whether the Temporal CLI is installed on this machine. */
export function hasTemporal(): boolean {
  return findProgram("temporal", folders) !== undefined;
}

/**
 * Starts Temporal's development server on loopback with its data in a folder, with priority and fairness, which are off by default. `ui: false`
 * leaves out the Web UI. `codec` is the endpoint by which the Web UI decodes payloads.
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
