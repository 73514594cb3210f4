import { isFailure } from "../../domain/failures.ts";
import { blockOf, idOf, textOf, type NotionBlock } from "../../extract/notion/page.ts";
import type { NotionApi } from "./client.ts";
import { type Json, objectOf } from "../../extract/json.ts";

/** Maximum depth and number of blocks of a page that are read. */
const maxDepth = 30;
const maxBlocks = 30_000;

/** A page or database that a page contains. */
export interface ChildRef {
  readonly id: string;
  readonly isDatabase: boolean;
}

/** The blocks of a page. */
export interface PageBlocks {
  readonly blocks: readonly NotionBlock[];
  readonly children: readonly ChildRef[];
  /** Some blocks are mirrored from another page, and change without this one. */
  readonly isSynced: boolean;
  readonly warnings: readonly string[];
}

/** A block whose children have not been read yet. */
interface Open {
  readonly block: Growing;
  /** Ids whose children are tried in turn: the block, then the one that it mirrors. */
  readonly from: readonly string[];
  readonly depth: number;
  /** Ids of the blocks that it is nested in. */
  readonly above: ReadonlySet<string>;
}

type Growing = Omit<NotionBlock, "children"> & { children?: Growing[] };

/**
 * Reads all blocks of a page, nested ones too, breadth first. A synced block gets the children of its original, unless it is nested
 * in that.
 * @throws Failure for a page that cannot be read
 */
export async function readBlocks(api: NotionApi, page: string): Promise<PageBlocks> {
  const root: Growing = { id: page, type: "page" };
  const open: Open[] = [{ block: root, from: [page], depth: 0, above: new Set([page]) }];
  const children: ChildRef[] = [];
  const warnings = new Set<string>();
  let isSynced = false;
  let count = 0;

  const take = (raw: Json, { depth, above }: Open): Growing | undefined => {
    if (raw["in_trash"] === true) return undefined;
    const { children: _none, ...block }: NotionBlock = blockOf(raw);
    const growing: Growing = block;
    const { id, type } = block;
    if (type === "child_page" || type === "child_database") {
      if (id !== "") children.push({ id, isDatabase: type === "child_database" });
      return growing;
    }
    const original = idOf(objectOf(objectOf(raw["synced_block"])["synced_from"])["block_id"]);
    isSynced ||= original !== "";
    const own = raw["has_children"] === true && id !== "" ? [id] : [];
    const from = original === "" ? own : [...own, original];
    if (from.length === 0 || from.some((one) => above.has(one))) return growing;
    if (depth >= maxDepth) warnings.add(`Blocks that are nested deeper than ${maxDepth} are left out.`);
    else open.push({ block: growing, from, depth: depth + 1, above: new Set([...above, ...from]) });
    return growing;
  };

  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    const inside: Growing[] = [];
    try {
      for await (const raw of firstOf(api, next.from, () => warnings.add("Notion lists only a part of its blocks."))) {
        count += 1;
        if (count > maxBlocks) {
          warnings.add(`The page has more than ${maxBlocks} blocks. The others are left out.`);
          break;
        }
        const block = take(raw, next);
        if (block !== undefined) inside.push(block);
      }
    } catch (error) {
      if (next.block === root || !isRefused(error) || next.block.type !== "synced_block") throw error;
      warnings.add("A synced block is left out: the page that it is from is not shared with the integration.");
    }
    if (inside.length > 0) next.block.children = inside;
    if (count > maxBlocks) break;
  }
  return { blocks: root.children ?? [], children, isSynced, warnings: [...warnings] };
}

/** The children of the first of these blocks that has any and can be read; `cut` is called if Notion lists only some. @throws Failure of the last */
async function* firstOf(api: NotionApi, blocks: readonly string[], cut: () => void): AsyncGenerator<Json> {
  for (const [at, block] of blocks.entries()) {
    let has = false;
    try {
      const list = api.children(block);
      for (let next = await list.next(); ; next = await list.next()) {
        if (next.done === true) {
          if (next.value) cut();
          break;
        }
        has = true;
        yield next.value;
      }
    } catch (error) {
      if (has || at === blocks.length - 1 || !isRefused(error)) throw error;
    }
    if (has) return;
  }
}

function isRefused(error: unknown): boolean {
  return isFailure(error, "source_not_found", "source_invalid");
}

/** Kind and id of a page's parent, as `kind:id`. */
export function parentOf(page: Json): string {
  const parent = objectOf(page["parent"]);
  const type = textOf(parent["type"]);
  return `${type}:${idOf(parent[type])}`;
}
