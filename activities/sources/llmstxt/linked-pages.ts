import { Failure } from "../../../domain/failures.ts";
import type { EarlierRef } from "../../../domain/ports.ts";
import type { Validators } from "../../../domain/snippet.ts";
import type { PoliteClient } from "../../fetch/polite.ts";
import { fetchText } from "./fetching.ts";
import type { Fetched } from "./fetching.ts";

/** A page that was fetched, or found unchanged, and the address of the resource that it is in. */
export interface LinkedPage {
  readonly resource: string;
  readonly fetched: Fetched | "unchanged";
}

/** What linked pages are fetched with. */
export interface LinkedPageOptions {
  readonly client: PoliteClient;
  readonly signal: AbortSignal;
  /** Of one page. */
  readonly maxBytes: number;
  readonly validators: (resource: string) => Validators | undefined;
}

/** Hosts on which so many pages have no Markdown twin are not asked for more. */
const maxMissingTwins = 3;

/**
 * Fetches linked pages: as Markdown, where the server sends it for the address or has a twin of it (`page.md`), else as
 * HTML. A page is first asked for where it was found the last time.
 */
export function createLinkedPages({ client, signal, maxBytes, validators }: LinkedPageOptions) {
  const missingTwins = new Map<string, number>();

  const fetch = async (url: URL): Promise<LinkedPage> => {
    const fetched = await fetchText(client, url, { signal, maxBytes, validators: validators(url.href) });
    return { resource: url.href, fetched };
  };

  const fetchTwin = async (page: URL): Promise<LinkedPage | undefined> => {
    const missing = missingTwins.get(page.host) ?? 0;
    if (missing >= maxMissingTwins) return undefined;
    try {
      const twin = await fetch(twinOf(page));
      if (isMarkdown(twin)) {
        missingTwins.set(page.host, 0);
        return twin;
      }
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    missingTwins.set(page.host, missing + 1);
    return undefined;
  };

  /** @throws Failure */
  return async (address: string, earlier: EarlierRef | undefined): Promise<LinkedPage> => {
    const url = new URL(address);
    const known = earlier?.page.resource;
    if (known !== undefined && known !== address) {
      try {
        const page = await fetch(new URL(known));
        if (isMarkdown(page)) return page;
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
    }
    const page = await fetch(url);
    if (isMarkdown(page) || /\.(?:mdx?|markdown|txt)$/i.test(url.pathname)) return page;
    return (await fetchTwin(url)) ?? page;
  };
}

/** An unchanged page is taken as what it was. */
function isMarkdown({ fetched }: LinkedPage): boolean {
  return fetched === "unchanged" || fetched.mediaType !== "text/html";
}

function twinOf(page: URL): URL {
  const twin = new URL(page);
  twin.pathname += twin.pathname.endsWith("/") ? "index.html.md" : ".md";
  return twin;
}

function isMissing(error: unknown): boolean {
  return error instanceof Failure && (error.code === "source_not_found" || error.code === "source_invalid");
}
