import { hash } from "node:crypto";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { redirected } from "../domain/answering.ts";
import { assess, reasonOfNothing } from "../domain/indexing.ts";
import { credentialOf, namingCredential } from "../domain/credentials.ts";
import { Failure } from "../domain/failures.ts";
import { showLibrary } from "../domain/library.ts";
import type {
  BlobStore,
  Catalog,
  LibraryIndex,
  LibraryRecord,
  ReadLimits,
  Secrets,
  PassageIndex,
  Source,
  SourceState,
  StepControl,
  VersionRecord,
} from "../domain/ports.ts";
import { scheduleRefresh } from "../domain/scheduling.ts";
import { servedPassages, toRecord } from "../domain/generation.ts";
import { kindOf, type SourceSpec } from "../domain/kinds/index.ts";
import type { SourceRef } from "../domain/source.ts";
import { isUnattended, type Collected, type IndexingRequest, type IndexingSteps } from "../domain/steps.ts";
import { extractorVersion } from "../extract/formats.ts";
import { publishAnnounced, announceLibrary } from "./announce.ts";
import { collect, type CollectPorts } from "./collect.ts";
import { requireStorage, scarceStorage } from "../domain/storage.ts";
import { damageOf } from "./damage.ts";
import { withoutDroppedSources } from "./dropped-sources.ts";
import { loadGeneration, type LoadingPorts } from "./load-generation.ts";
import { isIndexed } from "./reindex.ts";
import { manifestOf, readManifest } from "./parts.ts";
import { updateReputation, type ReputationSources } from "./reputation.ts";
import { screenedFailure } from "../extract/screened-texts.ts";
import { rendering, unrenderedPages } from "./rendering.ts";

/** The ports and limits of the steps. */
export interface ActivityPorts
  extends ReputationSources, Pick<CollectPorts, "parse" | "screen">, Pick<LoadingPorts, "embedding" | "ranker"> {
  readonly catalog: Catalog;
  readonly blobs: BlobStore;
  readonly passages: PassageIndex;
  readonly libraries: LibraryIndex;
  readonly secrets: Secrets;
  readonly sources: Readonly<Record<SourceSpec["kind"], Source>>;
  /** Folder for temporary files of a step. */
  readonly scratch: string;
  readonly limits: ReadLimits & { readonly tokens: number };
  /** Share of passages whose loss holds a refresh, 0 to 1. */
  readonly shrinkLimit: number;
  /** Refreshes for which a failing page keeps its last good passages. */
  readonly keepFailed: number;
  /** Retired generations kept for a rollback. */
  readonly keepGenerations: number;
  /** How long a generation that readers may still use stays, in milliseconds. */
  readonly grace: number;
  /** Used share of STORAGE_LIMIT; 0 without one. */
  readonly storageUse: () => Promise<number>;
  readonly now: () => number;
  /** Called once when the rename of a library starts to wait for an administrator. */
  readonly onPendingRename: (library: LibraryRecord, runId: string) => void;
}

