import { openAsBlob } from "node:fs";
import { basename } from "node:path";
import { loadConfig, ownDocsFolder } from "./config.ts";
import { Failure } from "../domain/failures.ts";
import { createServerClient, withQuery } from "./client.ts";
import type { ServerClient } from "./client.ts";
import type { Given } from "./command.ts";
import { ownDocs } from "./own-docs.ts";
import { secretFields } from "./secret-input.ts";
import { typedSource } from "./typed-source.ts";
import type { TypedSource } from "./typed-source.ts";
import { followSubmitted, readStatus } from "./watching.ts";
import { setTimeout as sleep } from "node:timers/promises";
import type { Resolved, ResolvedPackages } from "../api/answer-types.ts";
import { counted } from "../domain/counted.ts";
import { packageLabel } from "../domain/resolving.ts";
import { exitCodes, forPeople, printRows } from "./output.ts";
import { paint, rawOf } from "./terminal.ts";

/** `lectern add`: submits a source to a running server, and waits for it. */
export async function run(given: Given): Promise<void> {
  const config = loadConfig(process.env);
  const lockfile = given.text("lockfile");
  if (lockfile !== undefined) return addLockfile(createServerClient(config), given, lockfile);
  if (given.words.length === 0)
    throw new Failure("validation_error", "Name a source, or the packages of a project with --lockfile FILE.");
  const source = await typedSource(given);
  if (given.given("force") && !source.file)
    throw new Failure("validation_error", "--force is for uploaded files only.");
  const body = {
    ...source.body,
    ...(source.body["path"] === ownDocsFolder && { libraryName: ownDocs.id, title: ownDocs.title }),
    ...commonBody(given, source),
    ...(await secretFields(given, config.gitToken, source.fields)),
  };
  const client = createServerClient(config);
  const sent = source.file ? await toForm(source.file, body) : body;
  await followSubmitted(client, given, await client.json("POST", source.path, sent));
}

/** The fields of submissions of all kinds. */
function commonBody(given: Given, { file }: TypedSource): Record<string, unknown> {
  const fields = { libraryName: "name", [file?.title ?? "title"]: "title", description: "description" };
  const texts = Object.entries(fields).flatMap(([field, option]) => {
    const text = given.text(option);
    return text === undefined ? [] : [[field, text] as const];
  });
  return {
    ...Object.fromEntries(texts),
    ...(given.given("private") && { private: true }),
    ...(given.given("force") && { force: true }),
  };
}

async function toForm(
  { path, field }: NonNullable<TypedSource["file"]>,
  fields: Readonly<Record<string, unknown>>,
): Promise<FormData> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, String(value));
  form.set(field, await openAsBlob(path), basename(path));
  return form;
}

/** Pause before a refused request is sent again, and poll interval of a run, in milliseconds. */
const pause = 2000;
/** Where packages are submitted that are not there, or of which nothing can be read. */
const addPath = "/v2/add/package";
/** Maximum number of concurrent runs to wait for. */
const atOnce = 4;

/** A package with its outcome. */
interface Row extends Pick<Resolved, "registry" | "name" | "version"> {
  readonly libraryId: string;
  readonly state: "indexed" | "added" | "submitted" | "failed";
  readonly message: string;
}

