import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Logger } from "pino";
import { failureAnswer, jsonAnswer } from "../api/answers.ts";
import type { ApiAnswer } from "../api/answers.ts";
import type { ApiRequest } from "../api/http.ts";
import { sweepScratch } from "../activities/sweep.ts";
import { loadConfig } from "../config.ts";
import { Failure } from "../domain/failures.ts";
import { checkIndex } from "./check-index.ts";
import { compose } from "./compose.ts";
import type { Lectern } from "./compose.ts";
import { openLog, sayStarted } from "./log.ts";
import { listen } from "./serving.ts";
import { stopSignal } from "./stop-signal.ts";
import { requireCluster } from "./stores.ts";
import { bundle } from "./temporal.ts";

/** How often a worker clears what broken steps left on its own disk, in milliseconds. */
const scratchEvery = 3_600_000;

/**
 * `lectern worker`: executes steps of the queues that WORKER_QUEUES names, until it is told to stop. It ends with an
 * error where Temporal stays out of reach, so that its supervisor starts it anew. `--bundle` only makes the workflows'
 * bundle, for images.
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: { bundle: { type: "boolean", default: false } } });
  const config = loadConfig(process.env);
  const log = openLog(config.logLevel);
  if (values.bundle) {
    const { codePath } = await bundle(log);
    console.log(codePath);
    return;
  }
  requireCluster(config, "worker");
  const scratch = join(config.dataDir, "work");
  const lectern = await compose(config, {
    dataFolder: null,
    scratch,
    migrate: false,
    name: "lectern worker",
    log,
  });
  const { catalog } = lectern.stores;
  const timer = setInterval(() => {
    sweepScratch({ catalog, scratch, now: Date.now }).catch((error: unknown) =>
      log.warn({ err: error }, "cleanup of the scratch folder failed"),
    );
  }, scratchEvery).unref();
  try {
    await checkIndex(config, log);
    await lectern.open();
    const health = await serveHealth(config, lectern, log);
    sayStarted([`This worker serves ${config.workerQueues.join(", ")}.`]);
    const stopped = stopSignal().then((signal) => log.info({ signal }, "shutting down"));
    try {
      await Promise.race([stopped, lectern.ended]);
    } finally {
      await health?.close();
    }
  } finally {
    clearInterval(timer);
    await lectern.close();
    log.flush();
  }
}

/** What supervisors ask a worker for: that it lives, and that it serves its queues. */
function serveHealth(
  { host, workerPort }: { host: string; workerPort: number },
  lectern: Lectern,
  log: Logger,
): Promise<{ close(): Promise<void> }> | null {
  if (workerPort === 0) return null;
  const answer = async ({ path }: ApiRequest): Promise<ApiAnswer> => {
    if (path === "/api/health") return jsonAnswer({ status: "ok" });
    if (path === "/api/ready" && lectern.working()) return jsonAnswer({ status: "ready" });
    const code = path === "/api/ready" ? "service_unavailable" : "route_not_found";
    return failureAnswer(new Failure(code, "This is a worker: it serves only /api/health and /api/ready."));
  };
  return listen(answer, host, workerPort, log);
}
