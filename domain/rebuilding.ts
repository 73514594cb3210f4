import { Failure } from "./failures.ts";
import { showLibrary } from "./library.ts";
import type { Catalog, LibraryRecord, Rebuilding } from "./ports.ts";

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
  return `The index is being rebuilt, as after an upgrade: ${libraries - waiting} of ${libraries} libraries are done.`;
}

/** The failure of a read of a live generation that the index lacks. */
export async function notInIndex(
  { generations, libraries }: Pick<Catalog, "generations" | "libraries">,
  { library, version, generation }: Unanswered,
  cause: Failure,
): Promise<Failure> {
  const name = showLibrary(library.id, version);
  const found = (await libraries.versionsOf(library.uid)).find((each) => each.version === version);
  if (!found || found.live?.id !== generation.id) return failure(`${name} was replaced at this moment.`, 1, cause);
  const { openRun: run, live } = found;
  if (run?.generation !== generation.id) {
    const when =
      live.damage === null
        ? "It is loaded again soon after a start, and else within the hour."
        : "What is stored of it is damaged too, so its next refresh reads the source again.";
    return failure(
      `The index does not have ${name} now. ${when}`,
      run || live.damage !== null ? latest : soonest,
      cause,
    );
  }
  const rebuilding = await generations.rebuilding();
  const wait = run.phase === "queued" ? Math.min(latest, Math.max(soonest, rebuilding.waiting)) : soonest;
  return failure(`${rebuildingText(rebuilding)} ${name} is not yet.`, wait, cause);
}

function failure(message: string, retryAfter: number, cause: Failure): Failure {
  const seconds = retryAfter === 1 ? "a second" : `${retryAfter} seconds`;
  return new Failure("index_rebuilding", `${message} Ask again in ${seconds}.`, { retryAfter, cause });
}
