import { maxAddressLength } from "./addresses.ts";

/** The parts of a robots.txt for one robot (RFC 9309). */
export interface RobotsFile {
  /** Sorted by length, longest first; the first match decides. */
  readonly rules: readonly RobotsRule[];
  /** Seconds between two requests, if given. */
  readonly crawlDelay?: number;
  /** Absolute addresses. */
  readonly sitemaps: readonly string[];
  /** Number of sitemaps with overlong addresses. */
  readonly tooLong: number;
}

/** A rule that allows or disallows paths. */
export interface RobotsRule {
  readonly allow: boolean;
  /** The parts of the pattern between its wildcards. */
  readonly pieces: readonly string[];
  /** The path must end with the last piece. */
  readonly isWhole: boolean;
}

/** Maximum number of rules with wildcards. Further ones disallow everything that begins like them. */
const maxWildcards = 5000;
/** Maximum number of sitemaps of one file. */
const maxSitemaps = 1000;

/**
 * Reads a robots.txt, in time proportional to its length. All groups for the robot are combined, or those for `*` if it has none. Unknown
 * lines do not separate groups.
 */
export function parseRobots(text: string, robot: string): RobotsFile {
  const own = emptyGroup();
  const general = emptyGroup();
  const sitemaps = new Set<string>();
  let tooLong = 0;
  let current = new Set<Group>();
  let isInHead = false;
  for (const line of text.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/)) {
    const [, field = "", value = ""] = /^\s*([a-z-]+)\s*:([^#]*)/i.exec(line) ?? [];
    const name = field.toLowerCase();
    const trimmed = value.trim();
    if (name === "user-agent") {
      if (!isInHead) current = new Set();
      isInHead = true;
      const [agent = ""] = trimmed.toLowerCase().split("/");
      if (agent.trim() === robot.toLowerCase()) current.add(own);
      else if (agent.trim() === "*") current.add(general);
      for (const group of current) group.isNamed = true;
    } else if (name === "allow" || name === "disallow") {
      isInHead = false;
      const allow = name === "allow";
      if (trimmed !== "")
        for (const group of current) group.patterns.set(`${allow ? "+" : "-"}${normalised(trimmed)}`, allow);
    } else if (name === "crawl-delay") {
      isInHead = false;
      const delay = Number(trimmed);
      if (trimmed !== "" && !Number.isNaN(delay)) for (const group of current) group.crawlDelay = delay;
    } else if (name === "sitemap") {
      const url = URL.parse(trimmed);
      if (url === null || !/^https?:$/.test(url.protocol)) continue;
      if (url.href.length > maxAddressLength) tooLong += 1;
      else if (sitemaps.size < maxSitemaps) sitemaps.add(url.href);
    }
  }
  const { patterns, crawlDelay } = own.isNamed ? own : general;
  const delay = crawlDelay === undefined ? {} : { crawlDelay };
  return { rules: toRules(patterns), ...delay, sitemaps: [...sitemaps], tooLong };
}

interface Group {
  isNamed: boolean;
  /** Whether a pattern allows, by the pattern prefixed with + or -. */
  readonly patterns: Map<string, boolean>;
  crawlDelay: number | undefined;
}

function emptyGroup(): Group {
  return { isNamed: false, patterns: new Map(), crawlDelay: undefined };
}

/** Encodes a pattern like an address, with upper-case hexadecimal digits. */
function normalised(pattern: string): string {
  return upperCased(encodeURI(pattern.toWellFormed()).replaceAll("%25", "%"));
}

function upperCased(path: string): string {
  return path.replace(/%[0-9a-f]{2}/gi, (code) => code.toUpperCase());
}

/** Sorts the rules, the most specific first: by length, then allowing ones. */
function toRules(patterns: ReadonlyMap<string, boolean>): RobotsRule[] {
  let wildcards = 0;
  return [...patterns]
    .map(([signed, allow]) => ({ allow, pattern: signed.slice(1) }))
    .toSorted((a, b) => b.pattern.length - a.pattern.length || Number(b.allow) - Number(a.allow))
    .flatMap(({ allow, pattern }): RobotsRule[] => {
      const isWhole = pattern.endsWith("$");
      const pieces = (isWhole ? pattern.slice(0, -1) : pattern).split(/\*+/);
      // It is longer than any crawled address.
      if (pieces.reduce((sum, piece) => sum + piece.length, 0) > maxAddressLength) return [];
      if (pieces.length === 1 || ++wildcards <= maxWildcards) return [{ allow, pieces, isWhole }];
      return allow ? [] : [{ allow, pieces: pieces.slice(0, 1), isWhole: false }];
    });
}

/** Whether a page may be requested. `path` includes the query. Takes time proportional to path and rules. */
export function isAllowed(rules: readonly RobotsRule[], path: string): boolean {
  const wanted = upperCased(path);
  return rules.find((rule) => matches(rule, wanted))?.allow ?? true;
}

function matches({ pieces, isWhole }: RobotsRule, path: string): boolean {
  const [first = "", ...others] = pieces;
  const last = others.pop();
  if (!path.startsWith(first)) return false;
  if (last === undefined) return !isWhole || path.length === first.length;
  let at = first.length;
  for (const piece of others) {
    const found = find(path, piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return isWhole ? path.length - last.length >= at && path.endsWith(last) : find(path, last, at) >= 0;
}

/** Like `indexOf`, by Knuth, Morris and Pratt: `indexOf` is quadratic for some pieces. */
function find(text: string, piece: string, from: number): number {
  if (piece === "") return from;
  const borders = new Uint16Array(piece.length);
  for (let at = 1, length = 0; at < piece.length; at += 1) {
    while (length > 0 && piece[at] !== piece[length]) length = borders[length - 1] ?? 0;
    if (piece[at] === piece[length]) length += 1;
    borders[at] = length;
  }
  for (let at = from, length = 0; at < text.length; at += 1) {
    while (length > 0 && text[at] !== piece[length]) length = borders[length - 1] ?? 0;
    if (text[at] === piece[length]) length += 1;
    if (length === piece.length) return at - length + 1;
  }
  return -1;
}

/** Names before a colon that are directives; any other is the name of a robot. */
const directiveNames = /^(?:max-[a-z-]+|unavailable_after)$/;

/**
 * Reads the content of meta elements for us, and the X-Robots-Tag header, both in lower case: whether the page may be served (`index`), and
 * its links followed.
 */
export function directivesOf(meta: string, header: string): Readonly<Record<"index" | "follow", boolean>> {
  const directives = new Set(meta.split(/[\s,]+/));
  let isOurs = true;
  for (const part of header.split(",")) {
    const [, name = "", rest = ""] = /^\s*([a-z_-]+)\s*:(.*)$/s.exec(part) ?? [];
    // The name of a robot applies to all directives up to the next name.
    if (name !== "" && !directiveNames.test(name)) isOurs = name === "lectern" || name === "*";
    if (isOurs) directives.add((name === "" ? part : rest).trim());
  }
  const none = directives.has("none");
  return { index: !none && !directives.has("noindex"), follow: !none && !directives.has("nofollow") };
}
