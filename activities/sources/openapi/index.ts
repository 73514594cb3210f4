import { z } from "zod";
import { Failure } from "../../../domain/failures.ts";
import { descriptionName } from "../../../domain/kinds/openapi.ts";
import type { Validators } from "../../../domain/generation.ts";
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
import type { FetchedFile, FileRequest } from "./fetching.ts";
import { createDescriptionThread } from "./parsing.ts";
import type { DescriptionThread } from "./parsing.ts";

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
      const { description, validators } = await readReferred({ root, submitted, client, context, thread });
      const parts = await thread.cut(description, await thread.validate(description));
      say(parts, context);
      const hashes = [...description.files].map(([name, bytes]) => [name, { hash: hashOf(bytes) }] as const);
      context.account?.({
        revision: revisionOf(Object.fromEntries(hashes)),
        ...(submitted.validators && { validators }),
      });
      yield* toItems(parts, root, context);
    },
  };
}

/** The submitted file, and what its server says of its state. */
type Submitted = Pick<FetchedFile, "url" | "bytes"> & Partial<Pick<FetchedFile, "validators">>;

/** Validators of the files of a description by their names. */
type FileValidators = Readonly<Record<string, Validators>>;

/** The submitted file; "unchanged" if it and all files that it referred to are as they were. */
async function readSubmitted(
  { url, fileName }: OpenApiSourceSpec,
  client: PoliteClient,
  { earlier, limits, signal, upload }: ReadContext,
): Promise<Submitted | "unchanged"> {
  if (url === null) return { url: fileName, bytes: await upload() };
  const request = { signal, maxBytes: Math.min(limits.bytes, maxBytes) };
  const validators = earlier.within(url).length > 0 ? earlier.validators(url) : undefined;
  const submitted = await fetchFile(client, new URL(url), { ...request, validators });
  if (submitted !== "unchanged") return submitted;
  for (const other of earlier.fetched) {
    const asked = { ...request, validators: earlier.validators(other), maxRedirects: 0 };
    if (other !== url && (await fetchFile(client, new URL(other), asked)) !== "unchanged")
      return fetchWhole(client, new URL(url), request);
  }
  return "unchanged";
}

/** A file that is sent whatever was known of it. */
async function fetchWhole(client: PoliteClient, url: URL, request: FileRequest): Promise<FetchedFile> {
  const file = await fetchFile(client, url, { ...request, validators: undefined });
  if (file !== "unchanged") return file;
  throw new Failure("source_invalid", `${url.href} is answered as unchanged, though nothing was known of it.`);
}

/** What a description is known by: the hashes of all its files. */
function revisionOf(files: FileValidators): string {
  const lines = Object.entries(files).map(([name, { hash = "" }]) => `${name} ${hash}\n`);
  return `sha256-${hashOf(lines.toSorted().join(""))}`;
}

interface Referring {
  readonly root: string;
  readonly submitted: Submitted;
  readonly client: PoliteClient;
  readonly context: ReadContext;
  readonly thread: DescriptionThread;
}

/** A description with all files that it refers to, and that those refer to, and the validators of each. @throws Failure */
async function readReferred({ root, submitted, client, context, thread }: Referring): Promise<{
  readonly description: DescriptionFiles;
  readonly validators: FileValidators;
}> {
  const { signal, limits } = context;
  const files = new Map([[root, submitted.bytes]]);
  const validators: Record<string, Validators> = { [root]: submitted.validators ?? {} };
  const description = { root, base: submitted.url, files };
  let left = Math.min(limits.bytes, maxBytes) - submitted.bytes.length;
  if (left < 0) throw tooLarge(`${root} has more than the ${Math.min(limits.bytes, maxBytes)} bytes that are read.`);
  for (;;) {
    const found = await thread.findUnread(description);
    if (found.length === 0) return { description, validators };
    const urls = new Set(found.map((reference) => checked(reference, root, submitted.url)));
    if (files.size + urls.size > maxFiles)
      throw tooLarge(`${root} refers to more than the ${maxFiles} files that are read.`);
    for (const url of urls) {
      const file = await fetchWhole(client, new URL(url), { signal, maxBytes: left, maxRedirects: 0 });
      left -= file.bytes.length;
      files.set(url, file.bytes);
      validators[url] = file.validators;
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
  const validators = Object.fromEntries(earlier.fetched.map((name) => [name, earlier.validators(name) ?? {}]));
  account?.({
    validators,
    revision: revisionOf(validators),
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
