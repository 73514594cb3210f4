import { Failure } from "./failures.ts";
import { showLibrary } from "./library.ts";
import type { Catalog, LibraryRecord, LiveGeneration, Rebuilding, RunRecord } from "./ports.ts";

/** The ports that a read of a lost generation needs. */
interface RebuildingPorts {
  readonly catalog: Pick<Catalog, "generations" | "libraries">;
  /** Has a live generation that the index lacks loaded again: notes it, and opens a run. */
  readonly restore: (generation: LiveGeneration) => Promise<void>;
}

/** The generation that a read was to be answered from. */
interface Unanswered {
  readonly library: Pick<LibraryRecord, "uid" | "id">;
  readonly version: string;
  readonly generation: { readonly id: string };
}

/** Minimum and maximum seconds until a retry. */
const [soonest, latest] = [5, 60];

/** The progress of a rebuild, as a sentence. */
export function rebuildingText({ libraries, waiting }: Rebuilding): string {
  return `The index is being rebuilt: ${libraries - waiting} of ${libraries} libraries are done.`;
}

/** Has the live generation of a read loaded again, unless that is under way. Answers the failure of the read. */
export async function notInIndex(ports: RebuildingPorts, read: Unanswered, cause: Failure): Promise<Failure> {
  const { catalog } = ports;
  const { library, version, generation } = read;
  const name = showLibrary(library.id, version);
  const find = async () => {
    const versions = await catalog.libraries.versionsOf(library.uid);
    const found = versions.find((each) => each.version === version);
    return found?.live?.id === generation.id ? { live: found.live, run: found.openRun } : undefined;
  };
  let found = await find();
  if (found?.live.unindexedSince === null) {
    await ports.restore(found.live);
    found = await find();
  }
  if (!found) return failure(`${name} was replaced at this moment.`, 1, cause);
  const { live, run } = found;
  if (run?.generation !== generation.id) {
    const wait = run || live.damage !== null ? latest : soonest;
    return failure(`The index does not have ${name} now. ${whenLoaded(live, run)}`, wait, cause);
  }
  const rebuilding = await catalog.generations.rebuilding();
  const wait = run.phase === "queued" ? Math.min(latest, Math.max(soonest, rebuilding.waiting)) : soonest;
  return failure(`${rebuildingText(rebuilding)} ${name} is not yet.`, wait, cause);
}

function whenLoaded({ damage }: Pick<LiveGeneration, "damage">, run: RunRecord | null): string {
  if (damage !== null) return "What is stored of it is damaged too, so its next refresh reads the source again.";
  return run ? "It is loaded again when its open run has ended." : "It is loaded again by the next sweep.";
}

function failure(message: string, retryAfter: number, cause: Failure): Failure {
  const seconds = retryAfter === 1 ? "a second" : `${retryAfter} seconds`;
  return new Failure("index_rebuilding", `${message} Ask again in ${seconds}.`, { retryAfter, cause });
}