/** The steps of domain/steps.ts: everything in a run that touches the outside. `step` returns the control of the current step. */
export function createActivities(ports: ActivityPorts, step: () => StepControl): IndexingSteps {
  const { catalog, blobs, passages } = ports;
  return {
    async resolve({ request }) {
      const { library, version } = await subject(catalog, request);
      const live = version.live && { generation: version.live.id, contentHash: version.live.contentHash };
      if (request.generation !== undefined) {
        const { revision, ref } = await manifestOf(blobs, request.generation);
        return { unchanged: false, revision, ref, location: "", live };
      }
      const source = ports.sources[library.source.kind];
      const credential = await credentialOf(ports, library);
      const versions = await catalog.libraries.versionsOf(library.uid);
      const named = versions.flatMap(({ ref, live }) => [ref, live?.ref ?? null].filter((name) => name !== null));
      const context = { signal: step().signal, credential, named };
      const state = await namingCredential(ports, library, () => source.resolve(library.source, version.ref, context));
      await catalog.libraries.keepRefs(library.uid, state.refs, state.refsLeftOut);
      await followMove(ports, library, { ...state, runId: request.runId });
      const { revision, ref, location } = state;
      const unchanged =
        isRefused(request, version, state) ||
        (isUnchanged(library, version, state, ports.screen?.name) &&
          !(await isDamaged(ports, request, version, step())));
      const { work } = kindOf(library.source);
      const unindexed = version.live !== null && !(await isIndexed(passages, version.live));
      return { unchanged, revision, ref, location, live, ...(unindexed && { unindexed }), ...(work && { work }) };
    },

    async collect(input) {
      requireStorage(await ports.storageUse());
      return collectPages(ports, step(), input, (source) => source);
    },

    render: (input) => collectPages(ports, step(), input, (source) => rendering(source, blobs, input.request.runId)),

    async assess({ request, resolved, collected }) {
      const live = resolved.live && (await catalog.generations.get(resolved.live.generation));
      const staged = await catalog.generations.get(collected.generation);
      const comparable =
        live && staged && live.optionsHash === staged.optionsHash && live.extractor === staged.extractor;
      const name = showLibrary(request.libraryId, request.version);
      const source = (await catalog.libraries.get(request.libraryUid))?.source;
      const { counts } = collected;
      // The assessment needs notes, and why pages are left out, only if nothing would be served.
      const { notes = [], pages = [] } =
        (servedPassages(counts) === 0 && (await readManifest(blobs, collected.generation))) || {};
      const reason = reasonOfNothing(pages);
      const elsewhere = [...notes, (source && kindOf(source).elsewhere?.(source)) ?? ""].join(" ").trim();
      const unread = { elsewhere, ...(reason && { reason }) };
      const limits = { tokens: ports.limits.tokens, shrink: ports.shrinkLimit };
      let verdict = assess(name, counts, comparable ? live.counts : undefined, limits, unread);
      const before = verdict.verdict === "hold" && (await withoutDroppedSources(blobs, live, collected.generation));
      if (before) verdict = assess(name, counts, before, limits, unread);
      if (verdict.verdict === "hold") await catalog.generations.hold(collected.generation, ports.now());
      return verdict;
    },

    load: (input) => loadGeneration(ports, step(), input),

    async publish({ request, generation, live }) {
      const { runId, libraryUid } = request;
      // After a failover to a lagging server the catalog may lack the row; the generation itself is complete.
      if (!(await catalog.generations.get(generation))) {
        const manifest = await readManifest(blobs, generation);
        if (manifest) await catalog.generations.stage(toRecord(manifest, libraryUid, ports.now()));
      }
      const publish = () => catalog.generations.publish({ runId, generation, live }, ports.now());
      return {
        published: await (live === null ? publishAnnounced(ports, libraryUid, generation, publish) : publish()),
      };
    },

    async announce({ request }) {
      // First, as the entry contains the trust score.
      await updateReputation(ports, request.libraryUid);
      await announceLibrary(ports, request.libraryUid);
    },

    async retire({ request: { libraryUid, version } }) {
      const kept = (await ports.storageUse()) < scarceStorage ? ports.keepGenerations : 0;
      await catalog.generations.retire(libraryUid, version, kept, ports.now() + ports.grace);
    },

    async conclude({ request, conclusion }) {
      const { outcome, failure, revision } = conclusion;
      const confirmed =
        outcome === "published" || outcome === "unchanged"
          ? await confirmedRevision(catalog, request, revision)
          : undefined;
      const end = { outcome, ...(failure && { failure: screenedFailure(failure) }), ...confirmed };
      await catalog.runs.close(request.runId, end, ports.now());
      // A run that only loads a generation has not checked the source.
      if (request.generation === undefined) await scheduleRefresh(ports, request.libraryUid, request.version);
    },
  };
}

