import { Failure } from "./failures.ts";
import { showLibrary } from "./library.ts";
import type { Catalog, LibraryRecord, LiveGeneration, Rebuilding, RunRecord } from "./ports.ts";

interface RebuildingPorts {
  readonly catalog: Pick<Catalog, "generations" | "libraries">;
  /** Reloads a live generation that the index lacks: notes that, and opens a run. */
  readonly restore: (generation: LiveGeneration) => Promise<void>;
}

/** A read of a generation that the index lacks. */
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

/** Starts reloading the generation of a read, unless that is under way. Returns the failure of the read. */
export async function reloadGeneration(ports: RebuildingPorts, read: Unanswered, cause: Failure): Promise<Failure> {
  const { catalog } = ports;
  const { library, version, generation } = read;
  const name = showLibrary(library.id, version);
  const find = async () => {
    const versions = await catalog.libraries.versionsOf(library.uid);
    const record = versions.find((each) => each.version === version);
    return record?.live?.id === generation.id ? { live: record.live, run: record.openRun } : undefined;
  };
  let current = await find();
  if (current?.live.unindexedSince === null) {
    await ports.restore(current.live);
    current = await find();
  }
  if (!current) return failure(`${name} has just been replaced.`, 1, cause);
  const { live, run } = current;
  if (run?.generation !== generation.id) {
    const wait = run || live.damage !== null ? latest : soonest;
    return failure(`The index does not have ${name} now. ${whenLoaded(live, run)}`, wait, cause);
  }
  const rebuilding = await catalog.generations.rebuilding();
  const wait = run.phase === "queued" ? Math.min(latest, Math.max(soonest, rebuilding.waiting)) : soonest;
  return failure(`${rebuildingText(rebuilding)} ${name} is not done yet.`, wait, cause);
}

function whenLoaded({ damage }: Pick<LiveGeneration, "damage">, run: RunRecord | null): string {
  if (damage !== null) return "Its stored generation is damaged too, so its next refresh reads the source again.";
  return run ? "It is reloaded when its open run has ended." : "The next sweep reloads it.";
}

function failure(message: string, retryAfter: number, cause: Failure): Failure {
  const seconds = retryAfter === 1 ? "a second" : `${retryAfter} seconds`;
  return new Failure("index_rebuilding", `${message} Ask again in ${seconds}.`, { retryAfter, cause });
}
