import { z } from "zod";
import type { LlmsTxtSourceSpec } from "../../domain/kinds/index.ts";
import type { EarlierRef, PageRef, ReadContext, Source, SourceItem } from "../../domain/ports.ts";
import type { Validators } from "../../domain/generation.ts";
import type { CutFile } from "../../extract/llmstxt/full-file.ts";
import type { IndexFile } from "../../extract/llmstxt/index-file.ts";
import { asOneLine } from "../../extract/sentences.ts";
import { createRobots } from "../lib/fetch/robots.ts";
import type { SourceReader, SourceTools } from "../reader/reader.ts";
import { announcePages } from "../lib/pages/limits.ts";
import { revisionOf } from "../lib/remote/revision.ts";
import { countPages, fetchFile, parse, toItems } from "./files.ts";
import { followLists } from "./lists.ts";
import { keepValidators } from "./reading.ts";
import type { Reading } from "./reading.ts";
import { readListed } from "./sibling.ts";

/** How llms.txt files are read. */
export const llmsTxtReader: SourceReader<LlmsTxtSourceSpec> = {
  spec: z.object({ kind: z.literal("llmstxt"), url: z.url({ protocol: /^https?$/ }), otherHosts: z.boolean() }),
  create: createLlmsTxtSource,
};

/**
 * Reads an llms.txt: the llms-full.txt beside it if that is complete, else the pages that it and the lists in it name. An llms-full.txt or
 * llms-small.txt that was submitted is read by itself.
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
      const client = politeClient();
      const robots = createRobots(client, { pool, signal: context.signal });
      const notes: string[] = [];
      const pages = new Map<string, PageRef>();
      for await (const item of readFile({ spec, client, pool, context, hosts, robots, notes, validators })) {
        // A page can be listed, and also be in a file that is listed.
        if (pages.has(item.page.key)) continue;
        pages.set(item.page.key, item.page);
        yield item;
      }
      context.account?.({
        revision: revisionOf([...pages.values()]),
        validators: Object.fromEntries(validators),
        ...(notes.length > 0 && { notes }),
      });
    },
  };
}

async function* readFile(reading: Reading): AsyncGenerator<SourceItem> {
  const { spec, context, hosts } = reading;
  const url = new URL(spec.url);
  const mayList = /\/llms\.txt$/i.test(url.pathname);
  // A list is fetched unconditionally, as the pages that it had are not kept.
  const known = mayList ? undefined : context.earlier.validators(url.href);
  const file = await fetchFile(reading, url, known);
  if (file === "unchanged") return yield* readPagesIn(context.earlier.within(url.href), reading);
  hosts.add(file.url.host);
  const parsed = await parse(file, reading);
  if ("pages" in parsed) {
    keepValidators(reading, url.href, file.validators);
    return yield* readPagesIn(parsed, reading);
  }
  accountFor(parsed.index, context);
  const listed = await followLists(parsed.index, [url.href, file.url.href], reading);
  yield* readListed(listed, mayList ? new URL("llms-full.txt", file.url) : undefined, reading);
}

/** The pages in the submitted file. */
function* readPagesIn(content: CutFile | readonly EarlierRef[], { spec, context }: Reading): Generator<SourceItem> {
  announcePages(context, countPages(content));
  yield* toItems(content, new URL(spec.url).href, context);
}

/** Reports title and description of the library, as far as the file has them, capped. */
function accountFor({ title, summary }: IndexFile, { account }: ReadContext): void {
  const texts = { title: asOneLine(title).slice(0, 100), description: asOneLine(summary).slice(0, 500) };
  const settings = Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ""));
  if (Object.keys(settings).length > 0) account?.({ settings });
}
