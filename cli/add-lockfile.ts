import { openAsBlob } from "node:fs";
import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Resolved, ResolvedPackages } from "../api/answer-types.ts";
import { withQuery } from "../api/request.ts";
import { Failure, isFailure } from "../domain/failures.ts";
import { quantity } from "../domain/quantity.ts";
import { packageLabel } from "../domain/resolving.ts";
import { patiently, type ServerClient } from "./client.ts";
import type { Given } from "./command.ts";
import { exitCodes, forPeople, printRows } from "./output.ts";
import { paint, rawOf } from "./terminal.ts";
import { bar, readStatus } from "./watching.ts";

/** Poll interval of a run, in milliseconds. */
const pollInterval = 500;
/** The operation that submits packages that are missing, or have nothing to read. */
const addPath = "/v2/add/package";
/** Maximum number of concurrent runs to wait for. */
const atOnce = 4;

/** A package with its outcome. */
interface Row extends Pick<Resolved, "registry" | "name" | "version"> {
  readonly libraryId: string;
  readonly state: "indexed" | "added" | "submitted" | "failed";
  readonly message: string;
}

/** `lectern add --lockfile FILE`: submits the packages of a project that are not indexed, at their versions. */
export async function addLockfile(client: ServerClient, given: Given, file: string): Promise<void> {
  const form = new FormData();
  form.set("lockfile", await lockfileAt(file), basename(file));
  const resolution = (await client.json("POST", "/v2/resolve", form)) as unknown as ResolvedPackages;
  const { format, packages, others, leftOut } = resolution;
  const isWanted = ({ direct, dev }: Resolved): boolean =>
    (given.text("depth") === "all" || direct !== false) && (given.given("dev") || dev !== true);
  const wanted = packages.filter(isWanted);
  const showsBar = process.stderr.isTTY && forPeople(given);
  const rows: Row[] = [];
  const showBar = (): void => {
    const text = `${bar(rows.length, wanted.length)} ${rows.length} of ${quantity(wanted.length, "package")}`;
    if (showsBar) rawOf(process.stderr).write(`\r${text}`);
  };
  const queue = wanted.values();
  showBar();
  // Each worker takes the next package from the queue when it has finished one.
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const resolved of queue) {
        rows.push(await ensureIndexed(client, resolved, !given.given("no-wait")));
        showBar();
      }
    }),
  );
  if (showsBar) process.stderr.write("\n");
  const sorted = rows.toSorted((one, other) => (one.libraryId < other.libraryId ? -1 : 1));
  printRows(
    given,
    sorted,
    (row) => [row.libraryId, row.version, stateOf(row), row.message],
    `${format} has no matching packages.`,
  );
  const failed = rows.filter(({ state }) => state === "failed").length;
  if (forPeople(given)) {
    const skipped = packages.length - wanted.length;
    const parts = [
      `${wanted.length - failed} of ${quantity(wanted.length, "package")} indexed or submitted`,
      ...(skipped > 0 ? [`${skipped} skipped (--dev and --depth all include them)`] : []),
      ...(others > 0 ? [`${others} not from a registry`] : []),
      ...(leftOut > 0 ? [`${leftOut} left out`] : []),
    ];
    console.log(`${parts.join(", ")}.`);
  }
  if (failed > 0) process.exitCode = exitCodes.failed;
}

/** Submits a package at its version, unless it is indexed. */
async function ensureIndexed(client: ServerClient, resolved: Resolved, wait: boolean): Promise<Row> {
  const { registry, name, version, libraryId } = resolved;
  const row = { registry, name, version, libraryId, message: "" };
  try {
    if (resolved.found === "exact") return { ...row, state: "indexed" };
    const isNew = resolved.get?.path === addPath;
    if (isNew && resolved.get) await send(client, resolved.get.path, resolved.get.body);
    if (isNew && !wait) return { ...row, state: "submitted" };
    // Its versions are unknown until its first run ends.
    const failure = wait && (isNew || resolved.indexing) ? await untilEnded(client, libraryId) : undefined;
    // Its default version may be the installed one.
    const current = await resolve(client, resolved);
    if (current.found === "exact") return { ...row, state: "added" };
    if (failure !== undefined && current.get?.path === addPath) return { ...row, state: "failed", message: failure };
    if (current.get !== null) await send(client, current.get.path, current.get.body);
    if (!wait) return { ...row, state: "submitted" };
    const ended = await untilEnded(client, `${libraryId}@${version}`);
    return ended === undefined ? { ...row, state: "added" } : { ...row, state: "failed", message: ended };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { ...row, state: "failed", message: `${packageLabel(resolved)}: ${error.message}` };
  }
}

function resolve(client: ServerClient, { registry, name, version }: Resolved): Promise<Resolved> {
  const path = withQuery("/v2/resolve", { registry, name, version });
  return client.json("GET", path) as unknown as Promise<Resolved>;
}

/** Sends a submission, and repeats it while a rate limit refuses it. An existing library is not a failure. */
async function send(client: ServerClient, path: string, body: unknown): Promise<void> {
  try {
    await patiently(() => client.json("POST", path, body));
  } catch (error) {
    if (!isFailure(error, "duplicate_library")) throw error;
  }
}

/** Waits until a version has no open run. Returns the message of the last run's failure; undefined if it succeeded. */
async function untilEnded(client: ServerClient, library: string): Promise<string | undefined> {
  for (;;) {
    const { runs } = await readStatus(client, library);
    const [last] = runs;
    if (last?.state === "closed") return last.failure?.message;
    await sleep(pollInterval);
  }
}

async function lockfileAt(path: string): Promise<Blob> {
  try {
    return await openAsBlob(path);
  } catch (cause) {
    throw new Failure("validation_error", `${path} cannot be read. Give the path of a lockfile.`, { cause });
  }
}

function stateOf({ state }: Row): string {
  return paint(state === "failed" ? "red" : state === "submitted" ? "yellow" : "green", state);
}
