import { fenceAfterLine } from "../domain/markdown.ts";
import type { Passage } from "../domain/passage.ts";

/** Passages with absolute links, and with paths of the server's disk if the caller may see them. */
export function servedPassages<P extends Passage>(passages: readonly P[], showsDisk: boolean): readonly P[] {
  return (showsDisk ? passages : passages.map(passageWithoutDisk)).map(withAbsoluteLinks);
}

/** A passage with absolute links. Of a relative link with an unknown address only the text is kept. Code is not changed. */
export function withAbsoluteLinks<P extends Passage>(passage: P): P {
  const blocks = passage.blocks.map((block) => {
    if (block.type === "prose") return { ...block, markdown: relinked(block.markdown, passage) };
    return { ...block, description: relinked(block.description, passage) };
  });
  return { ...passage, blocks };
}

/** Maximum nesting of links, such as an image in the text of a link. */
const maxDepth = 3;

function relinked(markdown: string, passage: Passage, depth = 0): string {
  if (depth > maxDepth || !/\]\((?!https?:\/\/)/.test(markdown)) return markdown;
  let served = "";
  let done = 0;
  for (const { start, text, target, end } of findLinks(markdown)) {
    const address = addressOf(markdown.slice(...target), passage);
    const inner = relinked(markdown.slice(...text), passage, depth + 1);
    if (address === undefined) served += markdown.slice(done, start) + inner;
    else {
      const opening = markdown.slice(done, text[0]);
      const between = markdown.slice(text[1], target[0]);
      served += `${opening}${inner}${between}${address}${markdown.slice(target[1], end)}`;
    }
    done = end;
  }
  return served + markdown.slice(done);
}

/** The absolute address of a link; undefined if unknown. */
function addressOf(link: string, { page, source }: Passage): string | undefined {
  if (/^(?:https?:\/\/|mailto:)./i.test(link)) return link;
  if (link === "" || link.startsWith("#") || (/^[a-z][a-z\d+.-]*:/i.test(link) && !link.startsWith("//")))
    return undefined;
  if (source.path === undefined) return URL.canParse(link, page.url) ? new URL(link, page.url).href : undefined;
  return inTree(link, page.url, source.path);
}