/** `lectern add --lockfile FILE`: submits the packages of a project that are not indexed, each at its version. */
async function addLockfile(client: ServerClient, given: Given, file: string): Promise<void> {
  const form = new FormData();
  form.set("lockfile", await lockfileAt(file), basename(file));
  const { format, packages, others, leftOut } = (await client.json(
    "POST",
    "/v2/resolve",
    form,
  )) as unknown as ResolvedPackages;
  const isWanted = ({ direct, dev }: Resolved): boolean =>
    (given.text("depth") === "all" || direct !== false) && (given.given("dev") || dev !== true);
  const wanted = packages.filter(isWanted);
  const tell = (done: number): void => {
    if (process.stderr.isTTY && forPeople(given)) rawOf(process.stderr).write(`\r${bar(done, wanted.length)}`);
  };
  const rows: Row[] = [];
  const open = wanted.values();
  tell(0);
  // Each worker takes the next package when it has finished one.
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const one of open) {
        rows.push(await have(client, one, !given.given("no-wait")));
        tell(rows.length);
      }
    }),
  );
  if (process.stderr.isTTY && forPeople(given)) process.stderr.write("\n");
  const sorted = rows.toSorted((one, other) => (one.libraryId < other.libraryId ? -1 : 1));
  printRows(
    given,
    sorted,
    (row) => [row.libraryId, row.version, stateOf(row), row.message],
    `${format} has no packages that are asked for.`,
  );
  const failed = rows.filter(({ state }) => state === "failed").length;
  if (forPeople(given)) {
    const rest = [
      ...(packages.length > wanted.length
        ? [`${counted(packages.length - wanted.length, "package")} not asked for (--dev, --depth all)`]
        : []),
      ...(others > 0 ? [`${others} from no registry`] : []),
      ...(leftOut > 0 ? [`${leftOut} left out`] : []),
    ];
    console.log(
      `${counted(wanted.length - failed, "package")} of ${wanted.length} can be asked${rest.length === 0 ? "." : `; ${rest.join(", ")}.`}`,
    );
  }
  if (failed > 0) process.exitCode = exitCodes.failed;
}

/** Indexes a package at its version, unless it is indexed. */
async function have(client: ServerClient, one: Resolved, wait: boolean): Promise<Row> {
  const { registry, name, version, libraryId } = one;
  const row = { registry, name, version, libraryId, message: "" };
  try {
    if (one.found === "exact") return { ...row, state: "indexed" };
    const isNew = one.get?.path === addPath;
    if (isNew && one.get) await send(client, one.get.path, one.get.body);
    if (isNew && !wait) return { ...row, state: "submitted" };
    // Until its first run ends, no version of it is known.
    const added = wait && (isNew || one.indexing) ? await untilEnded(client, libraryId) : undefined;
    // Its default version may be the installed one.
    const again = await resolve(client, one);
    if (again.found === "exact") return { ...row, state: "added" };
    if (added !== undefined && again.get?.path === addPath) return { ...row, state: "failed", message: added };
    if (again.get !== null) await send(client, again.get.path, again.get.body);
    if (!wait) return { ...row, state: "submitted" };
    const ended = await untilEnded(client, `${libraryId}@${version}`);
    return ended === undefined ? { ...row, state: "added" } : { ...row, state: "failed", message: ended };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { ...row, state: "failed", message: `${packageLabel(one)}: ${error.message}` };
  }
}

function resolve(client: ServerClient, { registry, name, version }: Resolved): Promise<Resolved> {
  const path = withQuery("/v2/resolve", { registry, name, version });
  return client.json("GET", path) as unknown as Promise<Resolved>;
}

/** Sends a submission, and retries while a rate limit refuses it. An existing library is not a failure. */
async function send(client: ServerClient, path: string, body: unknown): Promise<void> {
  for (;;) {
    try {
      await client.json("POST", path, body);
      return;
    } catch (error) {
      if (!(error instanceof Failure) || error.code === "duplicate_library") {
        if (error instanceof Failure) return;
        throw error;
      }
      if (error.code !== "rate_limit_exceeded") throw error;
      await sleep(pause);
    }
  }
}

/** Waits until a version has no open run. Returns the failure of the last one; undefined: it succeeded. */
async function untilEnded(client: ServerClient, library: string): Promise<string | undefined> {
  for (;;) {
    const { runs } = await readStatus(client, library);
    const [last] = runs;
    if (last?.state === "closed") return last.failure?.message;
    await sleep(pause / 4);
  }
}

async function lockfileAt(path: string): Promise<Blob> {
  try {
    return await openAsBlob(path);
  } catch (cause) {
    throw new Failure("validation_error", `${path} cannot be read. Give the path of a lockfile.`, { cause });
  }
}

function bar(done: number, all: number): string {
  const width = 30;
  const filled = all === 0 ? width : Math.round((done / all) * width);
  return `${"█".repeat(filled)}${"░".repeat(width - filled)} ${done} of ${counted(all, "package")}`;
}

function stateOf({ state }: Row): string {
  return paint(state === "failed" ? "red" : state === "submitted" ? "yellow" : "green", state);
}
