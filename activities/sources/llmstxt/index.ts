import { z } from "zod";
import { Failure } from "../../../domain/failures.ts";
import type { LlmsTxtSourceSpec } from "../../../domain/kinds/index.ts";
import type { EarlierRef, ReadContext, Source, SourceItem } from "../../../domain/ports.ts";
import type { Validators } from "../../../domain/generation.ts";
import { isComplete } from "../../../extract/llmstxt/completeness.ts";
import type { CutPage } from "../../../extract/llmstxt/full-file.ts";
import type { IndexFile } from "../../../extract/llmstxt/index-file.ts";
import { toLine } from "../plain-text.ts";
import type { SourceReader, SourceTools } from "../reader.ts";
import { fetchText, hashOf } from "../fetching.ts";
import type { Fetched } from "../fetching.ts";
import { readLinkedPages } from "./linked-pages.ts";
import { parseFileOnThread } from "./parsing.ts";
import type { ParsedFile } from "./parsing.ts";
import { announcePages, isWanted, keep } from "./reading.ts";
import type { Reading } from "./reading.ts";

/** How llms.txt files are read. */
export const llmsTxtReader: SourceReader<LlmsTxtSourceSpec> = {
  spec: z.object({ kind: z.literal("llmstxt"), url: z.url({ protocol: /^https?$/ }), otherHosts: z.boolean() }),
  create: createLlmsTxtSource,
};

/** Maximum size of a file, in bytes. */
const maxFileBytes = 50_000_000;

/**
 * Reads an llms.txt: its llms-full.txt if that is complete, else the pages that it lists. An llms-full.txt or llms-small.txt
 * that was submitted itself is read alone.
 */
function createLlmsTxtSource({ politeClient, guard, pool }: SourceTools): Source<LlmsTxtSourceSpec> {
  return {
    kind: "llmstxt",

    async resolve({ url }) {
      guard.checkUrl(new URL(url));
      return { revision: "", ref: null, location: url, refs: [] };
    },

    async *read(spec, _state, context) {
      const hosts = new Set([new URL(spec.url).host]);
      const validators = new Map<string, Validators>();
      const revisions: string[] = [];
      for await (const item of readFile({ spec, client: politeClient(), pool, context, hosts, validators })) {
        revisions.push(`${item.page.key} ${item.page.fingerprint}\n`);
        yield item;
      }
      const revision = `sha256-${hashOf(revisions.toSorted().join(""))}`;
      context.account?.({ revision, validators: Object.fromEntries(validators) });
    },
  };
}

async function* readFile(reading: Reading): AsyncGenerator<SourceItem> {
  const { spec, context, hosts } = reading;
  const url = new URL(spec.url);
  const mayList = /\/llms\.txt$/i.test(url.pathname);
  // A list is always fetched: which pages it had is not kept.
  const known = mayList ? undefined : context.earlier.validators(url.href);
  const file = await fetchFile(reading, url, known);
  if (file === "unchanged") return yield* toKnown(context.earlier.within(url.href), context);
  hosts.add(file.url.host);
  const parsed = await parse(file, reading);
  if ("pages" in parsed) {
    keep(reading, url.href, file.validators);
    return yield* toItems(parsed.pages, url.href, context);
  }
  const { index } = parsed;
  say(index, context);
  const full = mayList ? await readSibling(reading, index, new URL("llms-full.txt", file.url)) : undefined;
  yield* full ?? readLinkedPages(index.pages, reading);
}

/** The pages of the llms-full.txt beside an llms.txt; undefined if there is none, or it lacks pages that are listed. */
async function readSibling(reading: Reading, index: IndexFile, url: URL): Promise<Iterable<SourceItem> | undefined> {
  const { earlier } = reading.context;
  const listed = index.pages.filter((page) => isWanted(reading, new URL(page)));
  const known = earlier.validators(url.href);
  try {
    const file = await fetchFile(reading, url, known);
    if (file === "unchanged") {
      const kept = earlier.within(url.href);
      const urls = kept.map(({ page }) => page.url);
      return isComplete(listed, urls) ? toKnown(kept, reading.context) : undefined;
    }
    const parsed = await parse(file, reading);
    const pages = "pages" in parsed ? parsed.pages : [];
    const urls = pages.map((page) => page.url);
    if (!isComplete(listed, urls)) return undefined;
    keep(reading, url.href, file.validators);
    return toItems(pages, url.href, reading.context);
  } catch (error) {
    // Most sites have none, and answer that in many ways. One that is only out of reach now is waited for.
    if (error instanceof Failure && error.code !== "source_unreachable") return undefined;
    throw error;
  }
}

async function fetchFile(
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
async function parse({ url, mediaType, bytes }: Fetched, { hosts, pool, context }: Reading): Promise<ParsedFile> {
  if (mediaType === "text/html")
    throw new Failure("source_invalid", `${url.href} is a page of HTML, and no llms.txt. Check the address.`);
  return parseFileOnThread(pool, { url: url.href, bytes, hosts }, context.signal);
}

/** The pages of an llms-full.txt. */
function* toItems(pages: readonly CutPage[], resource: string, context: ReadContext): Generator<SourceItem> {
  announcePages(context, pages.length);
  for (const { url, text, firstLine } of pages) {
    const fingerprint = hashOf(`${firstLine}\n${text}`);
    const page = { key: url, url, mediaType: "text/markdown", fingerprint, resource };
    if (context.known(page)) yield { type: "known", page };
    else yield { type: "page", page, bytes: Buffer.from(text), firstLine, revision: `sha256-${fingerprint}` };
  }
}

function* toKnown(kept: readonly EarlierRef[], context: ReadContext): Generator<SourceItem> {
  announcePages(context, kept.length);
  for (const { page } of kept) yield { type: "known", page };
}

/** What the file says of the library, capped. */
function say({ title, summary }: IndexFile, { account }: ReadContext): void {
  const said = { title: toLine(title).slice(0, 100), description: toLine(summary).slice(0, 500) };
  const settings = Object.fromEntries(Object.entries(said).filter(([, text]) => text !== ""));
  if (Object.keys(settings).length > 0) account?.({ settings });
}
