import { Failure } from "../../domain/failures.ts";
import type { Validators } from "../../domain/generation.ts";
import type { EarlierRef, ReadContext, SourceItem } from "../../domain/ports.ts";
import type { CutFile } from "../../extract/llmstxt/full-file.ts";
import { hashOf } from "../lib/pages/conditional-get.ts";
import { fetchText } from "../lib/pages/fetching.ts";
import type { Fetched } from "../lib/pages/fetching.ts";
import { parseFileOnThread } from "./parsing.ts";
import type { ParsedFile } from "./parsing.ts";
import { keepValidators } from "./reading.ts";
import type { Reading } from "./reading.ts";

/** Maximum size of a file, in bytes. */
const maxFileBytes = 50_000_000;

/** Fetches an llms.txt, or a file like it; "unchanged" by its validators. */
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

/** Parses a file. @throws Failure source_invalid for HTML, which servers answer for missing files */
export async function parse(
  { url, mediaType, bytes }: Fetched,
  { hosts, pool, context }: Reading,
): Promise<ParsedFile> {
  if (mediaType === "text/html")
    throw new Failure("source_invalid", `${url.href} is an HTML page, not an llms.txt. Check the address.`);
  const { signal, limits } = context;
  return parseFileOnThread({ pool, signal }, { url: url.href, bytes, hosts, maxPages: limits.pages });
}

/** The items of the pages in a file: as it was cut, or those of the live generation. */
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

/** The number of pages in a file, with those beyond the limit. */
export function countPages(content: CutFile | readonly EarlierRef[]): number {
  return "pages" in content ? content.pages.length + content.more : content.length;
}

/** Addresses of the pages in a file. */
export function addressesOf(content: CutFile | readonly EarlierRef[]): string[] {
  return "pages" in content ? content.pages.map(({ url }) => url) : content.map(({ page }) => page.url);
}
