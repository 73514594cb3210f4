import { parentOf } from "./blocks.ts";
import type { NotionApi } from "./client.ts";
import type { Head } from "./heads.ts";
import type { Found } from "./state.ts";

/** Blocks that a page may stand in, one within the other. */
const maxDepth = 30;

/** Finds the present container of pages that an earlier run has found. */
export interface Placing {
  /**
   * The page or database that contains a page now; undefined if its container does not matter, as it was submitted or shared by itself, or
   * was just found there; "elsewhere" if the container is not read, "later" if that is not decided yet.
   */
  containerOf(
    head: Pick<Head, "parent" | "database">,
    found: Found,
    before: string | undefined,
  ): Promise<string | undefined>;
}

/** Which pages are read, as far as that is decided. */
export interface Known {
  isIn(id: string): boolean;
  /** It is still to be visited, and may be one of them. */
  isPending(id: string): boolean;
}

/** `known` says which pages are read; null: all that are shared. */
export function createPlacing(api: NotionApi, known: Known | null): Placing {
  /** What blocks stand in, for pages in columns and the like. */
  const blocks = new Map<string, string>();

  async function pageOf(parent: string, database: string): Promise<string> {
    if (database !== "") return database;
    let [kind = "", id = ""] = parent.split(":");
    for (let depth = 0; depth < maxDepth && kind === "block_id" && id !== ""; depth += 1) {
      const above = blocks.get(id) ?? parentOf(await api.block(id));
      blocks.set(id, above);
      [kind = "", id = ""] = above.split(":");
    }
    return kind === "page_id" || kind === "database_id" ? id : "";
  }

  return {
    async containerOf({ parent, database }, { why, from }, before) {
      if (known === null || why !== "earlier") return undefined;
      if (from !== undefined && before === parent && known.isIn(from)) return from;
      const container = await pageOf(parent, database);
      if (container === "") return "elsewhere";
      if (known.isIn(container)) return container;
      return known.isPending(container) ? "later" : "elsewhere";
    },
  };
}
