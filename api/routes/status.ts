import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod";
import type { Caller } from "../../domain/access.ts";
import { redirected } from "../../domain/answering.ts";
import { may, seesDisk } from "../../domain/authorizing.ts";
import { dayOf } from "../../domain/days.ts";
import { credentialNotes } from "../../domain/credentials.ts";
import { Failure, isFailure } from "../../domain/failures.ts";
import {
  forOtherReaders,
  maxShownTitle,
  type Manifest,
  type ManifestPage,
  type PageOutcome,
} from "../../domain/generation.ts";
import { linkedLibraries } from "../../domain/linked-packages.ts";
import { parseLibraryId, showLibrary } from "../../domain/library.ts";
import type { LibraryRecord, RunRecord, VersionRecord } from "../../domain/ports.ts";
import { removalTime } from "../../domain/unused-versions.ts";
import { findLibrary } from "../../domain/submitting.ts";
import { nearestNames } from "../../domain/versions.ts";
import { failureBody, jsonAnswer } from "../answers.ts";
import type { ApiOptions, ApiPorts } from "../options.ts";
import { pageOf } from "../paging.ts";
import { integer, libraryIdText, text } from "../parameters.ts";
import { withoutDisk } from "../served-addresses.ts";
import { libraryFailures, route, success, type ApiMemory, type Route } from "../route.ts";
import { pagesSchema, statusSchema } from "../schemas/status.ts";
import { toStatus } from "../status.ts";

/** Maximum number of runs in a status. */
const runsShown = 10;
/** Maximum number of questions that found nothing in a status. */
const missesShown = 20;
/** Maximum number of versions in a message. */
const versionsNamed = 8;
/** Number of runs that are read, of all versions, to find those of one. */
const runsRead = 100;
/** Polling interval of a stream, in milliseconds. */
const streamInterval = 1000;
/** Polls without changes after which a stream sends a keep-alive. */
const keepAlivePolls = 15;
/** Maximum number of polls of a stream. Clients reconnect. */
const maxPolls = 900;

const parameters = z.object({
  libraryId: libraryIdText.describe(
    "Library ID: `/owner/name`, or `/source/name`; an indexed version after `/` or `@`: a tag or branch in any usual notation, a range such as `^4`, `4.x` or `>=3 <5`, or `latest`. A missing leading slash is forgiven.",
  ),
});
const pageParameters = parameters.extend({
  outcome: z
    .enum(["indexed", "skipped", "failed"], { error: "must be indexed, skipped or failed" })
    .optional()
    .describe("Only pages of this outcome."),
  limit: integer(1, 1000).prefault(100).describe("Maximum number of pages in one answer."),
  cursor: text(1, 500).optional().describe("`next` of the previous answer."),
});

const common = { method: "GET", scope: "read", limit: "read" } as const;
const failures = [...libraryFailures, "library_redirected", "tag_not_found", "access_denied"] as const;

