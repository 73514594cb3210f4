import GithubSlugger from "github-slugger";
import { closesFence, readFenceLine } from "../markdown/fences.ts";

/** A line outside of code, with its number from 0. */
interface ProseLine {
  readonly text: string;
  readonly at: number;
}

/** A line with the address of its page, in prose or front matter. */
export const addressLine =
  /^(?:>\s*)?\**(?:source|url|source_url|canonical|link|page)\**\s*:\**(?!\*)\s*<?["']?(\S+?)["']?>?\s*$/i;

/** The lines of a text outside of fenced code. */
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

/** A page cut out of an llms-full.txt. */
interface CutPage {
  /** The address given in the file, or the file's own with a `#slug`; unique. */
  readonly url: string;
  readonly text: string;
  /** The first line of the text in the file, from 1. */
  readonly firstLine: number;
}

/** A linked heading of level 1. */
const linkedHeading = /^#\s+\[[^\]\n]{1,500}\]\(<?([^\s()<>]{1,2000})>?\)\s*$/;
/** Minimum share of parts with linked headings to use these links as addresses. */
const linkedShare = 0.5;
/** Maximum number of lines below a heading, or of front matter, searched for the address of the page. */
const maxHeadLines = 20;
const heading = /^#\s+\S/;
const subheading = /^##\s+\S/;

/** The pages of an llms-full.txt. */
export interface CutFile {
  readonly pages: readonly CutPage[];
  /** Number of further pages, beyond the limit. */
  readonly more: number;
  /** Its bytes are invalid in its encoding: some became U+FFFD. */
  readonly damaged?: boolean;
}

interface Segment {
  readonly start: number;
  readonly url: string | undefined;
}

/**
 * Cuts an llms-full.txt into pages: at front matter, and at each heading of level 1. If some parts have an address, a part without one
 * belongs to the page before it; if none has, all get the file's own. Only addresses on the hosts in `hosts` count: a file may not speak
 * for other sites.
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
      return { start, url: toUrl(head.map(({ text }) => line.exec(text)?.[1]).find((url) => url !== undefined)) };
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
  const counts = new Map<string, number>();
  /** Numbers repeated addresses. */
  const unique = (url: string): string => {
    const count = (counts.get(url) ?? 0) + 1;
    counts.set(url, count);
    return count === 1 ? url : `${url}${url.includes("#") ? "-" : "#part-"}${count}`;
  };
  const pages = parts.slice(0, maxPages).map(({ start, url }, at): CutPage => {
    const end = parts[at + 1]?.start ?? lines.length;
    const isOwnAddress = (line: string): boolean => url !== undefined && toUrl(addressLine.exec(line)?.[1]) === url;
    const ownLines = lines.slice(start, end).map((line) => (isOwnAddress(line) ? "" : line));
    const title = titleOf(prose, start, end);
    return {
      url: unique(url ?? (title === "" ? base : `${base}#${slugger.slug(title)}`)),
      text: ownLines.join("\n"),
      firstLine: start + 1,
    };
  });
  return { pages: pages.filter(({ text: ownLines }) => ownLines.trim() !== ""), more: parts.length - pages.length };
}

/** The segments with the addresses of linked headings, if most have one. */
function orByHeadings(named: readonly Segment[], linked: readonly Segment[]): readonly Segment[] {
  const count = linked.filter(({ url }) => url !== undefined).length;
  return count > 0 && count >= linked.length * linkedShare ? linked : named;
}

/** The first line, and those where front matter or a heading of level 1 begins. */
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

/** The last line of front matter: lines of `key: value` up to another `---`; undefined for anything else. */
function endOfFrontMatter(lines: readonly string[], start: number): number | undefined {
  for (let at = start + 1; at < Math.min(lines.length, start + 1 + maxHeadLines); at++) {
    const line = lines[at] ?? "";
    if (line === "---") return at > start + 1 ? at : undefined;
    if (!/^(?:[\w-]+\s*:|\s+\S|-\s)/.test(line)) return undefined;
  }
  return undefined;
}

/** The head of a segment: its first lines, up to a heading of level 2. */
function headOf(prose: readonly ProseLine[], start: number, end: number): readonly ProseLine[] {
  const lines = prose.slice(firstFrom(prose, start), firstFrom(prose, Math.min(end, start + maxHeadLines + 1)));
  const stop = lines.findIndex(({ text }) => subheading.test(text));
  return stop < 0 ? lines : lines.slice(0, stop);
}

/** Index of the first line at or after a line number (binary search). */
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
  for (const { text } of prose.slice(firstFrom(prose, start), firstFrom(prose, end))) {
    const [, title] = /^#{1,2}\s+(\S.*)/.exec(text) ?? [];
    if (title !== undefined) return title.trimEnd();
  }
  return "";
}

/** Minimum share of listed pages in a complete llms-full.txt. */
const completeShare = 0.9;

/** The pages of an llms-full.txt. */
interface FullFile {
  readonly resource: string;
  readonly urls: readonly string[];
}

/** Whether an llms-full.txt has the pages that an llms.txt lists: by their addresses, or by their number if it has no addresses. */
export function isComplete(listed: readonly string[], file: FullFile): boolean {
  const { length } = file.urls;
  if (listed.length === 0) return length > 0;
  const found = listed.length - missingFrom(listed, file).length;
  return found >= listed.length * completeShare || (!hasOwnAddresses(file) && length >= listed.length);
}

/** Whether pages of an llms-full.txt have addresses of their own, not just the file's with fragments. */
export function hasOwnAddresses({ resource, urls }: FullFile): boolean {
  const own = bareAddress(resource);
  return urls.some((url) => bareAddress(url) !== own);
}

/** The listed pages that an llms-full.txt lacks, by their addresses. */
export function missingFrom(listed: readonly string[], { urls }: FullFile): string[] {
  const bare = new Set(urls.map(bareAddress));
  return listed.filter((url) => !bare.has(bareAddress(url)));
}

/** An address without the parts in which equivalent addresses differ, such as those of a page and of its Markdown. */
export function bareAddress(address: string): string {
  const { host, pathname } = new URL(address);
  const path = pathname.replace(/(?:\/index(?:\.html)?)?(?:\.mdx?)?$/i, "").replace(/\.html$/i, "");
  return `${host}${path.replace(/(?<!\/)\/+$/, "")}`;
}
