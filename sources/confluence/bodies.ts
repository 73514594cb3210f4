import { Failure } from "../../domain/failures.ts";
import type { NamedPages } from "../../extract/confluence/names.ts";
import type { BodyFormat } from "../../extract/confluence/page.ts";
import type { Threads } from "../../threads/parse-text.ts";
import type { ConfluenceApi, FoundBody, FoundPage } from "./api.ts";
import { scanBodies } from "./scanning.ts";

/** A page with its body, in the format that has all of it, and the pages that it names. */
export interface Body {
  readonly page: FoundPage;
  readonly format: BodyFormat;
  readonly body: string;
  readonly named: NamedPages;
}

/** What reading pages came to. */
export interface Bodies {
  readonly found: ReadonlyMap<string, Body>;
  /** Pages that are there and have no body. */
  readonly empty: ReadonlyMap<string, FoundPage>;
  /** Pages that the host fails on, each with why. */
  readonly failed: ReadonlyMap<string, Failure>;
}

/** Consecutive pages that fail with a server error after which the host counts as unreachable. */
const maxFailed = 5;

/**
 * Reads pages by their ids, fewer at once where the host fails. A page whose storage format is empty, or has parts that are of the
 * other format, is read in that. @throws Failure source_refused, and source_unreachable where the host is away
 */
export async function readBodies(
  api: ConfluenceApi,
  threads: Threads,
  ids: readonly string[],
  space: string,
): Promise<Bodies> {
  const [first = "storage", second] = api.formats;
  const failed = new Map<string, Failure>();
  const read = await readHalved(api, ids, first, failed);
  const texts = read.map(({ page, body }) => ({ page, format: first, body: body ?? "", space }));
  const scanned = await scan(threads, texts);
  const again = scanned.filter(({ body, named }) => body === "" || named.hasAdf).map(({ page }) => page.id);
  const others = second === undefined ? [] : await readHalved(api, again, second, new Map());
  const better = new Map(
    (
      await scan(
        threads,
        others.map(({ page, body }) => ({ page, format: second ?? first, body: body ?? "", space })),
      )
    )
      .filter(({ body }) => body !== "")
      .map((body) => [body.page.id, body]),
  );
  const found = scanned.map((body) => better.get(body.page.id) ?? body);
  return {
    found: new Map(found.filter(({ body }) => body !== "").map((body) => [body.page.id, body])),
    empty: new Map(found.filter(({ body }) => body === "").map(({ page }) => [page.id, page])),
    failed,
  };
}

async function scan(
  threads: Threads,
  texts: readonly (Omit<Body, "named"> & { readonly space: string })[],
): Promise<readonly Body[]> {
  if (texts.length === 0) return [];
  const named = await scanBodies(threads, texts, "A page's body");
  return texts.flatMap(({ space: _space, ...text }, at) => {
    const found = named[at];
    return found === undefined ? [] : [{ ...text, named: found }];
  });
}

/** Reads pages, in halves where the host fails on all of them, down to single ones. */
async function readHalved(
  api: ConfluenceApi,
  ids: readonly string[],
  format: BodyFormat,
  failed: Map<string, Failure>,
): Promise<readonly FoundBody[]> {
  const found: FoundBody[] = [];
  const open = [ids];
  let inRow = 0;
  for (let some = open.pop(); some !== undefined; some = open.pop()) {
    const [id, ...others] = some;
    if (id === undefined) continue;
    try {
      found.push(...(await api.bodies(some, format)));
      inRow = 0;
    } catch (error) {
      const codes: readonly string[] = ["source_unreachable", "library_too_large", "source_invalid"];
      if (!(error instanceof Failure) || !codes.includes(error.code)) throw error;
      if (others.length > 0) {
        const half = Math.ceil(some.length / 2);
        open.push(some.slice(half), some.slice(0, half));
        continue;
      }
      inRow += 1;
      if (inRow > maxFailed) throw error;
      failed.set(id, error);
    }
  }
  return found;
}
