import { z } from "zod";
import { Failure } from "../../../domain/failures.ts";
import { descriptionName } from "../../../domain/kinds/openapi.ts";
import type { OpenApiSourceSpec } from "../../../domain/kinds/openapi.ts";
import type { ReadContext, SourceItem, SourceState } from "../../../domain/ports.ts";
import { openApiPartType } from "../../../extract/formats.ts";
import type { CutDescription, DescriptionFiles, Unread } from "../../../extract/openapi/cut.ts";
import { firstSentences } from "../../../extract/sentences.ts";
import type { PoliteClient } from "../../fetch/polite.ts";
import { hashOf } from "../fetching.ts";
import { announcePages, tooLarge } from "../llmstxt/reading.ts";
import { isCommanding, toLine } from "../plain-text.ts";
import type { SourceTools } from "../reader.ts";
import { fetchFile } from "./fetching.ts";
import type { FetchedFile } from "./fetching.ts";
import { createDescriptionThread } from "./parsing.ts";

/** Maximum size of all files of a description, in bytes, and how many there are. */
const maxBytes = 50_000_000;
const maxFiles = 200;

/** How API descriptions are read. */
export const openApiReader = {
  spec: z.object({
    kind: z.literal("openapi"),
    url: z.url({ protocol: /^https?$/ }).nullable(),
    fileName: z.string().min(1).max(255),
  }) satisfies z.ZodType<OpenApiSourceSpec>,
  create: createOpenApiSource,
};

/**
 * Reads an API description: the file, and those that it refers to on the same origin. Each of its parts is a page, so that a
 * refresh extracts only from operations that have changed.
 */
function createOpenApiSource({ politeClient, guard, pool }: Pick<SourceTools, "politeClient" | "guard" | "pool">) {
  return {
    kind: "openapi" as const,

    async resolve(spec: OpenApiSourceSpec): Promise<SourceState> {
      if (spec.url !== null) guard.checkUrl(new URL(spec.url));
      return { revision: "", ref: null, location: descriptionName(spec), refs: [] };
    },

    async *read(spec: OpenApiSourceSpec, _state: unknown, context: ReadContext): AsyncGenerator<SourceItem> {
      const root = descriptionName(spec);
      const client = politeClient();
      const submitted = await readSubmitted(spec, client, context);
      if (submitted === "unchanged") return yield* knownPages(root, context);
      const thread = createDescriptionThread(pool, context.signal);
      const description = await readReferred({ root, submitted, client, context, unread: thread.findUnread });
      const parts = await thread.cut(description, await thread.validate(description));
      const texts = [...description.files].map(([name, bytes]) => `${name} ${hashOf(bytes)}\n`);
      const isAlone = description.files.size === 1 && submitted.validators !== undefined;
      say(parts, context);
      context.account?.({
        revision: `sha256-${hashOf(texts.toSorted().join(""))}`,
        // Of several files, those that the submitted one refers to are known only once it is read.
        ...(isAlone && { validators: { [root]: submitted.validators } }),
      });
      yield* toItems(parts, root, context);
    },
  };
}

/** The submitted file, and what its server says of its state. */
type Submitted = Pick<FetchedFile, "url" | "bytes"> & Partial<Pick<FetchedFile, "validators">>;

async function readSubmitted(
  { url, fileName }: OpenApiSourceSpec,
  client: PoliteClient,
  { earlier, limits, signal, upload }: ReadContext,
): Promise<Submitted | "unchanged"> {
  if (url === null) return { url: fileName, bytes: await upload() };
  const validators = earlier.within(url).length > 0 ? earlier.validators(url) : undefined;
  return fetchFile(client, new URL(url), { signal, maxBytes: Math.min(limits.bytes, maxBytes), validators });
}

interface Referring {
  readonly root: string;
  readonly submitted: Submitted;
  readonly client: PoliteClient;
  readonly context: ReadContext;
  /** The files that are to be read still. */
  readonly unread: (files: DescriptionFiles) => Promise<readonly Unread[]>;
}

/** A description with all files that it refers to, and that those refer to. @throws Failure */
async function readReferred({ root, submitted, client, context, unread }: Referring): Promise<DescriptionFiles> {
  const { signal, limits } = context;
  const files = new Map([[root, submitted.bytes]]);
  const description = { root, base: submitted.url, files };
  let left = Math.min(limits.bytes, maxBytes) - submitted.bytes.length;
  if (left < 0) throw tooLarge(`${root} has more than the ${Math.min(limits.bytes, maxBytes)} bytes that are read.`);
  for (;;) {
    const found = await unread(description);
    if (found.length === 0) return description;
    const urls = new Set(found.map((reference) => checked(reference, root, submitted.url)));
    if (files.size + urls.size > maxFiles)
      throw tooLarge(`${root} refers to more than the ${maxFiles} files that are read.`);
    for (const url of urls) {
      const file = await fetchFile(client, new URL(url), { signal, maxBytes: left, maxRedirects: 0 });
      if (file === "unchanged") continue;
      left -= file.bytes.length;
      files.set(url, file.bytes);
    }
  }
}

/** Address of a file that may be read. @throws Failure source_invalid for one on another origin, or on none */
function checked({ ref, file, pointer, url }: Unread, root: string, base: string): string {
  const origin = URL.parse(base)?.origin;
  if (url !== null && origin !== undefined && /^https?:/.test(url) && new URL(url).origin === origin) return url;
  const allowed =
    origin === undefined ? "an uploaded file is read without any other" : `only files of ${origin} are read`;
  const where = `${file === root ? root : file} refers to ${JSON.stringify(ref.slice(0, 300))} at ${pointer}`;
  throw new Failure("source_invalid", `${where}, and ${allowed}. Bundle the description into one file.`);
}

function* toItems({ pages }: CutDescription, root: string, context: ReadContext): Generator<SourceItem> {
  announcePages(context, pages.length);
  let bytes = 0;
  for (const { key, url, fingerprint, bytes: text } of pages) {
    bytes += text.length;
    if (bytes > context.limits.bytes)
      throw tooLarge(`The parts of ${root} have more than the ${context.limits.bytes} bytes that are indexed.`);
    const page = { key, url, mediaType: openApiPartType, fingerprint, resource: root };
    if (context.known(page)) yield { type: "known", page };
    else yield { type: "page", page, bytes: text, revision: `sha256-${fingerprint}` };
  }
}

/** The pages of a description that has not changed, as the live generation has them. */
function* knownPages(root: string, { earlier, account, pages }: ReadContext): Generator<SourceItem> {
  const kept = earlier.within(root);
  const validators = earlier.validators(root);
  account?.({
    ...(validators && {
      validators: { [root]: validators },
      revision: `sha256-${hashOf(`${root} ${validators.hash}\n`)}`,
    }),
    ...(earlier.settings && { settings: earlier.settings }),
  });
  pages(kept.length);
  for (const { page } of kept) yield { type: "known", page };
}

/** What the description says of its API: capped, and left out where it tries to command its reader. */
function say({ title, summary }: CutDescription, { account }: ReadContext): void {
  const said = { title: toLine(title).slice(0, 100), description: firstSentences(toLine(summary), 500) };
  const settings = Object.fromEntries(Object.entries(said).filter(([, text]) => text !== "" && !isCommanding(text)));
  if (Object.keys(settings).length > 0) account?.({ settings });
}
