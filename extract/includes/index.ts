import { setsAttributes } from "../asciidoc/attributes.ts";
import { isAsciidoc, neededFiles } from "../asciidoc/preprocess.ts";
import { decodePage } from "../decode.ts";
import { whyRefused, mayInclude } from "./includable-files.ts";
import { copiesOf } from "../notebook/pairs.ts";
import { rstIn } from "../notebook/raw-cells.ts";
import { hasRstEnding, mayBeRst } from "../rst/places.ts";
import { hasRstParts, moduleRefs, rstRefs } from "../rst/refs.ts";
import { scan } from "./scan.ts";
import { readVariables, variablePlaces } from "./variables.ts";
import type { ValueOf } from "../markdown/variables.ts";
import type { IncludableFiles, IncludeRef } from "./find-file.ts";

export { expand } from "./expand.ts";
export type { IncludableFiles } from "./find-file.ts";
export { mayInclude } from "./includable-files.ts";
export { includeLimits } from "./selection.ts";

export type { IncludeRef } from "./find-file.ts";

/**
 * The files that a page or an included file includes, and those that define its variables; `files` are those known so far. Pure and linear;
 * [] for binary files.
 */
export function includesOf({
  path,
  bytes,
  files = new Map(),
}: {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly files?: IncludableFiles;
}): IncludeRef[] {
  if (!mayRefer(path)) return [];
  const decoded = decodePage(bytes);
  if ("code" in decoded) return [];
  const refs = new Map<string, IncludeRef>();
  const add = ({ places, isOpen = false, isLeaf = false }: IncludeRef): void => {
    const readable = places.filter(isIncludable);
    if (isOpen) refs.set("", { places: [], isOpen });
    else if (readable.length > 0 && !(isLeaf && refs.has(readable.join("\n"))))
      refs.set(readable.join("\n"), { places: readable, ...(isLeaf && { isLeaf }) });
  };
  if (isAsciidoc(path)) for (const one of neededFiles(path, decoded.text, files)) add(one);
  const own = isPython.test(path)
    ? moduleRefs(path, decoded.text)
    : isNotebook.test(path)
      ? [{ places: copiesOf(path, decoded.text) }, ...rstRefsOfCells(path, decoded.text)]
      : mayBeRst(path, decoded.text) || hasRstParts(decoded.text)
        ? rstRefs(path, decoded.text)
        : [];
  for (const one of own) add(one);
  if (!mayInclude(path)) return [...refs.values()];
  for (const { includes } of scan(path, decoded.text)?.directives ?? [])
    for (const { places } of includes) add({ places });
  const values = variablePlaces(path, decoded.text);
  if (values.length > 0) refs.set(values.join("\n"), { places: values });
  return [...refs.values()];
}

const isPython = /\.py$/;
const isNotebook = /\.ipynb$/i;

/** What the raw cells of a notebook refer to. */
function rstRefsOfCells(path: string, source: string): IncludeRef[] {
  const text = rstIn(source);
  return text === "" ? [] : rstRefs(path, text);
}

/** True for a file whose text may name other files: those that it includes, the modules of what autodoc shows, or copies of a notebook. */
export function mayRefer(path: string): boolean {
  return mayInclude(path) || hasRstEnding(path) || isPython.test(path) || isNotebook.test(path) || isAsciidoc(path);
}

/** True for a file whose content decides what others include. */
export function decidesIncludes(path: string): boolean {
  return isAsciidoc(path) || setsAttributes(path);
}

/** The repository's values for names in double braces on a page. */
export function valuesOf(path: string, source: string, files: IncludableFiles): ValueOf {
  const place = variablePlaces(path, source).find((one) => files.get(one) instanceof Uint8Array);
  const bytes = place === undefined ? undefined : files.get(place);
  return place !== undefined && bytes instanceof Uint8Array ? readVariables(place, bytes) : () => undefined;
}

/** True for a path that documentation may include. */
export function isIncludable(path: string): boolean {
  return whyRefused(path) === undefined;
}
