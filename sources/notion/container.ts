import { parentOf } from "./blocks.ts";
import type { NotionApi } from "./client.ts";
import type { Head } from "./heads.ts";
import type { Found } from "./progress.ts";

/** Maximum number of blocks that a page is nested in. */
const maxDepth = 30;

/**
 * Finds the page or database that a page of an earlier run is in now. Undefined if that does not matter, as the page was submitted,
 * shared by itself, or just found there; "elsewhere" for a container that is not read; "later" if that is not decided yet.
 * `before` is its parent in the earlier run.
 */
export type FindContainer = (
  head: Pick<Head, "parent" | "database">,
  found: Found,
  before: string | undefined,
) => Promise<string | undefined>;

/** The pages that are read, as far as decided. */
export interface Decided {
  isRead(id: string): boolean;
  /** The page is still to be visited. */
  isPending(id: string): boolean;
}

/** Creates the finder; `decided` is null if everything shared is read, so that containers do not matter. */
export function createFindContainer(api: NotionApi, decided: Decided | null): FindContainer {
  /** Parents of blocks, for pages in columns and the like. */
  const parents = new Map<string, string>();

  async function outsideBlocks(parent: string, database: string): Promise<string> {
    if (database !== "") return database;
    let [kind = "", id = ""] = parent.split(":");
    for (let depth = 0; depth < maxDepth && kind === "block_id" && id !== ""; depth += 1) {
      const above = parents.get(id) ?? parentOf(await api.block(id));
      parents.set(id, above);
      [kind = "", id = ""] = above.split(":");
    }
    return kind === "page_id" || kind === "database_id" ? id : "";
  }

  return async ({ parent, database }, { why, from }, before) => {
    if (decided === null || why !== "earlier") return undefined;
    if (from !== undefined && before === parent && decided.isRead(from)) return from;
    const container = await outsideBlocks(parent, database);
    if (container === "") return "elsewhere";
    if (decided.isRead(container)) return container;
    return decided.isPending(container) ? "later" : "elsewhere";
  };
}
