import { z } from "zod";
import type { Validators } from "../../domain/generation.ts";
import { descriptionName } from "../../domain/kinds/openapi.ts";
import type { OpenApiSourceSpec } from "../../domain/kinds/openapi.ts";
import type { ReadContext, SourceItem, SourceState } from "../../domain/ports.ts";
import { isCommanding } from "../../extract/screened-texts.ts";
import { asOneLine, firstSentences } from "../../extract/sentences.ts";
import { fetchFile, fetchWhole, missingBy, readFetchedDescription, toItems } from "../lib/descriptions/fetching.ts";
import type { FetchedFile, FileRequest } from "../lib/descriptions/fetching.ts";
import { createDescriptionThread } from "../lib/descriptions/parsing.ts";
import type { PackedDescription } from "../lib/descriptions/parsing.ts";
import { maxDescriptionBytes } from "../lib/descriptions/referred-files.ts";
import type { PoliteClient } from "../lib/fetch/polite.ts";
import { hashOf } from "../lib/pages/fetching.ts";
import { announcePages } from "../lib/pages/limits.ts";
import type { SourceTools } from "../source-reader.ts";

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
      const validators: Record<string, Validators> = {
        [root]: submitted.validators ?? { hash: hashOf(submitted.bytes) },
      };
      const cut = await readFetchedDescription({
        root,
        base: submitted.url,
        submitted: submitted.bytes,
        client,
        thread: createDescriptionThread(pool, context.signal),
        limits: context.limits,
        signal: context.signal,
        referred: (url, found) => (validators[url] = found),
      });
      accountSettings(cut, context);
      context.account?.({
        revision: revisionOf(validators),
        ...(submitted.validators && { validators }),
        ...(cut.warnings.length > 0 && { notes: cut.warnings }),
      });
      announcePages(context, cut.parts.length);
      yield* toItems(cut, root, context);
    },
  };
}

/** The submitted file, and the validators that its server sent. */
type Submitted = Pick<FetchedFile, "url" | "bytes"> & Partial<Pick<FetchedFile, "validators">>;

/** Validators of the files of a description by their names. */
type FileValidators = Readonly<Record<string, Validators>>;

/** The submitted file; "unchanged" if neither it nor a file that it referred to has changed. */
async function readSubmitted(
  { url, fileName }: OpenApiSourceSpec,
  client: PoliteClient,
  { earlier, limits, signal, upload }: ReadContext,
): Promise<Submitted | "unchanged"> {
  if (url === null) return { url: fileName, bytes: await upload() };
  const request = { signal, maxBytes: Math.min(limits.bytes, maxDescriptionBytes) };
  const validators = earlier.within(url).length > 0 ? earlier.validators(url) : undefined;
  const submitted = await fetchFile(client, new URL(url), { ...request, validators });
  if (submitted !== "unchanged") return submitted;
  for (const other of earlier.fetched) {
    const before = earlier.validators(other);
    const asked = { ...request, validators: before, maxRedirects: 0 };
    if (other !== url && !(await isUnchanged(client, other, asked))) return fetchWhole(client, new URL(url), request);
  }
  return "unchanged";
}

/** The revision of a description: a hash of those of all its files. */
function revisionOf(files: FileValidators): string {
  const lines = Object.entries(files).map(([name, { hash = "" }]) => `${name} ${hash}\n`);
  return `sha256-${hashOf(lines.toSorted().join(""))}`;
}

/** True for a file that has not changed, or is still not there. @throws Failure where that is not known */
async function isUnchanged(client: PoliteClient, url: string, request: FileRequest): Promise<boolean> {
  try {
    return (await fetchFile(client, new URL(url), request)) === "unchanged";
  } catch (error) {
    if (missingBy(error) === undefined) throw error;
    return request.validators?.hash === "";
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
    ...(earlier.notes && { notes: earlier.notes }),
  });
  pages(kept.length);
  for (const { page } of kept) yield { type: "known", page };
}

/** Accounts title and description of the API: of limited length, and left out where they try to command their reader. */
function accountSettings({ title, summary }: PackedDescription, { account }: ReadContext): void {
  const texts = { title: asOneLine(title).slice(0, 100), description: firstSentences(asOneLine(summary), 500) };
  const settings = Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== "" && !isCommanding(text)));
  if (Object.keys(settings).length > 0) account?.({ settings });
}
