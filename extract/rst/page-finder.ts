import { decodePage } from "../decode.ts";
import type { IncludableFiles } from "../includes/find-file.ts";
import { docPlaces } from "./places.ts";
import { plainTitle } from "./references.ts";

/** Maximum number of bytes in which a page's title is looked for. */
const maxHead = 20_000;

/** A page of the tree. */
interface OtherPage {
  readonly title: string | undefined;
  /** The ending of its file, with its dot. */
  readonly ending: string;
}

/**
 * Creates the function that finds a page by its name in a reference; undefined without it among the files. `root`: the folder
 * of the configuration; `length` of the page that refers, in characters.
 */
export function createPageFinder(path: string, files: IncludableFiles, root: string, length: number) {
  const pages = new Map<string, OtherPage | undefined>();
  /** Number of characters left for titles, as references may repeat long ones. */
  let budget = 2 * length + 10_000;
  return (target: string): OtherPage | undefined => {
    if (files.size === 0) return undefined;
    if (!pages.has(target)) {
      const place = docPlaces(path, target, [root]).find((one) => files.get(one) instanceof Uint8Array);
      const bytes = place === undefined ? undefined : files.get(place);
      const decoded = bytes instanceof Uint8Array ? decodePage(bytes.subarray(0, maxHead)) : { code: "" };
      const title = "text" in decoded ? titleIn(decoded.text) : undefined;
      pages.set(target, place === undefined ? undefined : { title, ending: place.slice(place.lastIndexOf(".")) });
    }
    const page = pages.get(target);
    budget -= page?.title?.length ?? 0;
    return budget < 0 ? undefined : page;
  };
}

/** The first title of a page of reStructuredText or MyST, without markup; undefined without one. */
function titleIn(text: string): string | undefined {
  const lines = text.split(/\r\n?|\n/);
  for (const [at, line] of lines.entries()) {
    const title = /^#[ \t]+(\S.{0,300})$/.exec(line)?.[1];
    if (title !== undefined) return plainTitle(title.replace(/\{[\w:+-]{1,40}\}(?=`)/g, ""));
    const above = lines[at - 1]?.trim() ?? "";
    const isLine = /^([!-/:-@[-`{-~])\1{2,}[ \t]*$/.test(line) && line.trim().length >= above.length;
    if (isLine && /^[^\s.].{0,300}$/.test(above) && /[\p{L}\p{N}]/u.test(above)) return plainTitle(above);
  }
  return undefined;
}
