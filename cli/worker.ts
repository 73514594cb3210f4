import { join } from "node:path";
import type { Logger } from "pino";
import { createAuthentication } from "../api/access.ts";
import { failureAnswer, jsonAnswer, type ApiAnswer } from "../api/answers.ts";
import { hashKey } from "../api/keys.ts";
import { isLocal } from "../api/origin.ts";
import type { ApiRequest } from "../api/request.ts";
import { scrapeAnswer } from "../api/routes/system.ts";
import { loadConfig, type Config } from "./config.ts";
import { authorize } from "../domain/authorizing.ts";
import { Failure } from "../domain/failures.ts";
import { queues } from "../domain/queues.ts";
import { warnAtStart } from "./start-messages.ts";
import type { Given } from "./command.ts";
import { compose, type Lectern } from "./compose.ts";
import { openWorkFolder } from "./data-folder.ts";
import { watchDisks, writtenFolders } from "./disk-space.ts";
import { openLog, printStarted } from "./log.ts";
import { checkIndex } from "./server-setup.ts";
import { listen } from "./serving.ts";
import { takeStopSignals } from "./stopping.ts";
import { requireCluster } from "./stores.ts";
import { bundle } from "./temporal.ts";
import { programVersion } from "./package-info.ts";

/**
 * `lectern worker`: executes steps of the task queues in WORKER_QUEUES, until a signal stops it. Exits with an error if Temporal stays
 * unreachable, so that its supervisor restarts it. `--bundle` only builds the workflow bundle, for images.
 */
export async function run(given: Given): Promise<void> {
  const config = loadConfig(process.env);
  const log = openLog(config.logLevel);
  if (given.given("bundle")) {
    const { codePath } = await bundle(log);
    console.log(codePath);
    return;
  }
  requireCluster(config, "worker");
  await warnAtStart(log, { readsGit: config.workerQueues.includes("git") });
  const scratch = join(config.dataDir, "work");
  await openWorkFolder(scratch);
  await using closing = new AsyncDisposableStack();
  closing.defer(() => log.flush());
  const lectern = await compose(config, { dataFolder: null, name: "lectern worker", log });
  closing.defer(lectern.close);
  const disks = watchDisks(writtenFolders(config, scratch), config.minFreeDisk, log);
  closing.defer(disks.close);
  await checkIndex(config, log);
  const stop = takeStopSignals({ log, deadline: lectern.stopDeadline });
  await lectern.open();
  const health = await serveHealth(config, lectern, disks, log);
  const others = queues.filter((queue) => !config.workerQueues.includes(queue));
  const left = others.length === 0 ? "" : ` Runs wait unless other workers serve ${others.join(", ")}.`;
  printStarted([`This worker serves ${config.workerQueues.join(", ")}.${left}`]);
  try {
    await Promise.race([stop.asked, lectern.ended]);
  } finally {
    stop.begin();
    await Promise.all([lectern.rest(), health?.close()]);
  }
}

/** Serves liveness, readiness (while the task queues are polled) and metrics. */
function serveHealth(
  config: Config,
  lectern: Lectern,
  disks: ReturnType<typeof watchDisks>,
  log: Logger,
): Promise<{ close(): Promise<void> }> | null {
  if (config.workerPort === 0) return null;
  const authenticate = createAuthentication({
    ports: lectern.ports,
    adminKeyHash: config.adminKey === null ? null : hashKey(config.adminKey),
  });
  const metrics = async (request: ApiRequest): Promise<ApiAnswer> => {
    if (!isLocal(config, request)) authorize(await authenticate(request.headers["authorization"]), "scrape");
    return scrapeAnswer(await lectern.telemetry.render());
  };
  const answer = async (request: ApiRequest): Promise<ApiAnswer> => {
    const { path } = request;
    if (path === "/metrics" || path === "/api/metrics")
      return metrics(request).catch((error: unknown) => {
        if (error instanceof Failure) return failureAnswer(error);
        throw error;
      });
    if (path === "/api/health") return jsonAnswer({ status: "ok", version: programVersion });
    if (path === "/api/ready" && lectern.working()) {
      const warnings = [...(await disks.warnings()), ...(await lectern.storageWarnings())];
      return jsonAnswer({ status: "ready", ...(warnings.length > 0 && { warnings }) });
    }
    if (path === "/api/ready")
      return failureAnswer(
        new Failure(
          "service_unavailable",
          "Not ready: this worker waits for Temporal, or is stopping. Its log says which.",
        ),
      );
    const message = "This is a worker: it serves only /api/health, /api/ready and /api/metrics.";
    return failureAnswer(new Failure("route_not_found", message));
  };
  return listen(answer, config, config.workerPort, log);
}
