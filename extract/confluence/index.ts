import type { ChildNode } from "domhandler";
import type { Document } from "../blocks.ts";
import { readTree } from "../html/index.ts";
import type { Refused } from "../markdown/index.ts";
import { page } from "./build.ts";
import { nameOf, type IncludeScope, type BodyFormat, type ConfluencePart } from "./page.ts";
import { excerptOf, readStorage } from "./storage.ts";
import { readAdf, excerptOfAdf } from "./adf.ts";

/** Maximum number of characters that a page may include from others. */
const maxIncluded = 5_000_000;

/** Maximum number of notes about missing parts of a page. */
const maxNotes = 20;

/**
 * Reads a Confluence page in either of its formats, with its includes in place and code verbatim. `source` is a `ConfluencePart` as JSON,
 * `url` the page's address.
 */
export function readConfluence(source: string, { url }: { readonly url?: string } = {}): Document | Refused {
  const part = JSON.parse(source) as ConfluencePart;
  const notes = new Set<string>();
  const scope: IncludeScope = {
    part,
    space: part.space,
    within: [nameOf(part)],
    budget: { characters: maxIncluded },
    note: (sentence) => void (notes.size < maxNotes && notes.add(sentence)),
    read: (body, format, inner) => bodyOf(body, format, inner) ?? [],
    excerpt: (body, format, name, inner) =>
      format === "storage" ? excerptOf(body, name, inner) : excerptOfAdf(body, name, inner),
  };
  const body = bodyOf(part.body, part.format, scope);
  if (body === undefined) return { code: "too_large", reason: "The page's elements are nested too deep." };
  const read = readTree(page(part.title, body), url === undefined ? {} : { url });
  return {
    ...read,
    title: part.title,
    description: "",
    ...(part.above.length > 0 && { subject: part.above.join(" / ") }),
    ...(notes.size > 0 && { warnings: [...notes] }),
  };
}

function bodyOf(body: string, format: BodyFormat, scope: IncludeScope): readonly ChildNode[] | undefined {
  return format === "storage" ? readStorage(body, scope) : readAdf(body, scope);
}
