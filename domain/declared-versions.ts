import { waitingRefs } from "./library-manifest.ts";
import type { SubmittingPorts } from "./submitting.ts";

/** Maximum number of libraries that one round adds versions to. */
const atOnce = 100;

/**
 * Adds the versions that library manifests declare, of libraries whose branches and tags are known by now, and asks for their refresh
 * (`startPushed`). Returns their number.
 */
export async function addDeclaredVersions({ catalog, now }: Pick<SubmittingPorts, "catalog" | "now">): Promise<number> {
  const { manifests, libraries } = catalog;
  let added = 0;
  for (const { library, declaration } of await manifests.waiting(atOnce)) {
    const { known, unknown } = waitingRefs(declaration, await libraries.refs(library.uid));
    for (const { name } of known) {
      await libraries.addVersion(library.uid, name, name);
      await libraries.markPushed(library.uid, name, now());
    }
    if (known.length > 0) await manifests.declare(library.uid, { ...declaration, waiting: unknown });
    added += known.length;
  }
  return added;
}