/** The status of a library. */
export const statusRoutes: readonly Route[] = [
  route({
    ...common,
    path: "/api/v2/libs/status",
    isPolled: true,
    about: { operationId: "getStatus", tag: "Operations", summary: "Get the status of a library" },
    parameters,
    answers: success(statusSchema),
    failures,
    handler: async ({ caller, parameters: { libraryId }, options, memory }) =>
      jsonAnswer(await readStatus(options, memory, caller, libraryId)),
  }),
  route({
    ...common,
    path: "/api/v2/libs/status/pages",
    about: {
      operationId: "getPages",
      tag: "Operations",
      summary: "Get the outcome of every page",
      description: "Of the newest run that read its source completely.",
    },
    parameters: pageParameters,
    answers: success(pagesSchema),
    failures: [...failures, "format_unknown"],
    async handler({ caller, parameters, options: { ports } }) {
      const { library, version } = await findVersion(ports, caller, parameters.libraryId);
      const manifest = await newestManifest(ports, version, await runsOf(ports, library, version));
      const all = manifest?.pages ?? [];
      const { outcome } = parameters;
      const wanted = outcome === undefined ? all : all.filter((page) => page.outcome === outcome);
      const { items, total, next } = pageOf(wanted, parameters, manifest?.generation ?? "");
      const count = (of: string): number => all.reduce((sum, page) => sum + (page.outcome === of ? 1 : 0), 0);
      return jsonAnswer({
        libraryId: library.id,
        version: version.version,
        generation: manifest?.generation ?? null,
        revision: manifest?.revision ?? null,
        outcomes: { indexed: count("indexed"), skipped: count("skipped"), failed: count("failed") },
        pages: items.map((page) => {
          const shown = toPage(seesDisk(caller, library) ? page : withoutDisk(page));
          return may(caller, "library.change", library) ? shown : forOtherReaders(shown);
        }),
        total,
        next,
      });
    },
  }),
  route({
    ...common,
    path: "/api/v2/libs/status/stream",
    about: {
      operationId: "streamStatus",
      tag: "Operations",
      summary: "Stream the status as server-sent events",
      description:
        "`status` events with the status as data, at once and on every change; a final `failure` event with an error body if it cannot be read any more. Ends after a quarter of an hour at the latest; reconnect then.",
    },
    parameters,
    answers: { 200: { description: "Success.", content: { "text/event-stream": z.string() } } },
    failures: [...failures, "service_unavailable"],
    async handler({ request, caller, recheck, parameters: { libraryId }, options, memory }) {
      const first = await readStatus(options, memory, caller, libraryId);
      const read = async () => readStatus(options, memory, await recheck(), libraryId);
      const release = memory.streams.open(caller);
      // The generator releases the stream too, but runs only when the client reads; for HEAD never.
      request.signal.addEventListener("abort", release, { once: true });
      if (request.method === "HEAD" || request.signal.aborted) release();
      return {
        status: 200,
        headers: { "Content-Type": "text/event-stream", "X-Accel-Buffering": "no" },
        body: statusEvents(read, first, release, request.signal),
      };
    },
  }),
];

/** The status at the start, then whenever it changes. */
async function* statusEvents(
  read: () => Promise<object>,
  first: object,
  release: () => void,
  signal: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  try {
    let sent = JSON.stringify(first);
    yield serverSentEvent("status", sent);
    let unchanged = 0;
    for (let poll = 0; poll < maxPolls; poll += 1) {
      await pause(streamInterval, undefined, { signal });
      const current = JSON.stringify(await read());
      unchanged = current === sent ? unchanged + 1 : 0;
      if (current !== sent) yield serverSentEvent("status", (sent = current));
      else if (unchanged % keepAlivePolls === 0) yield ": nothing new\n\n";
    }
  } catch (error) {
    if (signal.aborted) return;
    if (!(error instanceof Failure)) throw error;
    yield serverSentEvent("failure", JSON.stringify(failureBody(error)));
  } finally {
    release();
  }
}

/** A server-sent event, with a `data:` field for each line. */
export function serverSentEvent(name: string, data: string): string {
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
  return `event: ${name}\n${lines.join("")}\n`;
}

async function readStatus(
  { ports, settings }: Pick<ApiOptions, "ports" | "settings">,
  { notesOf, unreadOf }: Pick<ApiMemory, "notesOf" | "unreadOf">,
  caller: Caller,
  libraryId: string,
): Promise<object> {
  const view = await findVersion(ports, caller, libraryId);
  const { library, version } = view;
  const { catalog } = ports;
  const [runs, generations, refsLeftOut] = await Promise.all([
    runsOf(ports, library, version),
    catalog.generations.of(library.uid, version.version),
    catalog.libraries.refsLeftOut(library.uid),
  ]);
  const held = generations.find(({ state }) => state === "held");
  // Without a live generation, the notes of the last run say why.
  const last = runs.find(({ state }) => state === "closed");
  const generation = version.live?.id ?? last?.generation ?? last?.runId;
  const manifestNotes = generation === undefined ? [] : await notesOf(generation);
  const unread = generation === undefined ? undefined : await unreadOf(generation);
  const notes = [
    ...(await credentialNotes(ports, library)),
    ...manifestNotes,
    ...(await embeddingNote(ports, version)),
  ];
  const heldNotes = held === undefined ? [] : await notesOf(held.id);
  const isAdministrator = may(caller, "library.change", library);
  const misses = isAdministrator ? await catalog.libraries.misses(library.uid, missesShown) : undefined;
  const removedAt = await removalOf(ports, settings.unusedVersionDays, library, version);
  const linked = await linkedLibraries(ports, caller, await ports.policies.of(caller), library);
  return toStatus(
    caller,
    { ...view, refsLeftOut, notes: [...notes, ...removalNote(version, removedAt)], unread, misses, linked, removedAt },
    version,
    runs,
    held && { ...held, notes: heldNotes },
  );
}

