import { Failure } from "../../domain/failures.ts";
import type { NotionBlock } from "../../extract/notion/page.ts";
import { blockOf, idOf, objectOf, textOf } from "../../extract/notion/raw.ts";
import type { Raw } from "../../extract/notion/raw.ts";
import type { NotionApi } from "./client.ts";

/** Deeper blocks are left out, and so are those beyond this number on one page. */
const maxDepth = 30;
const maxBlocks = 30_000;

/** A page or database that stands on a page. */
export interface ChildPlace {
  readonly id: string;
  readonly isDatabase: boolean;
}

/** What the blocks of a page come to. */
export interface PageBlocks {
  readonly blocks: readonly NotionBlock[];
  readonly children: readonly ChildPlace[];
  /** Some of it is another page's, and changes without this one. */
  readonly isSynced: boolean;
  readonly warnings: readonly string[];
}

/** A block whose children are still to be read, and where they go. */
interface Open {
  readonly block: Growing;
  /** Whose children they are: the block's own, or those of the one that it mirrors. */
  readonly from: readonly string[];
  readonly depth: number;
  /** The blocks that it stands in. */
  readonly above: ReadonlySet<string>;
}

type Growing = Omit<NotionBlock, "children"> & { children?: Growing[] };

/**
 * Reads all blocks of a page, those within others too: one block after the other, however deep they are. A synced block has what
 * its original has, unless it stands in that one.
 * @throws Failure where the page cannot be read
 */
export async function readBlocks(api: NotionApi, page: string): Promise<PageBlocks> {
  const root: Growing = { id: page, type: "page" };
  const open: Open[] = [{ block: root, from: [page], depth: 0, above: new Set([page]) }];
  const children: ChildPlace[] = [];
  const warnings = new Set<string>();
  let isSynced = false;
  let count = 0;

  const take = (raw: Raw, { depth, above }: Open): Growing | undefined => {
    if (raw["in_trash"] === true) return undefined;
    const { children: _none, ...block }: NotionBlock = blockOf(raw);
    const growing: Growing = block;
    const { id, type } = block;
    if (type === "child_page" || type === "child_database") {
      if (id !== "") children.push({ id, isDatabase: type === "child_database" });
      return undefined;
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
          warnings.add(`The page has more than ${maxBlocks} blocks. Those behind are left out.`);
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

/** The children of the first of some blocks that has any and may be read; `cut` is told where that is not all. @throws Failure of the last */
async function* firstOf(api: NotionApi, blocks: readonly string[], cut: () => void): AsyncGenerator<Raw> {
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
  return error instanceof Failure && (error.code === "source_not_found" || error.code === "source_invalid");
}

/** The name of a parent, by which a page is known to be where it was: of what kind it is, and its id. */
export function parentOf(page: Raw): string {
  const parent = objectOf(page["parent"]);
  const type = textOf(parent["type"]);
  return `${type}:${idOf(parent[type])}`;
}
