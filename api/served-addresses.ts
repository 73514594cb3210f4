import type { Passage } from "../domain/passage.ts";

/**
 * A passage with absolute links: a relative link gets its address at the source where that is known, else only its text is kept. Code stays as it is.
 */
export function withAbsoluteLinks(passage: Passage): Passage {
  const blocks = passage.blocks.map((block) => {
    if (block.type === "prose") return { ...block, markdown: relinked(block.markdown, passage) };
    return { ...block, description: relinked(block.description, passage) };
  });
  return { ...passage, blocks };
}

/** Maximum nesting of links: an image in the text of a link, or a mistake of an author. */
const maxDepth = 3;

function relinked(markdown: string, passage: Passage, depth = 0): string {
  if (depth > maxDepth || !/\]\((?!https?:\/\/)/.test(markdown)) return markdown;
  const inner = (stretch: readonly [number, number]): string =>
    relinked(markdown.slice(...stretch), passage, depth + 1);
  let served = "";
  let at = 0;
  for (const { start, text, target, end } of findLinks(markdown)) {
    const address = addressOf(markdown.slice(...target), passage);
    if (address === undefined) {
      // Only the text between the brackets is kept, with its own links resolved.
      served += markdown.slice(at, start) + inner(text);
    } else {
      const [before, between, behind] = [
        markdown.slice(at, text[0]),
        markdown.slice(text[1], target[0]),
        markdown.slice(target[1], end),
      ];
      served += `${before}${inner(text)}${between}${address}${behind}`;
    }
    at = end;
  }
  return served + markdown.slice(at);
}

/** The absolute address of a link of a page; undefined where it is unknown. */
function addressOf(link: string, { page, source }: Passage): string | undefined {
  if (/^(?:https?:\/\/|mailto:)./i.test(link)) return link;
  if (link === "" || link.startsWith("#") || (/^[a-z][a-z\d+.-]*:/i.test(link) && !link.startsWith("//")))
    return undefined;
  if (source.path === undefined) return URL.canParse(link, page.url) ? new URL(link, page.url).href : undefined;
  return inTree(link, page.url, source.path);
}

/** The address of a file in the page's tree; a link to anything else is one of the website that is built from the tree. */
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

/** The number of folders that a relative path goes up, and the path down from there; undefined where it leaves the tree. */
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

/** A range of a text: start, and end (exclusive). */
type Stretch = readonly [start: number, end: number];

/** A link or image of Markdown, by its ranges in the text. */
interface FoundLink {
  /** Offset of its bracket, or of the exclamation mark of an image. */
  readonly start: number;
  readonly text: Stretch;
  readonly target: Stretch;
  /** Offset after its last parenthesis. */
  readonly end: number;
}

/** A line that opens or closes a fence, also in a list or quotation. */
const fenceLine = /^[\s>*+\-\d.)]*(`{3,}(?!`)|~{3,}(?!~))(.*)$/;
/** The address of a link after its parenthesis, and its title. */
const target =
  /(<[^<>\n]{0,2000}>|[^\s()<>]{0,2000}(?:\([^\s()]{0,500}\)[^\s()<>]{0,500})?)(?:[ \n]{1,9}(?:"[^"\n]{0,500}"|'[^'\n]{0,500}'))?[ ]{0,9}\)/y;

/** The links and images of Markdown outside of code, in order, without those nested in the text of another one. */
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

/** The text with code replaced by blanks, in the same length. */
function withoutCode(markdown: string): string {
  let open = "";
  const lines = markdown.split("\n").map((line) => {
    const wasOpen = open !== "";
    const isFence = line.includes("```") || line.includes("~~~");
    const [, fence = "", rest = ""] = (isFence && fenceLine.exec(line)) || [];
    if (!wasOpen) open = fence.startsWith("`") && rest.includes("`") ? "" : fence;
    else if (fence[0] === open[0] && fence.length >= open.length && rest.trim() === "") open = "";
    return wasOpen || open !== "" ? " ".repeat(line.length) : line;
  });
  return withoutSpans(lines.join("\n"));
}

function withoutSpans(text: string): string {
  const runs = Array.from(text.matchAll(/`+/g), ({ 0: { length }, index }) => ({ length, index }));
  /** For each run of backticks the next one of its length, which closes it. */
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

/** Something in a file: its path in the tree, and an address. */
interface InFile {
  readonly path?: string;
  readonly url: string;
}

/** The same with an address relative to the folder that was read, such as `guide/start.md#L3-L9`. */
export function withoutDisk<T extends InFile>(place: T): T {
  const segments = place.path?.split("/").length ?? 1;
  return { ...place, url: place.url.split("/").slice(-segments).join("/") };
}

/** The same passage with relative addresses. */
export function passageWithoutDisk(passage: Passage): Passage {
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
