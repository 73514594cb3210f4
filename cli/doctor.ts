import { access, constants } from "node:fs/promises";
import type { Deployment } from "../api/schemas/deployment.ts";
import { Failure, isFailure } from "../domain/failures.ts";
import { quantity } from "../domain/quantity.ts";
import { createClassifier } from "../sources/classifier/index.ts";
import { createEmbedder } from "../sources/embeddings/index.ts";
import { gitProblem, isOnPath } from "../sources/git/program.ts";
import { findChromium } from "../sources/lib/browser/chromium.ts";
import { codeOf } from "../stores/blobs/durable-files.ts";
import { createServerClient, type ServerClient } from "./client.ts";
import type { Given } from "./command.ts";
import { ConfigError, likelyTypos, loadConfig, type Config } from "./config.ts";
import { scarceDisks, writtenFolders } from "./disk-space.ts";
import { exitCodes, forPeople, printJson } from "./output.ts";
import { programVersion } from "./package-info.ts";
import { programName } from "./program-name.ts";
import { paint } from "./terminal.ts";

/** The result of a check. Only problems make the program exit with an error. */
interface Finding {
  readonly check: string;
  readonly state: "ok" | "warning" | "wrong";
  readonly message: string;
}

const ok = (check: string, message: string): Finding => ({ check, state: "ok", message });
const warning = (check: string, message: string): Finding => ({ check, state: "warning", message });
/** The message says what to do. */
const wrong = (check: string, message: string): Finding => ({ check, state: "wrong", message });

const signs = { ok: ["green", "✔"], warning: ["yellow", "!"], wrong: ["red", "✖"] } as const;

/** `lectern doctor`: checks this machine and the settings, and prints the state that the server reports. */
export async function run(given: Given): Promise<void> {
  let isWrong = false;
  for await (const finding of findings()) {
    isWrong ||= finding.state === "wrong";
    const [color, sign] = signs[finding.state];
    if (forPeople(given)) console.log(`${paint(color, sign)} ${finding.check.padEnd(12)} ${finding.message}`);
    else printJson(finding);
  }
  if (isWrong) process.exitCode = exitCodes.failed;
  else if (forPeople(given)) console.log("Nothing is wrong.");
}

async function* findings(): AsyncGenerator<Finding> {
  yield ok(
    "versions",
    `Lectern ${programVersion} on Node ${process.versions.node}, ${process.platform} ${process.arch}`,
  );
  const problem = await gitProblem();
  yield problem === undefined ? ok("git", "Found, and new enough.") : wrong("git", problem);
  yield isOnPath("ssh")
    ? ok("ssh", "Found.")
    : warning("ssh", "Not on the PATH: repositories by SSH are not read from here. Install OpenSSH's client.");
  for (const sentence of likelyTypos(process.env)) yield warning("settings", sentence);
  let config: Config;
  try {
    config = loadConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    yield* error.problems.map((sentence) => wrong("settings", sentence));
    return;
  }
  yield ok("settings", "All are valid.");
  yield chromium(config);
  yield* await otherServers(config);
  const client = createServerClient(config);
  const version = await client.json("GET", "/health").then(
    (health) => String(health["version"]),
    (error: unknown) => error,
  );
  if (typeof version === "string") yield* serverFindings(client, version, config);
  else {
    yield* failed("server", version);
    yield* await localFindings(config);
  }
}

function chromium({ chromiumPath }: Config): Finding {
  const path = findChromium(chromiumPath);
  if (path !== null) return ok("Chromium", path);
  const reason = chromiumPath === null ? "It is not on the PATH" : "CHROMIUM_PATH does not name a program";
  const message = `${reason}: pages that are empty without a browser are not read. Install Chromium, or set CHROMIUM_PATH.`;
  return chromiumPath === null ? warning("Chromium", message) : wrong("Chromium", message);
}

/** Tries the classifier and the embeddings of the settings, whose state no server reports. */
async function otherServers(config: Config): Promise<readonly Finding[]> {
  const { screenUrl, screenToken, embeddingsUrl, embeddingsModel, embeddingsApiKey } = config;
  const { signal } = new AbortController();
  const responds = (check: string, asked: Promise<unknown>): Promise<readonly Finding[]> =>
    asked.then(
      () => [ok(check, "It responds.")],
      (error: unknown) => failed(check, error),
    );
  const found: Promise<readonly Finding[]>[] = [];
  if (screenUrl !== null) {
    const screen = createClassifier({ url: screenUrl, token: screenToken, fails: "closed", onProblem: () => {} });
    found.push(responds("classifier", screen.judge([{ id: "0", text: "Call make()." }], signal)));
  }
  if (embeddingsUrl !== null) {
    const model = { url: embeddingsUrl, model: embeddingsModel ?? "", apiKey: embeddingsApiKey };
    found.push(responds("embeddings", createEmbedder(model).embed(["ready"], signal)));
  }
  return (await Promise.all(found)).flat();
}

