import { decodePage } from "../decode.ts";
import type { IncludableFiles } from "../includes/find-file.ts";
import { plainTitle } from "./document.ts";
import { docPlaces } from "./places.ts";

/** Maximum number of bytes in which a page's title is looked for. */
const maxHead = 20_000;

/**
 * Creates the function that finds the title of a page by its name in a reference; undefined without it among the files. `root`: the folder
 * of the configuration; `length` of the page that refers, in characters.
 */
export function createPageTitles(path: string, files: IncludableFiles, root: string, length: number) {
  const titles = new Map<string, string | undefined>();
  /** Number of characters left for titles, as references may repeat long ones. */
  let budget = 2 * length + 10_000;
  return (target: string): string | undefined => {
    if (files.size === 0) return undefined;
    if (!titles.has(target)) {
      const place = docPlaces(path, target, [root]).find((one) => files.get(one) instanceof Uint8Array);
      const bytes = place === undefined ? undefined : files.get(place);
      const decoded = bytes instanceof Uint8Array ? decodePage(bytes.subarray(0, maxHead)) : { code: "" };
      titles.set(target, "text" in decoded ? titleIn(decoded.text) : undefined);
    }
    const title = titles.get(target);
    budget -= title?.length ?? 0;
    return budget < 0 ? undefined : title;
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
