import { Failure } from "../../domain/failures.ts";
import type { Validators } from "../../domain/generation.ts";
import type { EarlierRef, ReadContext, SourceItem } from "../../domain/ports.ts";
import type { CutFile } from "../../extract/llmstxt/full-file.ts";
import { hashOf } from "../pages/conditional-get.ts";
import { fetchText } from "../pages/fetching.ts";
import type { Fetched } from "../pages/fetching.ts";
import { parseFileOnThread } from "./parsing.ts";
import type { ParsedFile } from "./parsing.ts";
import { keep } from "./reading.ts";
import type { Reading } from "./reading.ts";

/** Maximum size of a file, in bytes. */
const maxFileBytes = 50_000_000;

/** Fetches an llms.txt, or a file like it; "unchanged" if it is as its validators say. */
export async function fetchFile(
  reading: Reading,
  url: URL,
  validators: Validators | undefined,
): Promise<Fetched | "unchanged"> {
  const { signal, limits } = reading.context;
  const maxBytes = Math.min(limits.bytes, maxFileBytes);
  const file = await fetchText(reading.client, url, { signal, maxBytes, validators });
  if (file === "unchanged") keep(reading, url.href, validators);
  return file;
}

/** @throws Failure source_invalid for HTML: servers answer so for what they do not have */
export async function parse(
  { url, mediaType, bytes }: Fetched,
  { hosts, pool, context }: Reading,
): Promise<ParsedFile> {
  if (mediaType === "text/html")
    throw new Failure("source_invalid", `${url.href} is a page of HTML, and no llms.txt. Check the address.`);
  const { signal, limits } = context;
  return parseFileOnThread({ pool, signal }, { url: url.href, bytes, hosts, maxPages: limits.pages });
}

/** The pages of a file that holds them itself: as it was cut, or those of the last time. */
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
    if (context.known(page)) yield { type: "known", page };
    else yield { type: "page", page, bytes: Buffer.from(text), firstLine, revision: `sha256-${fingerprint}` };
  }
}

/** How many pages a file holds, with those beyond as many as are wanted. */
export function countPages(content: CutFile | readonly EarlierRef[]): number {
  return "pages" in content ? content.pages.length + content.more : content.length;
}

/** Addresses of the pages that a file holds. */
export function addressesOf(content: CutFile | readonly EarlierRef[]): string[] {
  return "pages" in content ? content.pages.map(({ url }) => url) : content.map(({ page }) => page.url);
}
