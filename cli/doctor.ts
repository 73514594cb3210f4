import { access, constants } from "node:fs/promises";
import { pino } from "pino";
import { codeOf } from "../stores/blobs/durable-files.ts";
import { ConfigError, likelyTypos, loadConfig, type Config } from "./config.ts";
import { Failure } from "../domain/failures.ts";
import { findChromium } from "../sources/lib/browser/chromium.ts";
import { createClassifier } from "../sources/classifier/index.ts";
import { createEmbedder } from "../sources/embeddings/index.ts";
import { gitProblem, isOnPath } from "../sources/git/program.ts";
import type { Given } from "./command.ts";
import { scarceDisks, writtenFolders } from "./disk-space.ts";
import { exitCodes, forPeople, printJson } from "./output.ts";
import { missingPackage, programVersion } from "./package-info.ts";
import { paint } from "./terminal.ts";
import { checkIndex } from "./server-setup.ts";
import { isCluster } from "./stores.ts";
import { createServerClient, pagesOf, type ServerClient } from "./client.ts";
import { programName } from "./program-name.ts";

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

type Check = () => Promise<readonly Finding[]>;

const signs = { ok: ["green", "✔"], warning: ["yellow", "!"], wrong: ["red", "✖"] } as const;

/** `lectern doctor`: checks the machine, the settings and the servers, and says what to do. */
export async function run(given: Given): Promise<void> {
  const checks: Check[] = [async () => [ok("versions", versions())], git];
  const config = readConfig();
  checks.push(async () => config.findings);
  if (config.read) checks.push(...checksOf(config.read));
  let isWrong = false;
  for (const check of checks) {
    for (const finding of await check()) {
      isWrong ||= finding.state === "wrong";
      print(given, finding);
    }
  }
  if (isWrong) process.exitCode = exitCodes.failed;
  else if (forPeople(given)) console.log("Nothing is wrong.");
}

function print(given: Given, finding: Finding): void {
  if (!forPeople(given)) return printJson(finding);
  const [color, sign] = signs[finding.state];
  console.log(`${paint(color, sign)} ${finding.check.padEnd(12)} ${finding.message}`);
}

function versions(): string {
  return `Lectern ${programVersion} on Node ${process.versions.node}, ${process.platform} ${process.arch}`;
}