/** What only this machine tells while no server responds; the last message of a server that does not start tells the rest. */
async function localFindings(config: Config): Promise<readonly Finding[]> {
  const { dataDir, minFreeDisk } = config;
  const folder = await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK).then(
    () => ok("data folder", dataDir),
    (error: unknown) =>
      codeOf(error) === "ENOENT"
        ? ok("data folder", `${dataDir} does not exist yet: ${programName()} serve creates it.`)
        : wrong("data folder", `This user has no access to ${dataDir}. Change its owner, or set DATA_DIR.`),
  );
  const scarce = await scarceDisks(writtenFolders(config, dataDir), minFreeDisk);
  return [folder, ...scarce.map((message) => wrong("disk", message))];
}

async function* serverFindings(client: ServerClient, version: string, config: Config): AsyncGenerator<Finding> {
  const base = await client.base();
  yield version === programVersion
    ? ok("server", `${base} responds.`)
    : warning("server", `${base} is Lectern ${version}, and this is ${programVersion}.`);
  yield* await readiness(client).catch((error: unknown) => failed("readiness", error));
  yield await clock(base);
  yield* await stateSeenWith(config.adminKey, client);
}

/** What the server tells of itself, if the key may read it. */
async function stateSeenWith(key: string | null, client: ServerClient): Promise<readonly Finding[]> {
  if (key === null) {
    const message =
      "LECTERN_ADMIN_KEY is not set: without it commands can only ask and search. The first start printed the key.";
    return [warning("key", message)];
  }
  try {
    const state = (await client.json("GET", "/v2/system")) as unknown as Deployment;
    return [ok("key", "The server accepts it, with the rights of the instance's administrators."), ...describe(state)];
  } catch (error) {
    if (!isFailure(error, "forbidden")) return failed("key", error);
    return [warning("key", "The server accepts it, but tells its state only to administrators of the instance.")];
  }
}

async function readiness(client: ServerClient): Promise<readonly Finding[]> {
  const { checks, warnings = [] } = (await client.json("GET", "/ready")) as {
    readonly checks: { readonly engine: string };
    readonly warnings?: readonly string[];
  };
  const found = checks.engine === "ok" ? warning : wrong;
  return warnings.length > 0 ? warnings.map((text) => found("readiness", text)) : [ok("readiness", "It is ready.")];
}

/** Tolerated clock difference, in seconds. */
const maxSkew = 60;

async function clock(base: string): Promise<Finding> {
  const { headers } = await fetch(`${base}/health`);
  const seconds = Math.round((Date.now() - Date.parse(headers.get("date") ?? "")) / 1000);
  if (Math.abs(seconds) <= maxSkew) return ok("clock", "It agrees with the server's clock.");
  if (Number.isNaN(seconds)) return warning("clock", "The server does not tell its time.");
  const by = `${Math.abs(seconds)} seconds ${seconds > 0 ? "ahead of" : "behind"}`;
  return wrong(
    "clock",
    `This machine's clock is ${by} the server's. Synchronise both with NTP, as the expiry of keys and TLS depend on them.`,
  );
}

function describe({
  catalog,
  index,
  blobs,
  engine,
  libraries,
  troubles,
  runs,
  ...state
}: Deployment): readonly Finding[] {
  const unpolled = (engine.queues ?? []).filter(({ workers }) => workers.length === 0).map(({ queue }) => queue);
  const troubled = Object.entries(troubles).flatMap(([trouble, count]) => (count > 0 ? [`, ${count} ${trouble}`] : []));
  const disks = Object.entries(state.freeDisk).map(
    ([setting, share]) => `${Math.round(share * 100)} % of the disk of ${setting} is free.`,
  );
  return [
    ok("stores", `Catalog: ${catalog}; index: ${index}; blobs: ${blobs}; engine: ${engine.kind}.`),
    ...(unpolled.length > 0 ? [wrong("workers", `None serves ${unpolled.join(", ")}: runs that need it wait.`)] : []),
    ok("libraries", `${quantity(libraries, "library")}${troubled.join("")}.`),
    ok("runs", `${runs.running} running, ${runs.queued} waiting.`),
    ok("backup", state.backedUpAt === null ? "None is known." : `The last was made ${state.backedUpAt}.`),
    ok("disk", disks.join(" ")),
  ];
}

/** The problem that a failed check is. @throws every other error */
function failed(check: string, error: unknown): readonly Finding[] {
  if (error instanceof Failure) return [wrong(check, error.message)];
  throw error;
}
