import * as z from "zod";
import type { PageList, ReadPage } from "../../answer-types.ts";
import type { Query } from "../../request.ts";
import { textOf } from "../form-bodies.ts";
import type { Html } from "../html.ts";
import { page, type Described, type PageResult, type Visit } from "../page.ts";
import { counted, empty } from "../views/parts.ts";
import { readingAssets } from "../views/passage.ts";
import { pagesView, pageView, readerView } from "../views/reader.ts";

const parameters = z.object({
  library: z.string().max(500),
  page: textOf(2000),
  from: textOf(7),
  word: textOf(200),
  cursor: textOf(500),
});

/** Maximum number of listed pages, and of tokens of an answer with a part of a page. */
const listed = 1000;
const partTokens = 100_000;

/** The answer of an operation while the library is being indexed for the first time (202). */
interface Pending {
  readonly error: string;
  readonly message: string;
}

/** The documentation of a library, page by page. */
export const readPage: Described = page({
  path: "/-/read",
  parameters,
  async show(visit) {
    const { ask, isPart, parameters: asked } = visit;
    const { library: libraryId, word, cursor, from } = asked;
    const list = (more: Query) => ask<PageList | Pending>("/v2/pages", { libraryId, limit: listed, ...more });
    const found = await list({ word, cursor });
    if ("message" in found) return pendingPage(found);
    // While typing, only the list is sent.
    if (isPart) return { part: pagesView(asked, found) };
    const all = word === undefined ? found : await list({});
    if ("message" in all) return pendingPage(all);
    const first = asked.page ?? firstPage(all.pages)?.page;
    if (first === undefined)
      return { title: all.library, main: readerView(asked, found, noPages(all)), assets: readingAssets };
    const read = await readWhole(visit, { libraryId, page: first, from });
    const main = readerView({ ...asked, page: read.page }, found, await pageView(libraryId, read, all.pages));
    return { title: `${read.title} · ${all.library}`, main, assets: readingAssets };
  },
});

/** A page from a passage to its end, or some 300 kB of it. */
async function readWhole({ ask }: Pick<Visit, "ask">, query: Query): Promise<ReadPage> {
  const part = (from: Query) => ask<ReadPage>("/v2/page", { ...query, tokens: partTokens, type: "json", ...from });
  const read = await part({});
  if (read.next === null) return read;
  const rest = await part({ from: read.next });
  return { ...rest, passages: [...read.passages, ...rest.passages] };
}

function pendingPage({ message }: Pending): PageResult {
  return { title: "Still indexing", main: empty("Still indexing", message) };
}

function noPages({ heldBack }: PageList): Html {
  return empty(
    "No pages",
    heldBack === 0 ? "" : `${counted(heldBack, "passage")} held back: possible prompt injection.`,
  );
}

/** The page to begin with: the outermost that introduces a folder, else the outermost. */
function firstPage(pages: PageList["pages"]): PageList["pages"][number] | undefined {
  const depth = ({ page: path }: PageList["pages"][number]): number => path.split("/").length;
  const outermost = pages.toSorted((one, other) => depth(one) - depth(other));
  return outermost.find(({ page: path }) => /(?:^|\/)(?:readme|index)\.\w+$/i.test(path)) ?? outermost[0];
}