function readConfig(): { readonly read?: Config; readonly findings: readonly Finding[] } {
  const typos = likelyTypos(process.env).map((sentence) => warning("settings", sentence));
  try {
    const read = loadConfig(process.env);
    return { read, findings: typos.length > 0 ? typos : [ok("settings", "All are valid.")] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { findings: [...error.problems.map((problem) => wrong("settings", problem)), ...typos] };
  }
}

function checksOf(config: Config): readonly Check[] {
  const { screenUrl, embeddingsUrl } = config;
  return [
    async () => chromium(config),
    ...(isCluster(config) ? [] : [() => dataFolder(config)]),
    () => disks(config),
    ...(config.databaseUrl === null ? [] : [() => part("PostgreSQL", () => askPostgres(config.databaseUrl ?? ""))]),
    ...(config.meiliUrl === null
      ? []
      : [() => part("Meilisearch", () => checkIndex(config, pino({ enabled: false })))]),
    ...(config.temporalAddress === null ? [] : [() => part("Temporal", askTemporal)]),
    ...(screenUrl === null ? [] : [() => part("classifier", () => askClassifier(screenUrl, config.screenToken))]),
    ...(embeddingsUrl === null ? [] : [() => part("embeddings", () => askEmbedder(embeddingsUrl, config))]),
    () => checkServer(config),
  ];
}

async function git(): Promise<readonly Finding[]> {
  const problem = await gitProblem();
  return [problem === undefined ? ok("git", "Found, and new enough.") : wrong("git", problem)];
}

function chromium({ chromiumPath }: Config): readonly Finding[] {
  const path = findChromium(chromiumPath);
  if (path !== null) return [ok("Chromium", path)];
  const reason = chromiumPath === null ? "It is not on the PATH" : "CHROMIUM_PATH does not name a program";
  const message = `${reason}: pages that are empty without a browser are not read. Install Chromium, or set CHROMIUM_PATH.`;
  return [chromiumPath === null ? warning("Chromium", message) : wrong("Chromium", message)];
}

async function dataFolder({ dataDir }: Config): Promise<readonly Finding[]> {
  try {
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    return [ok("data folder", dataDir)];
  } catch (error) {
    if (codeOf(error) === "ENOENT")
      return [ok("data folder", `${dataDir} does not exist yet: ${programName()} serve creates it.`)];
    return [wrong("data folder", `This user has no access to ${dataDir}. Change its owner, or set DATA_DIR.`)];
  }
}

async function disks(config: Config): Promise<readonly Finding[]> {
  const scarce = await scarceDisks(writtenFolders(config, config.dataDir), config.minFreeDisk);
  return scarce.length > 0 ? scarce.map((message) => wrong("disk", message)) : [ok("disk", "Enough free space.")];
}

/** Checks a server of the settings. */
async function part(name: string, ask: () => Promise<unknown>): Promise<readonly Finding[]> {
  try {
    await ask();
    return [ok(name, "It responds.")];
  } catch (thrown) {
    const error = missingPackage(thrown) ?? thrown;
    if (!(error instanceof Failure)) throw error;
    const cause =
      error.cause instanceof Error && !error.message.includes(error.cause.message) ? ` (${error.cause.message})` : "";
    return [wrong(name, `${error.message}${cause}`)];
  }
}

async function askPostgres(url: string): Promise<void> {
  const { openPostgresCatalog } = await import("../stores/catalog/postgres.ts");
  const catalog = await openPostgresCatalog({ url, poolSize: 1, name: "lectern doctor", migrate: false });
  await catalog.close();
}

async function askClassifier(url: URL, token: string | null): Promise<void> {
  const classifier = createClassifier({ url, token, fails: "closed", onProblem: () => undefined });
  await classifier.judge([{ id: "0", text: "Call make()." }], new AbortController().signal);
}

async function askEmbedder(url: URL, { embeddingsModel, embeddingsApiKey: apiKey }: Config): Promise<void> {
  const embedder = createEmbedder({ url, model: embeddingsModel ?? "", apiKey });
  await embedder.embed(["ready"], new AbortController().signal);
}

async function askTemporal(): Promise<void> {
  const { connectTemporal } = await import("../workers/temporal-connection.ts");
  const temporal = connectTemporal({ env: process.env, log: pino({ enabled: false }) });
  try {
    await temporal.check();
  } finally {
    await temporal.close();
  }
}

/** Tolerated clock difference, in seconds. */
const maxSkew = 60;

/** Checks that the server responds, is ready, has this version, accepts the key, and has the same time. */
async function checkServer(config: Config): Promise<readonly Finding[]> {
  const client = createServerClient(config);
  return orWrong("server", async () => {
    const { version } = await client.json("GET", "/health");
    return [
      version === programVersion
        ? ok("server", `${await client.base()} responds.`)
        : warning("server", `${await client.base()} is Lectern ${String(version)}, and this is ${programVersion}.`),
      ...(await orWrong("readiness", () => readiness(client))),
      await clock(client),
      await key(client, config),
      await ssh(client, config),
    ];
  });
}

/** Checks that the program ssh is there; without it, whether a credential or library of the server needs it. */
async function ssh(client: ServerClient, config: Config): Promise<Finding> {
  if (isOnPath("ssh")) return ok("ssh", "Found.");
  const user = await userOfSsh(client).catch((error: unknown) => {
    // The key has a finding of its own.
    if (error instanceof Failure) return undefined;
    throw error;
  });
  const message = `The program ssh is not on the PATH: repositories by SSH${user === undefined ? "" : `, such as of ${user},`} are not read. Install OpenSSH's client`;
  // In a cluster the workers read repositories.
  if (isCluster(config)) return warning("ssh", `${message} on workers with the queue git.`);
  return user === undefined ? warning("ssh", `${message} to add one.`) : wrong("ssh", `${message}.`);
}

/** A credential or library that needs ssh; undefined: none that the key sees. */
async function userOfSsh(client: ServerClient): Promise<string | undefined> {
  const { credentials } = (await client.json("GET", "/v2/credentials")) as {
    readonly credentials: readonly { readonly name: string; readonly host: string }[];
  };
  const shared = credentials.find(({ host }) => host.startsWith("ssh:"));
  if (shared) return `the credential "${shared.name}"`;
  const listed = { kind: "git", limit: "100" };
  for await (const page of pagesOf<{ id: string; source: string }>(client, "/v2/libs", "libraries", listed)) {
    const library = page.find(({ source }) => source.startsWith("ssh:"));
    if (library) return library.id;
  }
  return undefined;
}

/** The findings of a check; one problem if it fails. */
async function orWrong(name: string, check: Check): Promise<readonly Finding[]> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof Failure) return [wrong(name, error.message)];
    throw error;
  }
}

async function readiness(client: ServerClient): Promise<readonly Finding[]> {
  const { warnings = [] } = (await client.json("GET", "/ready")) as { readonly warnings?: readonly string[] };
  return warnings.length > 0 ? warnings.map((text) => warning("readiness", text)) : [ok("readiness", "It is ready.")];
}

async function clock({ base }: ServerClient): Promise<Finding> {
  const { headers } = await fetch(`${await base()}/health`);
  const seconds = Math.round((Date.now() - Date.parse(headers.get("date") ?? "")) / 1000);
  if (Math.abs(seconds) <= maxSkew) return ok("clock", "It agrees with the server's clock.");
  if (Number.isNaN(seconds)) return warning("clock", "The server does not tell its time.");
  const by = `${Math.abs(seconds)} seconds ${seconds > 0 ? "ahead of" : "behind"}`;
  return wrong(
    "clock",
    `This machine's clock is ${by} the server's. Synchronise both with NTP, as the expiry of keys and TLS depend on them.`,
  );
}

async function key(client: ServerClient, { adminKey }: Config): Promise<Finding> {
  if (adminKey === null)
    return warning(
      "key",
      "LECTERN_ADMIN_KEY is not set: without it commands can only ask and search. The first start printed the key.",
    );
  try {
    await client.json("GET", "/v2/keys");
    return ok("key", "The server accepts it, with admin rights.");
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return error.code === "forbidden"
      ? warning("key", "The server accepts it, without admin rights.")
      : wrong("key", error.message);
  }
}
