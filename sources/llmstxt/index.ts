import { z } from "zod";
import type { LlmsTxtSourceSpec } from "../../domain/kinds/index.ts";
import type { EarlierRef, ReadContext, Source, SourceItem } from "../../domain/ports.ts";
import type { Validators } from "../../domain/generation.ts";
import type { CutFile } from "../../extract/llmstxt/full-file.ts";
import type { IndexFile } from "../../extract/llmstxt/index-file.ts";
import { asOneLine } from "../../extract/sentences.ts";
import { createRobots } from "../fetch/robots.ts";
import type { SourceReader, SourceTools } from "../reader/reader.ts";
import { hashOf } from "../pages/conditional-get.ts";
import { announcePages } from "../pages/limits.ts";
import { countPages, fetchFile, parse, toItems } from "./files.ts";
import { followLists } from "./lists.ts";
import { keep } from "./reading.ts";
import type { Reading } from "./reading.ts";
import { readListed } from "./sibling.ts";

/** How llms.txt files are read. */
export const llmsTxtReader: SourceReader<LlmsTxtSourceSpec> = {
  spec: z.object({ kind: z.literal("llmstxt"), url: z.url({ protocol: /^https?$/ }), otherHosts: z.boolean() }),
  create: createLlmsTxtSource,
};

/**
 * Reads an llms.txt: its llms-full.txt if that is complete, else the pages that it lists, with those of lists that it lists. An llms-full.txt or llms-small.txt
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
      const client = politeClient();
      const robots = createRobots(client, { pool, signal: context.signal });
      const notes: string[] = [];
      const keys = new Set<string>();
      for await (const item of readFile({ spec, client, pool, context, hosts, robots, notes, validators })) {
        // A page can be listed, and be in a file that is listed.
        if (keys.has(item.page.key)) continue;
        keys.add(item.page.key);
        revisions.push(`${item.page.key} ${item.page.fingerprint}\n`);
        yield item;
      }
      const revision = `sha256-${hashOf(revisions.toSorted().join(""))}`;
      context.account?.({
        revision,
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
  // A list is always fetched: which pages it had is not kept.
  const known = mayList ? undefined : context.earlier.validators(url.href);
  const file = await fetchFile(reading, url, known);
  if (file === "unchanged") return yield* alone(context.earlier.within(url.href), reading);
  hosts.add(file.url.host);
  const parsed = await parse(file, reading);
  if ("pages" in parsed) {
    keep(reading, url.href, file.validators);
    return yield* alone(parsed, reading);
  }
  say(parsed.index, context);
  const listed = await followLists(parsed.index, [url.href, file.url.href], reading);
  yield* readListed(listed, mayList ? new URL("llms-full.txt", file.url) : undefined, reading);
}

/** The pages of the submitted file, where it holds them itself. */
function* alone(content: CutFile | readonly EarlierRef[], { spec, context }: Reading): Generator<SourceItem> {
  announcePages(context, countPages(content));
  yield* toItems(content, new URL(spec.url).href, context);
}

/** What the file says of the library, capped. */
function say({ title, summary }: IndexFile, { account }: ReadContext): void {
  const said = { title: asOneLine(title).slice(0, 100), description: asOneLine(summary).slice(0, 500) };
  const settings = Object.fromEntries(Object.entries(said).filter(([, text]) => text !== ""));
  if (Object.keys(settings).length > 0) account?.({ settings });
}
