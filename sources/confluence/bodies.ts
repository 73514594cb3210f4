import { isFailure, type Failure } from "../../domain/failures.ts";
import type { NamedPages } from "../../extract/confluence/names.ts";
import type { BodyFormat } from "../../extract/confluence/page.ts";
import type { Threads } from "../lib/threads/thread-pool.ts";
import type { ConfluenceApi, FoundBody, FoundPage } from "./api.ts";
import { scanBodies } from "./scanning.ts";

/** A page with its body in the more complete format, and the pages that it names. */
export interface Body {
  readonly page: FoundPage;
  readonly format: BodyFormat;
  readonly body: string;
  readonly named: NamedPages;
}

/** The outcome of reading pages. */
export interface Bodies {
  readonly found: ReadonlyMap<string, Body>;
  /** Pages without a body. */
  readonly empty: ReadonlyMap<string, FoundPage>;
  /** Pages that the host fails on, with the failure. */
  readonly failed: ReadonlyMap<string, Failure>;
}

/** Consecutive pages that fail with a server error after which the host counts as unreachable. */
const maxFailed = 5;

/**
 * Reads pages by their ids, fewer at once if the host fails. A page that is empty in the preferred format, or has parts in the other
 * format, is read in that one. @throws Failure source_refused; source_unreachable after `maxFailed` consecutive failures
 */
export async function readBodies(
  api: ConfluenceApi,
  threads: Threads,
  ids: readonly string[],
  space: string,
): Promise<Bodies> {
  const [preferred = "storage", other] = api.formats;
  const failed = new Map<string, Failure>();
  const scanned = await scan(threads, await readHalved(api, ids, preferred, failed), preferred, space);
  const incomplete = scanned.filter(({ body, named }) => body === "" || named.hasAdf).map(({ page }) => page.id);
  const rescanned =
    other === undefined ? [] : await scan(threads, await readHalved(api, incomplete, other, new Map()), other, space);
  const better = new Map(rescanned.filter(({ body }) => body !== "").map((body) => [body.page.id, body]));
  const bodies = scanned.map((body) => better.get(body.page.id) ?? body);
  return {
    found: new Map(bodies.filter(({ body }) => body !== "").map((body) => [body.page.id, body])),
    empty: new Map(bodies.filter(({ body }) => body === "").map(({ page }) => [page.id, page])),
    failed,
  };
}

/** Finds the pages that bodies name. */
async function scan(
  threads: Threads,
  read: readonly FoundBody[],
  format: BodyFormat,
  space: string,
): Promise<readonly Body[]> {
  if (read.length === 0) return [];
  const texts = read.map(({ body }) => ({ body: body ?? "", format, space }));
  const scanned = await scanBodies(threads, texts, "A page's body");
  return read.flatMap(({ page, body }, at) => {
    const named = scanned[at];
    return named === undefined ? [] : [{ page, format, body: body ?? "", named }];
  });
}

/** Reads pages. Pages on which the host fails together are read in halves, down to single ones. */
async function readHalved(
  api: ConfluenceApi,
  ids: readonly string[],
  format: BodyFormat,
  failed: Map<string, Failure>,
): Promise<readonly FoundBody[]> {
  const bodies: FoundBody[] = [];
  const open = [ids];
  let consecutive = 0;
  for (let some = open.pop(); some !== undefined; some = open.pop()) {
    const [id, ...others] = some;
    if (id === undefined) continue;
    try {
      bodies.push(...(await api.bodies(some, format)));
      consecutive = 0;
    } catch (error) {
      if (!isFailure(error, "source_unreachable", "library_too_large", "source_invalid")) throw error;
      if (others.length > 0) {
        const half = Math.ceil(some.length / 2);
        open.push(some.slice(half), some.slice(0, half));
        continue;
      }
      consecutive += 1;
      if (consecutive > maxFailed) throw error;
      failed.set(id, error);
    }
  }
  return bodies;
}
