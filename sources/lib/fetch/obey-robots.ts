import { Failure } from "../../../domain/failures.ts";
import { isAllowed, parseRobots, type RobotsFile, type RobotsRule } from "../../../extract/website/parse-robots.ts";
import { parseText, type Threads } from "../threads/thread-pool.ts";
import type { PoliteClient } from "./polite.ts";

/** The rules of robots.txt files. */
export interface Robots {
  /** Whether a page may be fetched. @throws Failure source_unreachable if the file cannot be fetched */
  allows(url: URL): Promise<boolean>;
  /** The sitemaps that the file names. @throws Failure source_unreachable if the file cannot be fetched */
  sitemaps(url: URL): Promise<Pick<RobotsFile, "sitemaps" | "tooLong">>;
}

/** The user agent whose rules apply. */
const robotName = "Lectern";

/** Bytes of a robots.txt that are read; the rest is ignored (RFC 9309, 2.5). */
const maxBytes = 512_000;

const module = new URL(import.meta.url);

/** More rules with wildcards are matched on a thread: each takes some microseconds for a long address. */
const maxInline = 100;

const permissive: RobotsFile = { rules: [], sitemaps: [], tooLong: 0 };

/** Reads the robots.txt of each host once, and applies its Crawl-delay. A missing or refused file permits everything (RFC 9309). */
export function createRobots(client: PoliteClient, threads: Threads): Robots {
  const files = new Map<string, Promise<RobotsFile>>();

  async function read(origin: string): Promise<RobotsFile> {
    const address = new URL("/robots.txt", origin);
    const response = await client.request(address, { signal: threads.signal, maxBytes: Infinity });
    if (response.status >= 200 && response.status < 300) {
      const bytes = await readStart(response.body);
      const file = await parseText<Uint8Array, RobotsFile>(threads, { module, name: "robotsOf" }, bytes, address.href);
      if (file.crawlDelay !== undefined) client.slowDown(address.host, file.crawlDelay * 1000);
      return file;
    }
    response.discard();
    if (response.status < 500) return permissive;
    const message = `${address.href} answers ${response.status}, so its rules for robots are unknown. Try again later.`;
    throw new Failure("source_unreachable", message);
  }

  const fileOf = (url: URL): Promise<RobotsFile> => {
    const file = files.get(url.origin) ?? read(url.origin);
    files.set(url.origin, file);
    return file;
  };

  return {
    async allows(url) {
      const { rules } = await fileOf(url);
      const query: RulesQuery = { rules, path: url.pathname + url.search };
      const wildcards = rules.filter(({ pieces }) => pieces.length > 1).length;
      if (wildcards <= maxInline) return allowedBy(query);
      return parseText(threads, { module, name: "allowedBy" }, query, `The robots.txt of ${url.host}`);
    },
    sitemaps: fileOf,
  };
}

/** The first bytes of a body; leaving the loop closes the connection. */
async function readStart(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= maxBytes) break;
  }
  return new Uint8Array(Buffer.concat(chunks).subarray(0, maxBytes));
}

interface RulesQuery {
  readonly rules: readonly RobotsRule[];
  readonly path: string;
}

/** Whether rules allow a path. Runs on a thread if there are many. */
export function allowedBy({ rules, path }: RulesQuery): boolean {
  return isAllowed(rules, path);
}

/** Parses a robots.txt. Runs on a thread. */
export function robotsOf(bytes: Uint8Array): RobotsFile {
  return parseRobots(new TextDecoder().decode(bytes), robotName);
}
