import { maxAddressLength } from "./addresses.ts";

/** What a robots.txt says to one robot (RFC 9309). */
export interface RobotsFile {
  /** The longest first: the first one that matches decides. */
  readonly rules: readonly RobotsRule[];
  /** Seconds between two requests; absent: it does not say. */
  readonly crawlDelay?: number;
  /** Absolute addresses. */
  readonly sitemaps: readonly string[];
  /** Sitemaps whose addresses are too long. */
  readonly tooLong: number;
}

/** Which paths are allowed, or disallowed. */
export interface RobotsRule {
  readonly allow: boolean;
  /** What a path has in this order, with anything between: more than one where the pattern has wildcards. */
  readonly pieces: readonly string[];
  /** The path ends with the last piece. */
  readonly isWhole: boolean;
}

/** Rules with wildcards that are matched as such. Of further ones, what stands before the wildcard is disallowed. */
const maxWildcards = 5000;
/** Maximum number of sitemaps that are read of one file. */
const maxSitemaps = 1000;

/**
 * Reads a robots.txt, in time proportional to its length. The groups of the robot count together, and those of `*` where it has
 * none; lines that RFC 9309 does not know separate no groups.
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
    const said = value.trim();
    if (name === "user-agent") {
      if (!isInHead) current = new Set();
      isInHead = true;
      const [agent = ""] = said.toLowerCase().split("/");
      if (agent.trim() === robot.toLowerCase()) current.add(own);
      else if (agent.trim() === "*") current.add(general);
      for (const group of current) group.isNamed = true;
    } else if (name === "allow" || name === "disallow") {
      isInHead = false;
      const allow = name === "allow";
      if (said !== "")
        for (const group of current) group.patterns.set(`${allow ? "+" : "-"}${normalised(said)}`, allow);
    } else if (name === "crawl-delay") {
      isInHead = false;
      const delay = Number(said);
      if (said !== "" && !Number.isNaN(delay)) for (const group of current) group.crawlDelay = delay;
    } else if (name === "sitemap") {
      const url = URL.parse(said);
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
  /** Whether a pattern allows, by the pattern behind a sign of that. */
  readonly patterns: Map<string, boolean>;
  crawlDelay: number | undefined;
}

function emptyGroup(): Group {
  return { isNamed: false, patterns: new Map(), crawlDelay: undefined };
}

/** Characters that an address has only encoded, and upper-case hexadecimal digits, as in addresses. */
function normalised(pattern: string): string {
  return upperCased(encodeURI(pattern.toWellFormed()).replaceAll("%25", "%"));
}

function upperCased(path: string): string {
  return path.replace(/%[0-9a-f]{2}/gi, (code) => code.toUpperCase());
}

/** The most specific rule comes first: the longest, and of equal ones that which allows. */
function toRules(patterns: ReadonlyMap<string, boolean>): RobotsRule[] {
  let wildcards = 0;
  return [...patterns]
    .map(([signed, allow]) => ({ allow, pattern: signed.slice(1) }))
    .toSorted((a, b) => b.pattern.length - a.pattern.length || Number(b.allow) - Number(a.allow))
    .flatMap(({ allow, pattern }): RobotsRule[] => {
      const isWhole = pattern.endsWith("$");
      const pieces = (isWhole ? pattern.slice(0, -1) : pattern).split(/\*+/);
      // Longer than any address that is crawled.
      if (pieces.reduce((sum, piece) => sum + piece.length, 0) > maxAddressLength) return [];
      if (pieces.length === 1 || ++wildcards <= maxWildcards) return [{ allow, pieces, isWhole }];
      return allow ? [] : [{ allow, pieces: pieces.slice(0, 1), isWhole: false }];
    });
}

/** Whether a page may be asked for; `path` is that of its address, with the query. Takes time proportional to path and rules. */
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

/** Where a piece stands in a text from a place on; -1: nowhere. By Knuth, Morris and Pratt: `indexOf` is quadratic for some pieces. */
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

/** What a page asks of robots. */
interface Directives {
  /** The page may be served. */
  readonly index: boolean;
  /** Its links may be followed. */
  readonly follow: boolean;
}

/** Robots that a directive is for stand before a colon; these names are directives themselves. */
const named = /^(?:max-[a-z-]+|unavailable_after)$/;

/** Reads the content of meta elements that are for us, and the header X-Robots-Tag, both in lower case. */
export function directivesOf(meta: string, header: string): Directives {
  const directives = new Set(meta.split(/[\s,]+/));
  let isOurs = true;
  for (const part of header.split(",")) {
    const [, name = "", rest = ""] = /^\s*([a-z_-]+)\s*:(.*)$/s.exec(part) ?? [];
    // A name is for all directives behind it, until the next one.
    if (name !== "" && !named.test(name)) isOurs = name === "lectern" || name === "*";
    if (isOurs) directives.add((name === "" ? part : rest).trim());
  }
  const none = directives.has("none");
  return { index: !none && !directives.has("noindex"), follow: !none && !directives.has("nofollow") };
}
