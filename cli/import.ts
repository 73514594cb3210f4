import { quantity } from "../domain/quantity.ts";
import { kindOf, refOf } from "../domain/kinds/index.ts";
import { createReadStream } from "node:fs";
import { access } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { generationPrefix } from "../activities/parts.ts";
import { toRecord, servedPassages, type Manifest } from "../domain/generation.ts";
import { createSigner, fingerprintOf } from "../activities/export-signature.ts";
import { exportLines } from "../activities/export-format.ts";
import { importGeneration, type Imported } from "../activities/transfer.ts";
import { loadConfig } from "./config.ts";
import { Failure } from "../domain/failures.ts";
import { foldId, showLibrary } from "../domain/library.ts";
import type { RunRecord } from "../domain/ports.ts";
import type { Releases } from "../domain/passage.ts";
import { newLibrary, newRun, uploadPrefix } from "../domain/submitting.ts";
import type { Given } from "./command.ts";
import { compose, type Lectern } from "./compose.ts";
import { openDataFolder } from "./data-folder.ts";
import { newId } from "./ids.ts";
import { auditedAct } from "./audit-log.ts";
import { openLog } from "./log.ts";
import { takeStopSignals } from "./stopping.ts";
import { isCluster } from "./stores.ts";
import { programName } from "./program-name.ts";

/** `lectern import`: imports an export and publishes it. Locks the data folder. */
export async function run(given: Given): Promise<void> {
  const [file = ""] = given.words;
  if (file !== "-") {
    await access(file).catch((cause: unknown) => {
      throw new Failure("validation_error", `${file} cannot be read.`, { cause });
    });
  }
  const config = loadConfig(process.env);
  await using closing = new AsyncDisposableStack();
  const data = isCluster(config) ? null : await openDataFolder(config.dataDir);
  closing.defer(() => data?.close());
  const log = openLog("warn", { sync: true });
  const lectern = await compose(config, { dataFolder: data?.path ?? null, name: "lectern import", log });
  closing.defer(lectern.close);
  // After a stop, the next start continues the run.
  const stopped = new AbortController();
  const { blobs } = lectern.stores;
  const lines = exportLines(file === "-" ? process.stdin : createReadStream(file));
  const imported = await importGeneration(blobs, lines, newId(), {
    releasesOf: (read) => releasesOf(lectern, read),
    screen: lectern.screen,
  });
  const { manifest, upload, signedBy } = imported;
  try {
    const { library, version } = manifest;
    const act = {
      command: "import",
      action: "library.import",
      target: showLibrary(foldId(library.id), version),
    } as const;
    void takeStopSignals({ log }).asked.then(() => stopped.abort());
    await auditedAct(lectern.ports.catalog, act, () => publish(lectern, imported, data !== null, stopped.signal));
    report(manifest, originOf(lectern, signedBy));
  } catch (error) {
    // The unpublished generation of a run is removed when the run ends, or by the sweep.
    const run = await lectern.ports.catalog.runs.get(manifest.generation);
    if (!run) await blobs.removeAll(generationPrefix(manifest.generation));
    if (data && !stopped.signal.aborted) await lectern.sweep({ thorough: true });
    throw error;
  } finally {
    // Unless a library uses the imported file.
    if (upload !== null && !(await lectern.ports.catalog.libraries.uploads()).has(upload))
      await blobs.removeAll(uploadPrefix(upload));
  }
}

async function publish(
  lectern: Lectern,
  { manifest, upload }: Imported,
  alone: boolean,
  stopped: AbortSignal,
): Promise<void> {
  const { catalog, now } = lectern.ports;
  const { library, version } = manifest;
  const name = showLibrary(library.id, version);
  const opened = await openRun(lectern, manifest, upload);
  await catalog.generations.stage(toRecord(manifest, opened.libraryUid, now()));
  // In a cluster workers execute the run.
  if (alone) await lectern.open();
  else await lectern.ports.indexing.start(opened);
  let ended = await catalog.runs.get(opened.runId);
  for (; ended?.state === "open" && !stopped.aborted; ended = await catalog.runs.get(opened.runId)) await sleep(100);
  if (ended?.state === "open")
    throw new Failure(
      "service_unavailable",
      `Stopped waiting. ${name} is published by ${alone ? "the next start of the server" : "the workers"}.`,
    );
  if (ended?.outcome !== "published") {
    throw new Failure(
      ended?.failure?.code ?? "internal_error",
      ended?.failure?.message ?? `${name} could not be published.`,
    );
  }
}

/** The released passages of the library, if it exists. */
async function releasesOf({ ports }: Lectern, { library, version }: Manifest): Promise<Releases> {
  const view = await ports.catalog.libraries.find([library.teamspace], foldId(library.id), version);
  return view?.library.chosen ?? {};
}

/** The origin of an export, as a sentence. */
function originOf({ stores }: Lectern, signedBy: string | undefined): string {
  if (signedBy === undefined) return "The export is not signed: its origin is unknown.";
  if (createSigner(stores.ring.map(({ key }) => key)).isOwn(signedBy)) return "The export was signed by this instance.";
  return `The export was signed by another instance, whose key is ${fingerprintOf(signedBy)}.`;
}

function report({ library, version, counts, revision, notes = [] }: Manifest, origin: string): void {
  const name = showLibrary(library.id, version);
  console.log(`${name} was imported: ${quantity(servedPassages(counts), "passage")} at ${revision}.`);
  console.log(origin);
  if (counts.quarantined > 0)
    console.log(`${quantity(counts.quarantined, "passage")} quarantined: ${programName()} status ${name} --held-back`);
  for (const note of notes) console.log(note);
}

/** Opens the run that loads and publishes the imported generation, of an existing or a new library. */
async function openRun({ ports }: Lectern, manifest: Manifest, upload: string | null): Promise<RunRecord> {
  const { catalog, now } = ports;
  const { library, version, generation } = manifest;
  if (library.teamspace === "" && kindOf(manifest.source).teamspaceOnly === true)
    throw new Failure(
      "validation_error",
      `${library.id} is of a kind that belongs to a teamspace, but the export names none.`,
    );
  // The run gets the ID of the generation, like any run that makes one.
  const run = { ...newRun(ports, "import", generation), runId: generation };
  const existing = await catalog.libraries.find([library.teamspace], foldId(library.id), version);
  if (!existing) {
    if (version !== "")
      throw new Failure("validation_error", `Import ${library.id} without a version first, then ${version}.`);
    const { title, description, source } = manifest;
    const { teamspace, id } = library;
    const made = { teamspace, id, title, description, source, credential: null, submittedBy: null, upload };
    if (teamspace !== "") await catalog.teamspaces.add({ id: teamspace, title: teamspace, createdAt: now() });
    const result = await catalog.libraries.create(newLibrary(ports, made), refOf(source), run);
    if ("exists" in result) throw new Failure("duplicate_library", `${library.id} was added meanwhile. Import again.`);
    return result.created.run;
  }
  await catalog.libraries.addVersion(existing.library.uid, version, manifest.ref);
  const opened = await catalog.runs.open(existing.library.uid, version, run, now());
  if (!opened) throw new Failure("library_not_found", `${library.id} was deleted meanwhile.`);
  if (opened.joined) {
    throw new Failure("run_open", `${library.id} has an open run. Start the server, let it finish, and import again.`);
  }
  return opened.run;
}
