import type { Caller } from "./access.ts";
import { authorize } from "./authorizing.ts";
import { Failure } from "./failures.ts";
import { administered } from "./operating.ts";
import type { OperatingPorts } from "./operating.ts";
import { sourceShownTo } from "./shown-source.ts";
import type { RenameObstacle } from "./ports.ts";

/** Why a rename waits, for people. */
export const renameReasons: Readonly<Record<RenameObstacle, string>> = {
  submitter: "The key that the library was submitted with is unknown, revoked or expired.",
  patterns: "The key that the library was submitted with is not for the new ID.",
  rules: "Access rules let others read the new ID than the present one.",
  taken: "The new ID is in use.",
};

/**
 * Accepts or refuses the pending rename of a library; a refused one is not proposed again.
 * @throws Failure duplicate_library where the new ID is in use, validation_error where no rename waits, and what `authorize` throws
 */
export async function decideRename(
  ports: OperatingPorts,
  caller: Caller,
  libraryName: string,
  accept: boolean,
): Promise<{ libraryName: string; message: string }> {
  const { library } = await administered(ports, caller, libraryName, "A rename");
  const { uid, id, teamspace, pendingRename } = library;
  if (!pendingRename) throw new Failure("validation_error", `${id} has no rename that waits. Its status shows one.`);
  const to = pendingRename.id;
  if (accept) authorize(caller, "library.submit", { id: to, teamspace });
  const decided = await ports.catalog.libraries.decideRename(uid, { id: to, accept }, ports.now());
  if (!decided)
    throw new Failure(
      "validation_error",
      `The rename of ${id} has changed meanwhile. Look at its status, then decide.`,
    );
  if ("taken" in decided) {
    const { taken } = decided;
    const what = taken.redirect === null ? `a library from ${sourceShownTo(caller, taken)}` : "a redirect";
    const message = `${to} is ${what}. Delete that first, let ${id} redirect to it with PATCH /api/v2/libs, or refuse the rename.`;
    throw new Failure("duplicate_library", message);
  }
  await ports.announce(uid);
  const { id: now } = decided.library;
  return {
    libraryName: now,
    message: accept ? `${id} is ${now} from now on, and redirects to it.` : `${id} keeps its ID.`,
  };
}