/** Collects a generation from the source, as `passOf` wraps it for the first or the second pass. */
async function collectPages(
  ports: ActivityPorts,
  { signal, report }: StepControl,
  { request, resolved }: Parameters<IndexingSteps["collect"]>[0],
  passOf: (source: Source) => Source,
): Promise<Collected> {
  const { catalog, blobs } = ports;
  const { library, version } = await subject(catalog, request);
  const run = await catalog.runs.get(request.runId);
  await mkdir(ports.scratch, { recursive: true });
  await removeScratch(ports.scratch, request.runId);
  const scratch = await mkdtemp(join(ports.scratch, `${request.runId}-`));
  try {
    const credential = await credentialOf(ports, library);
    const collecting = collect(
      { blobs, source: passOf(ports.sources[library.source.kind]), parse: ports.parse, screen: ports.screen },
      {
        generation: request.runId,
        library: { teamspace: library.teamspace, id: library.id },
        version: request.version,
        optionsHash: optionsHash(library, version.ref, ports.screen?.name),
        ...(library.chosen && { releases: library.chosen }),
        spec: library.source,
        state: resolved,
        title: library.title,
        description: library.description,
        upload: library.upload,
        live: resolved.live?.generation,
      },
      {
        signal,
        report,
        scratch,
        credential,
        ...(run?.progress.answers && { answers: run.progress.answers }),
        limits: ports.limits,
        keepFailed: ports.keepFailed,
        branchIsOpen: version.ref === null,
      },
    );
    const { manifest, damage } = await namingCredential(ports, library, () => collecting);
    if (resolved.live && damage !== undefined)
      await catalog.generations.noteDamage(resolved.live.generation, damage, ports.now());
    const { revision, contentHash, counts } = manifest;
    // If nothing has changed, this is the live manifest, and the record notes the revision that was read, for `conclude`.
    const generation = request.runId;
    await catalog.generations.stage(toRecord({ ...manifest, generation }, request.libraryUid, ports.now()));
    const unrendered = unrenderedPages(manifest).length;
    // A revision that was unknown until now has yet to be compared with the refused one.
    const refused = resolved.revision === "" && isRefused(request, version, { ...resolved, revision, refs: [] });
    return {
      generation,
      revision,
      contentHash,
      counts,
      ...(unrendered > 0 && { unrendered }),
      ...(damage !== undefined && { heals: true }),
      ...(refused && { refused }),
    };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Removes the temporary files of a broken attempt. */
async function removeScratch(folder: string, runId: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name.startsWith(`${runId}-`)) await rm(join(folder, name), { recursive: true, force: true });
  }
}

/**
 * Records that the host has renamed the repository. The library gets its new ID at once, unless that waits for an administrator.
 * @throws Failure library_redirected if the library redirects
 */
async function followMove(
  ports: ActivityPorts,
  library: LibraryRecord,
  { location, runId }: { readonly location: string; readonly runId: string },
): Promise<void> {
  const { source, pendingRename: waiting, refusedRenames } = library;
  // IDs that earlier addresses have given, including those that an administrator has not accepted.
  const given = [library.id, ...(waiting ? [waiting.id] : []), ...refusedRenames];
  const move = kindOf(source).moved?.(given, source, location);
  const moved = move && (await ports.catalog.libraries.move(library.uid, move, ports.now()));
  const { id, redirect, pendingRename } = moved ?? library;
  if (redirect !== null) throw redirected({ id, redirect, teamspace: library.teamspace }, "");
  if (moved && pendingRename && pendingRename.id !== waiting?.id) ports.onPendingRename(moved, runId);
  if (id !== library.id) await announceLibrary(ports, library.uid);
}

/** The library and version of a run. @throws Failure library_not_found if they were deleted */
async function subject(
  catalog: Catalog,
  request: IndexingRequest,
): Promise<{ library: LibraryRecord; version: VersionRecord }> {
  // Not by its ID, which may have changed since the run was opened.
  const library = await catalog.libraries.get(request.libraryUid);
  const version = await versionOf(catalog, request);
  if (!library || !version) {
    const name = showLibrary(request.libraryId, request.version);
    throw new Failure("library_not_found", `${name} was deleted while it was being indexed.`);
  }
  return { library, version };
}

