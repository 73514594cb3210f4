import type { LlmsTxtSourceSpec } from "../../domain/kinds/index.ts";
import type { PageRef, ReadContext, SourceItem } from "../../domain/ports.ts";
import type { Validators } from "../../domain/generation.ts";
import type { PoliteClient } from "../lib/fetch/polite.ts";
import type { Fetched } from "../lib/pages/fetching.ts";
import type { Robots } from "../lib/fetch/robots.ts";
import type { ThreadPool } from "../lib/threads/thread-pool.ts";

/** One reading of an llms.txt. */
export interface Reading {
  readonly spec: LlmsTxtSourceSpec;
  readonly client: PoliteClient;
  readonly pool: ThreadPool;
  readonly context: ReadContext;
  /** The source's own hosts: the submitted one, and the one that it redirects to. */
  readonly hosts: Set<string>;
  readonly robots: Robots;
  /** Sentences for the library's status. */
  readonly notes: string[];
  /** Validators of the fetched resources by their address, for the next refresh. */
  readonly validators: Map<string, Validators>;
}

/** Keeps validators for the next refresh. */
export function keepValidators({ validators }: Reading, resource: string, found: Validators | undefined): void {
  if (found !== undefined) validators.set(resource, found);
}

/** Why a page is left out. */
type Left = Pick<Extract<SourceItem, { type: "skipped" }>, "code" | "reason">;

const otherHost: Left = {
  code: "other_host",
  reason: "The page is on another host than the file. Submit it with otherHosts to read such pages too.",
};
const refusedByRobots: Left = { code: "robots", reason: "The robots.txt of the host refuses the page." };

/** Why an address is not fetched; undefined where it may be. @throws Failure source_unreachable where robots.txt cannot be fetched */
export async function whyLeftOut(reading: Reading, url: URL): Promise<Left | undefined> {
  if (!isWanted(reading, url)) return otherHost;
  return (await reading.robots.allows(url)) ? undefined : refusedByRobots;
}

/** Why a fetched page is left out: it was redirected to another host; undefined where it is not. */
export function whyElsewhere(reading: Reading, { url }: Pick<Fetched, "url">): Left | undefined {
  return isWanted(reading, url) ? undefined : otherHost;
}

/** A page of which only the address is known. */
export function unreadPage(key: string): PageRef {
  return { key, url: key, mediaType: "", fingerprint: "", resource: key };
}

/** Whether pages of a host are read. */
export function isWanted({ spec, hosts }: Reading, { host }: URL): boolean {
  return spec.otherHosts || hosts.has(host);
}
