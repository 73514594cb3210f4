import GithubSlugger from "github-slugger";
import { closesFence, readFenceLine } from "../markdown/fences.ts";

/** A line outside of code, with its number from 0. */
interface ProseLine {
  readonly text: string;
  readonly at: number;
}

/** A line that names the address of its page, in prose or front matter. */
export const addressLine =
  /^(?:>\s*)?\**(?:source|url|source_url|canonical|link|page)\**\s*:\**(?!\*)\s*<?["']?(\S+?)["']?>?\s*$/i;

/** The lines of a text that are in no fenced code. */
export function* proseLines(lines: readonly string[]): Generator<ProseLine> {
  let open = "";
  for (const [at, text] of lines.entries()) {
    const isShallow = /^ {0,3}[`~]/.test(text);
    if (open !== "") {
      if (isShallow && closesFence(text.trim(), open)) open = "";
      continue;
    }
    if (isShallow) open = readFenceLine(text)?.marker ?? "";
    if (open === "") yield { text, at };
  }
}

/** A page that is cut out of an llms-full.txt. */
export interface CutPage {
  /** The address that the file names, or the file's own with a `#slug`; each once. */
  readonly url: string;
  readonly text: string;
  /** Line of the file at which the text begins, from 1. */
  readonly firstLine: number;
}

/** A heading of the first level that is a link. */
const linkedHeading = /^#\s+\[[^\]\n]{1,500}\]\(<?([^\s()<>]{1,2000})>?\)\s*$/;
/** Share of the parts whose headings are links where these are the addresses of the parts. */
const linkedShare = 0.5;
/** How many lines below its heading, or of front matter, name the address of a page. */
const maxHeadLines = 20;
const heading = /^#\s+\S/;
const subheading = /^##\s+\S/;

/** The pages of an llms-full.txt. */
export interface CutFile {
  readonly pages: readonly CutPage[];
  /** Further pages, beyond as many as are wanted. */
  readonly more: number;
}

interface Segment {
  readonly start: number;
  readonly url: string | undefined;
}

/**
 * Cuts an llms-full.txt into its pages: at front matter, and at each heading of the first level. A part without an
 * address belongs to the page before it where others have one. Without any address the parts stand below the file's own.
 * Only addresses on the hosts in `hosts` are taken: a file may not speak for other sites.
 */
export function cutFullFile(text: string, base: string, hosts: ReadonlySet<string>, maxPages = Infinity): CutFile {
  const lines = text.split(/\r?\n/);
  const prose = [...proseLines(lines)];
  const toUrl = (written: string | undefined): string | undefined => {
    const url = written === undefined ? null : URL.parse(written, base);
    return url !== null && /^https?:$/.test(url.protocol) && hosts.has(url.host) ? url.href : undefined;
  };
  const starts = startsOf(prose, lines);
  const segmentsBy = (line: RegExp): readonly Segment[] =>
    starts.map((start, at): Segment => {
      const head = headOf(prose, start, starts[at + 1] ?? lines.length);
      return { start, url: toUrl(head.map(({ text }) => line.exec(text)?.[1]).find((found) => found !== undefined)) };
    });
  const named = segmentsBy(addressLine);
  const segments = named.some(({ url }) => url !== undefined) ? named : orByHeadings(named, segmentsBy(linkedHeading));
  const hasAddresses = segments.some(({ url }) => url !== undefined);
  const parts = hasAddresses
    ? segments.filter(({ url }, at) => at === 0 || url !== undefined)
    : segments.length > 1
      ? segments
      : sectionsOf(prose);
  const slugger = new GithubSlugger();
  const seen = new Map<string, number>();
  /** An address that is named again is that of another part. */
  const unique = (url: string): string => {
    const count = (seen.get(url) ?? 0) + 1;
    seen.set(url, count);
    return count === 1 ? url : `${url}${url.includes("#") ? "-" : "#part-"}${count}`;
  };
  const pages = parts.slice(0, maxPages).map(({ start, url }, at): CutPage => {
    const end = parts[at + 1]?.start ?? lines.length;
    const isOwnAddress = (line: string): boolean => url !== undefined && toUrl(addressLine.exec(line)?.[1]) === url;
    const own = lines.slice(start, end).map((line) => (isOwnAddress(line) ? "" : line));
    const title = titleOf(prose, start, end);
    return {
      url: unique(url ?? (title === "" ? base : `${base}#${slugger.slug(title)}`)),
      text: own.join("\n"),
      firstLine: start + 1,
    };
  });
  return { pages: pages.filter(({ text: own }) => own.trim() !== ""), more: parts.length - pages.length };
}

/** Segments with the addresses of their headings, where most of them have one. */
function orByHeadings(named: readonly Segment[], linked: readonly Segment[]): readonly Segment[] {
  const found = linked.filter(({ url }) => url !== undefined).length;
  return found > 0 && found >= linked.length * linkedShare ? linked : named;
}

/** Lines at which front matter or a heading of the first level begins, and the first one. */
function startsOf(prose: readonly ProseLine[], lines: readonly string[]): readonly number[] {
  const starts = new Set([0]);
  let frontMatterEnd = -1;
  let fromMatter = false;
  for (const { text, at } of prose) {
    if (at <= frontMatterEnd) continue;
    const end = text === "---" ? endOfFrontMatter(lines, at) : undefined;
    if (end !== undefined) {
      starts.add(at);
      frontMatterEnd = end;
      fromMatter = true;
    } else if (heading.test(text)) {
      if (!fromMatter) starts.add(at);
      fromMatter = false;
    }
  }
  return [...starts].toSorted((one, other) => one - other);
}

/** Where front matter ends that begins at a line: lines of `key: value` up to another `---`. */
function endOfFrontMatter(lines: readonly string[], start: number): number | undefined {
  for (let at = start + 1; at < Math.min(lines.length, start + 1 + maxHeadLines); at++) {
    const line = lines[at] ?? "";
    if (line === "---") return at > start + 1 ? at : undefined;
    if (!/^(?:[\w-]+\s*:|\s+\S|-\s)/.test(line)) return undefined;
  }
  return undefined;
}

/** The lines of a segment's head: those up to its second heading. */
function headOf(prose: readonly ProseLine[], start: number, end: number): readonly ProseLine[] {
  const head: ProseLine[] = [];
  for (let at = firstFrom(prose, start); at < prose.length; at++) {
    const line = prose[at];
    if (line === undefined || line.at >= end || line.at > start + maxHeadLines || subheading.test(line.text)) break;
    head.push(line);
  }
  return head;
}

/** Place of the first line from a number on (binary search). */
function firstFrom(prose: readonly ProseLine[], start: number): number {
  let [low, high] = [0, prose.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((prose[middle]?.at ?? 0) < start) low = middle + 1;
    else high = middle;
  }
  return low;
}

function sectionsOf(prose: readonly ProseLine[]): readonly Segment[] {
  const starts = prose.filter(({ text }) => subheading.test(text)).map(({ at }) => at);
  return [0, ...starts.filter((at) => at > 0)].map((start) => ({ start, url: undefined }));
}

function titleOf(prose: readonly ProseLine[], start: number, end: number): string {
  for (let at = firstFrom(prose, start); at < prose.length; at++) {
    const line = prose[at];
    if (line === undefined || line.at >= end) return "";
    const [, title] = /^#{1,2}\s+(\S.*)/.exec(line.text) ?? [];
    if (title !== undefined) return title.trimEnd();
  }
  return "";
}

/** Minimum share of the listed pages that a complete llms-full.txt has. */
const completeShare = 0.9;

/** The pages of an llms-full.txt. */
interface FullFile {
  readonly resource: string;
  readonly urls: readonly string[];
}

/**
 * Whether an llms-full.txt stands for the pages that an llms.txt lists: by the addresses of its pages, or by their number if it
 * names none.
 */
export function isComplete(listed: readonly string[], { resource, urls }: FullFile): boolean {
  if (listed.length === 0) return urls.length > 0;
  const bare = new Set(urls.map(bareAddress));
  const found = listed.filter((url) => bare.has(bareAddress(url))).length;
  return (
    found >= listed.length * completeShare || (!hasOwnAddresses({ resource, urls }) && urls.length >= listed.length)
  );
}

/** Whether pages of an llms-full.txt have addresses of their own, and not only that of the file with fragments. */
export function hasOwnAddresses({ resource, urls }: FullFile): boolean {
  const own = bareAddress(resource);
  return urls.some((url) => bareAddress(url) !== own);
}

/** Listed pages that an llms-full.txt lacks, by the addresses of its pages. */
export function missingFrom(listed: readonly string[], { urls }: FullFile): string[] {
  const bare = new Set(urls.map(bareAddress));
  return listed.filter((url) => !bare.has(bareAddress(url)));
}

/** An address in the form that is the same for all ways to write it. */
function bareAddress(address: string): string {
  const { host, pathname } = new URL(address);
  const path = pathname.replace(/(?:\/index(?:\.html)?)?(?:\.mdx?)?$/i, "").replace(/\.html$/i, "");
  return `${host}${path.replace(/(?<!\/)\/+$/, "")}`;
}