async function versionOf(catalog: Catalog, request: IndexingRequest): Promise<VersionRecord | undefined> {
  return (await catalog.libraries.versionsOf(request.libraryUid)).find(({ version }) => version === request.version);
}

/** Hash of everything that decides which passages a given revision has and which are served; `judge` is the name of the classifier. */
function optionsHash({ source, chosen = {} }: LibraryRecord, ref: string | null, judge?: string): string {
  const { screen, released = [] } = chosen;
  const decisions: object[] =
    screen === undefined && released.length === 0 ? [] : [{ screen, released: released.toSorted() }];
  if (judge !== undefined) decisions.push({ judge });
  const { hashed } = kindOf(source);
  return hash("sha256", JSON.stringify([hashed === undefined ? source : hashed(source), ref, ...decisions]), "hex");
}

/** A run that nobody requested never reads a refused revision, even if the live generation is damaged: an administrator decided against it. */
function isRefused({ reason }: IndexingRequest, version: VersionRecord, state: SourceState): boolean {
  if (!version.live || !isUnattended(reason)) return false;
  return (followedBranch(version, state) ?? state).revision === version.refusedRevision;
}

function isUnchanged(
  library: LibraryRecord,
  version: VersionRecord,
  state: SourceState,
  judge: string | undefined,
): boolean {
  const { live, checkedRevision, followedRevision } = version;
  if (!live || state.revision === "") return false;
  const followed = followedBranch(version, state);
  const current = followed?.revision ?? state.revision;
  if (live.optionsHash !== optionsHash(library, version.ref, judge) || live.extractor !== extractorVersion)
    return false;
  if (!followed) return current === live.revision || (followedRevision === null && current === checkedRevision);
  // The file that names another branch is at the resolved revision: both revisions must be unchanged.
  return (
    state.revision === checkedRevision &&
    (current === live.revision || current === (followedRevision ?? checkedRevision))
  );
}

/** Whether the live generation has to be rebuilt. Hashes are verified only if the refresh was requested. */
async function isDamaged(
  { catalog, blobs, now }: ActivityPorts,
  { reason }: IndexingRequest,
  { live }: VersionRecord,
  { signal }: StepControl,
): Promise<boolean> {
  if (!live) return false;
  if (live.damage !== null) return true;
  const damage = await damageOf(blobs, live.id, () => {
    signal.throwIfAborted();
    return !isUnattended(reason);
  });
  if (damage !== undefined) await catalog.generations.noteDamage(live.id, damage, now());
  return damage !== undefined;
}

/** The branch that is read instead of the resolved one because the library's own file names it. */
function followedBranch({ ref, live }: VersionRecord, state: SourceState): SourceRef | undefined {
  if (ref !== null || live === null || live.ref === state.ref) return undefined;
  return state.refs.find(({ name }) => name === live.ref);
}

/**
 * The resolved revision that a run has confirmed to be live, and the revision of the branch that it read instead. A refused
 * revision stays refused: a run that skipped it has not confirmed it.
 */
async function confirmedRevision(
  catalog: Catalog,
  request: IndexingRequest,
  revision: string | undefined,
): Promise<{ revision: string; followedRevision: string | null } | undefined> {
  const version = await versionOf(catalog, request);
  if (revision === undefined || version?.refusedRevision === revision) return undefined;
  const staged = request.generation === undefined ? await catalog.generations.get(request.runId) : undefined;
  if (staged) return { revision, followedRevision: staged.revision === revision ? null : staged.revision };
  // Nothing was read: the known revision of the other branch stays.
  const followedRevision = version?.checkedRevision === revision ? version.followedRevision : null;
  return { revision, followedRevision };
}
