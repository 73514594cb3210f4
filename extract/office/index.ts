import type { Document as Tree } from "domhandler";
import type { Document } from "../blocks.ts";
import { readTree } from "../html/index.ts";
import { elementsIn, parseTree, walk } from "../html/tree.ts";
import type { Refused } from "../markdown/index.ts";
import type { PageInput } from "../page.ts";

/** Attribute of the elements of a converted document: the number of their page or slide. */
export const placeAttribute = "data-place";

/** Reads a document that `convert` turns into HTML. Returns the function that gives its blocks, as converting is asynchronous. */
export async function openOffice(
  { bytes }: Pick<PageInput, "bytes">,
  convert: (bytes: Uint8Array) => Promise<string | Refused>,
): Promise<() => Document | Refused> {
  const converted = await convert(bytes);
  const read = typeof converted === "string" ? readConverted(converted) : converted;
  return () => read;
}

/** Reads the HTML that a document was converted into: elements `<div>` with its blocks. The lines of a block are the numbers of its pages or slides. */
function readConverted(source: string): Document | Refused {
  const page = parseTree(source);
  if (page === null) return { code: "too_large", reason: "The document's elements are nested deeper than is read." };
  for (const part of elementsIn(page)) {
    const place = Number(part.attribs[placeAttribute] ?? 1);
    for (const one of [part, ...walk(part)])
      for (const node of [one, ...one.children]) [node.startIndex, node.endIndex] = [place, place];
  }
  return { ...readTree(page, {}), title: titleOf(page), description: "" };
}

/** The title of the document's properties, if the page has no heading of the first level. */
function titleOf(page: Tree): string {
  const title = elementsIn(page).find(({ name }) => name === "title");
  const [text] = title?.children ?? [];
  return text !== undefined && "data" in text ? text.data.trim() : "";
}
