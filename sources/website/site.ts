import { Failure } from "../../domain/failures.ts";
import type { WebsiteCredential, WebsiteSourceSpec } from "../../domain/kinds/index.ts";
import type { ReadContext } from "../../domain/ports.ts";
import type { Validators } from "../../domain/generation.ts";
import { createScope, toPageAddress } from "../../extract/website/addresses.ts";
import type { FetchClient } from "../lib/fetch/client.ts";
import type { PoliteClient } from "../lib/fetch/polite.ts";
import { createRobots, type Robots } from "../lib/fetch/obey-robots.ts";
import type { ThreadPool, Threads } from "../lib/threads/thread-pool.ts";
import { hashOf, statusFailure } from "../lib/pages/fetching.ts";
import { wantedBy } from "./scanning.ts";

/** One reading of a website. */
export interface Site {
  /** As submitted, but on the host that the site has moved to. */
  readonly spec: WebsiteSourceSpec;
  /** Address of the first page, after redirects. */
  readonly arrival: string;
  readonly context: ReadContext<WebsiteCredential>;
  /** Counts responses, and sends the credential to its own origin. */
  readonly client: PoliteClient;
  readonly robots: Robots;
  readonly threads: Threads;
  /** Validators of the read resources, for the next refresh. */
  readonly validators: Map<string, Validators>;
  /** Number of responses by status. */
  readonly answers: Record<string, number>;
  /** Hash of the options that affect extraction: part of a page's fingerprint. */
  readonly optionsHash: string;
  /** Headers of the credential, for the submitted origin; undefined for any other one. */
  headersFor(address: URL): Readonly<Record<string, string>> | undefined;
  /** Whether its first page can still be fetched. */
  isThere(): Promise<boolean>;
  /** The normalised address; undefined if it can be no page of a site. */
  toAddress(href: string, base: string): string | undefined;
  /** Whether an address is in scope and chosen by the patterns. */
  isWanted(address: string): boolean;
}

/**
 * Opens a website for one reading. A site that has moved to another host is read there, from the same path.
 * @throws Failure source_refused if its robots.txt refuses the first page, source_not_found or source_unreachable if that is missing,
 * validation_error for a pattern that would take too long to match
 */
export async function openSite(
  submitted: WebsiteSourceSpec,
  context: ReadContext<WebsiteCredential>,
  tools: { readonly client: PoliteClient; readonly pool: ThreadPool },
): Promise<Site> {
  const { signal, credential } = context;
  const answers: Record<string, number> = { ...context.answers };
  const { origin } = new URL(submitted.url);
  const headersFor: Site["headersFor"] = (address) => (address.origin === origin ? credential?.headers : undefined);
  const client = withHeaders(tools.client, headersFor, answers);
  const threads = { pool: tools.pool, signal };
  const robots = createRobots(client, threads);
  const arrival = await arrive(new URL(submitted.url), client, robots, signal);
  const moved = { ...submitted, url: movedTo(submitted.url, arrival) };
  // If the first page redirects out of its scope, the target is the new start.
  const spec = createScope(moved)(arrival) ? moved : { ...submitted, url: arrival.href };
  return {
    spec,
    arrival: arrival.href,
    context,
    client,
    robots,
    threads,
    validators: new Map(),
    answers,
    optionsHash: hashOf(spec.excludeSelectors.join("\n")).slice(0, 8),
    headersFor,
    async isThere() {
      try {
        const { status, discard } = await client.request(arrival, { signal });
        discard();
        return status === 200;
      } catch (error) {
        if (signal.aborted || !(error instanceof Failure)) throw error;
        return false;
      }
    },
    toAddress: (href, base) => toPageAddress(href, base, spec),
    isWanted: wantedBy(spec),
  };
}

async function arrive(
  start: URL,
  client: Pick<FetchClient, "request">,
  robots: Robots,
  signal: AbortSignal,
): Promise<URL> {
  if (!(await robots.allows(start)))
    throw new Failure("source_refused", `The robots.txt of ${start.host} refuses ${start.href}.`);
  const response = await client.request(start, { signal, headers: { accept: "text/html, */*;q=0.5" } });
  response.discard();
  if (response.status !== 200) throw statusFailure(start, response.status);
  return response.url;
}

/** An address on the host that it redirects to. */
function movedTo(url: string, { protocol, host }: URL): string {
  const moved = new URL(url);
  moved.protocol = protocol;
  moved.host = host;
  return moved.href;
}

/** Wraps a client: counts responses by status, and sends headers of a credential to their own origin. Redirects to others drop them. */
function withHeaders(
  client: PoliteClient,
  headersFor: Site["headersFor"],
  answers: Record<string, number>,
): PoliteClient {
  const count = (status: string): void => void (answers[status] = (answers[status] ?? 0) + 1);
  return {
    ...client,
    async request(url, request = {}) {
      try {
        const response = await client.request(url, { ...request, headers: { ...request.headers, ...headersFor(url) } });
        count(String(response.status));
        return response;
      } catch (error) {
        count("none");
        throw error;
      }
    },
  };
}
