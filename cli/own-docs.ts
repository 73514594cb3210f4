import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { foldId } from "../domain/library.ts";
import type { LibraryRecord } from "../domain/ports.ts";
import { newRun, startRun, submitLibrary } from "../domain/submitting.ts";
import type { Lectern } from "./compose.ts";
import { auditedAct } from "./audit-log.ts";
import { ownDocs, ownDocsFolder } from "./package-info.ts";

const { id } = ownDocs;
/** The submitter of that library. */
const caller = { keyId: "serve", teamspace: "default", scopes: ["admin"], libraries: [] } as const;

/** Poll interval of an open run that only loads the library, in milliseconds. */
const pollInterval = 2000;

/** Options of `keepOwnDocs`. */
export interface OwnDocsOptions {
  readonly ports: Lectern["ports"];
  /** Whether the catalog is new. The library is added only then, so that it stays deleted. */
  readonly first: boolean;
  readonly log: Logger;
}

/**
 * Adds Lectern's own documentation as a library at the first start, and refreshes it at later starts, if it still exists. Reads the folder
 * of the running installation. The returned function stops a waiting refresh.
 */
export async function keepOwnDocs({ ports, first, log }: OwnDocsOptions): Promise<() => Promise<void>> {
  const { catalog } = ports;
  const view = await catalog.libraries.find([""], foldId(id), "");
  if (!view) {
    if (first) await submit(ports);
    return async () => {};
  }
  const { library } = view;
  const path = ownPath(library);
  if (path !== undefined && path !== ownDocsFolder) {
    await catalog.libraries.update(library.uid, { options: { path: ownDocsFolder } });
    log.info(
      { library: id, before: path, folder: ownDocsFolder },
      "Lectern's own documentation moved with the installation",
    );
  }
  const stop = new AbortController();
  const refreshing = refresh(ports, library.uid, stop.signal).catch((error: unknown) => {
    if (!stop.signal.aborted)
      log.warn({ err: error, library: id }, "Lectern's own documentation could not be refreshed");
  });
  return async () => {
    stop.abort();
    await refreshing;
  };
}

/** Submits the documentation, even if the engine is unreachable: the sweep starts the run later. */
async function submit(ports: OwnDocsOptions["ports"]): Promise<void> {
  const selection = { folders: [], excludeFolders: null, excludeFiles: null };
  const act = { command: caller.keyId, action: "library.submit", target: id } as const;
  await auditedAct(ports.catalog, act, () =>
    submitLibrary({ ...ports, indexing: { ...ports.indexing, ready: async () => undefined } }, caller, {
      id,
      private: false,
      title: ownDocs.title,
      description: ownDocs.description,
      source: { kind: "folder", path: ownDocsFolder, selection },
    }),
  );
}

/** Starts a refresh, after waiting for a run that only loads the live generation, as after an upgrade. @throws the signal's reason */
async function refresh(ports: OwnDocsOptions["ports"], uid: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    const opened = await ports.catalog.runs.open(uid, "", newRun(ports, "sweep"), ports.now());
    if (opened) await startRun(ports, opened.run);
    if (opened?.run.generation === undefined) return;
    await sleep(pollInterval, undefined, { signal, ref: false });
  }
}

/** The folder of a library that `lectern serve` added; older ones have no submitter. */
function ownPath({ source, submittedBy }: LibraryRecord): string | undefined {
  return source.kind === "folder" && (submittedBy === null || submittedBy.keyId === caller.keyId)
    ? source.path
    : undefined;
}