/** A note if the current model has not embedded the live generation. The index need not answer. */
async function embeddingNote({ embedder, passages }: ApiPorts, { live }: VersionRecord): Promise<readonly string[]> {
  if (embedder === undefined || live === null) return [];
  const model = await passages.model(live.id).catch((error: unknown) => {
    if (!isFailure(error, "search_failed")) throw error;
    return undefined;
  });
  if (model === undefined || model === embedder.model) return [];
  return [
    `${embedder.model} has not embedded the passages yet: until it has, the table of word pieces tells meanings.`,
  ];
}

/** When an unused version is removed; null: never, or unknown. */
async function removalOf(
  { catalog }: ApiPorts,
  days: number,
  library: LibraryRecord,
  version: VersionRecord,
): Promise<number | null> {
  if (version.version === "" || removalTime(library, version, undefined, days) === null) return null;
  const versions = await catalog.libraries.versionsOf(library.uid);
  return removalTime(
    library,
    version,
    versions.find((one) => one.version === ""),
    days,
  );
}

function removalNote({ version, readAt }: VersionRecord, removedAt: number | null): readonly string[] {
  if (removedAt === null) return [];
  const asked = readAt === null ? "has not been asked for yet" : `was last asked for on ${dayOf(readAt)}`;
  return [`The version ${version} ${asked}, and is removed on ${dayOf(removedAt)} unless it is used before.`];
}

async function findVersion(
  ports: ApiPorts,
  caller: Caller,
  libraryId: string,
): Promise<{ library: LibraryRecord; version: VersionRecord; versions: readonly string[] }> {
  const view = await findLibrary(ports.catalog, caller, libraryId);
  const { library, version, versions } = view;
  // Callers who may change a library see its status despite a policy; a redirect's target is checked when it is read.
  if (library.redirect === null && !may(caller, "library.change", library)) {
    const access = await ports.policies.of(caller, view.accessRevision);
    access.require(library, version?.live?.createdAt ?? null);
  }
  if (!version) {
    const { version: wanted } = parseLibraryId(libraryId);
    if (library.redirect !== null) throw redirected(library, wanted, caller);
    const names = nearestNames(wanted, versions.filter(Boolean), versionsNamed, library.id).join(", ");
    const hint = names === "" ? "Only the default version is." : `Nearest indexed: ${names}.`;
    throw new Failure("tag_not_found", `${showLibrary(library.id, wanted)} is not indexed. ${hint}`);
  }
  return { library, version, versions };
}

async function runsOf(ports: ApiPorts, library: LibraryRecord, version: VersionRecord): Promise<readonly RunRecord[]> {
  const runs = await ports.catalog.runs.of(library.uid, runsRead);
  return runs.filter((run) => run.version === version.version).slice(0, runsShown);
}

async function newestManifest(
  ports: ApiPorts,
  { live }: VersionRecord,
  runs: readonly RunRecord[],
): Promise<Manifest | undefined> {
  const generations = [...runs.map((run) => run.generation ?? run.runId), ...(live ? [live.id] : [])];
  for (const generation of new Set(generations)) {
    const manifest = await ports.manifest(generation);
    if (manifest) return manifest;
  }
  return undefined;
}

/** The outcome of a page, without the members of the manifest that only refreshes need. */
function toPage(page: ManifestPage): PageOutcome {
  const { key: _key, includes: _includes, place: _place, languages: _languages, description: _, ...named } = page;
  const { name: _name, generated: _generated, ...fetched } = named;
  const { resource: _resource, fingerprint: _fingerprint, mediaType: _type, revision: _revision, ...outcome } = fetched;
  return outcome.title === undefined ? outcome : { ...outcome, title: outcome.title.slice(0, maxShownTitle) };
}