/** The address of a linked file in the page's tree. Undefined for other links: they are for a website built from the tree. */
function inTree(link: string, pageUrl: string, pagePath: string): string | undefined {
  const [, path = "", fragment = ""] = /^([^?#]*)(?:\?[^#]*)?(#.*)?$/.exec(link) ?? [];
  const [, ending = ""] = /[^/](\.[a-z\d]{1,8})$/i.exec(path) ?? [];
  const up = climb(path, pagePath.split("/").length - 1);
  if (path.startsWith("/") || ending === "" || /^\.x?html?$/i.test(ending) || up === undefined) return undefined;
  const [, place = "", query = ""] = /^([^?#]*)(\?[^#]*)?/.exec(pageUrl) ?? [];
  const folders = place.split("/").slice(0, -1);
  // The address of a wiki's page does not end like its file, so relative paths do not apply.
  if (!place.toLowerCase().endsWith(pagePath.slice(pagePath.lastIndexOf(".")).toLowerCase())) return undefined;
  return [...folders.slice(0, folders.length - up.folders), ...up.segments].join("/") + query + fragment;
}

/** The number of folders that a relative path goes up, and the path down from there; undefined if it leaves the tree. */
function climb(
  path: string,
  depth: number,
): { readonly folders: number; readonly segments: readonly string[] } | undefined {
  let folders = 0;
  const segments: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "." || segment === "") continue;
    if (segment !== "..") segments.push(segment);
    else if (segments.pop() === undefined) folders += 1;
  }
  return folders > depth ? undefined : { folders, segments };
}

/** A range of a text; the end is exclusive. */
type Range = readonly [start: number, end: number];

/** A link or image of Markdown, by its ranges in the text. */
interface FoundLink {
  /** Offset of its bracket, or of the exclamation mark of an image. */
  readonly start: number;
  readonly text: Range;
  readonly target: Range;
  /** Offset after its last parenthesis. */
  readonly end: number;
}

/** The address of a link after its parenthesis, and its title. */
const target =
  /(<[^<>\n]{0,2000}>|[^\s()<>]{0,2000}(?:\([^\s()]{0,500}\)[^\s()<>]{0,500})?)(?:[ \n]{1,9}(?:"[^"\n]{0,500}"|'[^'\n]{0,500}'))?[ ]{0,9}\)/y;

/** The links and images of Markdown outside of code, in order, without nested ones. */
function findLinks(markdown: string): readonly FoundLink[] {
  const plain = withoutCode(markdown);
  const open: number[] = [];
  const links: FoundLink[] = [];
  for (const { 0: bracket, index } of plain.matchAll(/\\.|\[|\]/g)) {
    if (bracket === "[") open.push(index);
    if (bracket !== "]") continue;
    const from = open.pop();
    if (from === undefined || plain[index + 1] !== "(") continue;
    target.lastIndex = index + 2;
    const [whole, address = ""] = target.exec(plain) ?? [];
    if (whole === undefined) continue;
    const isQuoted = address.startsWith("<");
    const begin = index + 2 + (isQuoted ? 1 : 0);
    const start = plain[from - 1] === "!" ? from - 1 : from;
    while ((links.at(-1)?.start ?? -1) > from) links.pop();
    links.push({
      start,
      text: [from + 1, index],
      target: [begin, begin + address.length - (isQuoted ? 2 : 0)],
      end: index + 2 + whole.length,
    });
  }
  return links;
}

/** The text with each character of code replaced by a blank. */
function withoutCode(markdown: string): string {
  let open = "";
  const lines = markdown.split("\n").map((line) => {
    const wasOpen = open !== "";
    open = fenceAfterLine(open, line);
    return wasOpen || open !== "" ? " ".repeat(line.length) : line;
  });
  return withoutSpans(lines.join("\n"));
}

function withoutSpans(text: string): string {
  const runs = Array.from(text.matchAll(/`+/g), ({ 0: { length }, index }) => ({ length, index }));
  /** The index of the closing run by that of the opening one: the next of the same length. */
  const closing = new Map<number, number>();
  const nearest = new Map<number, number>();
  for (let at = runs.length - 1; at >= 0; at -= 1) {
    const { length = 0 } = runs[at] ?? {};
    const next = nearest.get(length);
    if (next !== undefined) closing.set(at, next);
    nearest.set(length, at);
  }
  let plain = "";
  let done = 0;
  for (let at = 0; at < runs.length; at += 1) {
    const [run, last] = [runs[at], runs[closing.get(at) ?? -1]];
    if (!run || !last) continue;
    const end = last.index + last.length;
    if (text.slice(run.index, end).includes("\n\n")) continue;
    plain += text.slice(done, run.index) + " ".repeat(end - run.index);
    done = end;
    at = closing.get(at) ?? at;
  }
  return plain + text.slice(done);
}

/** A place in a file with an address relative to the folder that was read, such as `guide/start.md#L3-L9`. */
export function withoutDisk<T extends { readonly path?: string; readonly url: string }>(place: T): T {
  const segments = place.path?.split("/").length ?? 1;
  return { ...place, url: place.url.split("/").slice(-segments).join("/") };
}

/** A passage with addresses relative to the folder that was read. */
function passageWithoutDisk<P extends Passage>(passage: P): P {
  const { path = "" } = passage.source;
  const blocks = passage.blocks.map((block) => {
    if (block.type === "prose") return block;
    const codes = block.codes.map((code) => ({
      ...code,
      ...(code.sources && { sources: code.sources.map(withoutDisk) }),
    }));
    return { ...block, codes, url: withoutDisk({ path, url: block.url }).url };
  });
  const page = { ...passage.page, url: withoutDisk({ path, url: passage.page.url }).url };
  return { ...passage, blocks, page, source: withoutDisk(passage.source) };
}
