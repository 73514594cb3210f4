import { Failure } from "../../domain/failures.ts";
import type { Validators } from "../../domain/generation.ts";
import type { EarlierRef, ReadContext, SourceItem, PageRef } from "../../domain/ports.ts";
import type { CutFile } from "../../extract/llmstxt/full-file.ts";
import { encodeText, encodingNotes } from "../../extract/decode.ts";
import { hashOf, fetchText, type Fetched } from "../lib/pages/fetching.ts";
import { itemOf } from "../lib/pages/revision.ts";
import { parseFileOnThread, type ParsedFile } from "./parsing.ts";
import type { LlmsTxtSourceSpec } from "../../domain/kinds/index.ts";
import type { PoliteClient } from "../lib/fetch/polite.ts";
import type { Robots } from "../lib/fetch/obey-robots.ts";
import type { ThreadPool } from "../lib/threads/thread-pool.ts";

const maxFileBytes = 50_000_000;

/** Fetches an llms.txt or a variant of it; "unchanged" if it matches its validators. */
export async function fetchFile(
  reading: Reading,
  url: URL,
  validators: Validators | undefined,
): Promise<Fetched | "unchanged"> {
  const { signal, limits } = reading.context;
  const maxBytes = Math.min(limits.bytes, maxFileBytes);
  const file = await fetchText(reading.client, url, { signal, maxBytes, validators });
  if (file === "unchanged") keepValidators(reading, url.href, validators);
  return file;
}

/** Parses a file. @throws Failure source_invalid for HTML, which servers send for missing files */
export async function parse(
  { url, mediaType, bytes }: Fetched,
  { hosts, pool, context, notes }: Reading,
): Promise<ParsedFile> {
  if (mediaType === "text/html")
    throw new Failure("source_invalid", `${url.href} is an HTML page, not an llms.txt. Check the address.`);
  const { signal, limits } = context;
  const parsed = await parseFileOnThread({ pool, signal }, { url: url.href, bytes, hosts, maxPages: limits.pages });
  const { guessed } = parsed;
  if (guessed !== undefined) notes.push(...encodingNotes(url.href, { text: "", damaged: false, guessed }));
  return parsed;
}

/** The items of the pages in a file: as it was cut, or from the live generation. */
export function* toItems(
  content: CutFile | readonly EarlierRef[],
  resource: string,
  context: Pick<ReadContext, "known">,
): Generator<SourceItem> {
  if (!("pages" in content)) {
    for (const { page } of content) yield { type: "known", page };
    return;
  }
  for (const { url, text, firstLine } of content.pages) {
    const fingerprint = hashOf(`${firstLine}\n${text}`);
    const page = { key: url, url, mediaType: "text/markdown", fingerprint, resource };
    yield itemOf(context, page, { bytes: encodeText({ text, damaged: content.damaged === true }), firstLine });
  }
}

/** The number of pages in a file, including pages beyond the limit. */
export function countPages(content: CutFile | readonly EarlierRef[]): number {
  return "pages" in content ? content.pages.length + content.more : content.length;
}

/** Addresses of the pages in a file. */
export function addressesOf(content: CutFile | readonly EarlierRef[]): string[] {
  return "pages" in content ? content.pages.map(({ url }) => url) : content.map(({ page }) => page.url);
}

/** One reading of an llms.txt. */
export interface Reading {
  readonly spec: LlmsTxtSourceSpec;
  readonly client: PoliteClient;
  readonly pool: ThreadPool;
  readonly context: ReadContext;
  /** The source's own hosts: the submitted one, and the target of its redirect. */
  readonly hosts: Set<string>;
  readonly robots: Robots;
  /** Sentences for the library's status. */
  readonly notes: string[];
  /** Validators of the fetched resources by their address, for the next refresh. */
  readonly validators: Map<string, Validators>;
}

/** Keeps validators for the next refresh. */
export function keepValidators({ validators }: Reading, resource: string, sent: Validators | undefined): void {
  if (sent !== undefined) validators.set(resource, sent);
}

type SkipReason = Pick<Extract<SourceItem, { type: "skipped" }>, "code" | "reason">;

const otherHost: SkipReason = {
  code: "other_host",
  reason: "The page is on a different host than the file. Submit it with otherHosts to read pages of other hosts too.",
};
const refusedByRobots: SkipReason = { code: "robots", reason: "The robots.txt of the host refuses the page." };

/** Why an address is not fetched; undefined if it may be. @throws Failure source_unreachable if robots.txt cannot be fetched */
export async function whyLeftOut(reading: Reading, url: URL): Promise<SkipReason | undefined> {
  if (!isWanted(reading, url)) return otherHost;
  return (await reading.robots.allows(url)) ? undefined : refusedByRobots;
}

/** Why a fetched page is left out: its address redirects to a different host. Undefined if it does not. */
export function whyElsewhere(reading: Reading, { url }: Pick<Fetched, "url">): SkipReason | undefined {
  return isWanted(reading, url) ? undefined : otherHost;
}

/** A page that was not read. */
export function unreadPage(key: string): PageRef {
  return { key, url: key, mediaType: "", fingerprint: "", resource: key };
}

/** Whether pages of a host are read. */
export function isWanted({ spec, hosts }: Reading, { host }: URL): boolean {
  return spec.otherHosts || hosts.has(host);
}
