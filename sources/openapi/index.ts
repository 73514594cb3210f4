import { z } from "zod";
import type { Validators } from "../../domain/generation.ts";
import { descriptionName, type OpenApiSourceSpec } from "../../domain/kinds/openapi.ts";
import type { ReadContext, SourceItem, SourceState } from "../../domain/ports.ts";
import { isCommanding } from "../../extract/screened-texts.ts";
import { apiReferenceOf, descriptionInScript } from "../../extract/website/api-reference.ts";
import { asOneLine, firstSentences } from "../../extract/sentences.ts";
import {
  fetchFile,
  whyMissing,
  readFetchedDescription,
  toItems,
  type FetchedFile,
  type FileRequest,
} from "../lib/descriptions/fetching.ts";
import { createDescriptionThread, type PackedDescription } from "../lib/descriptions/parsing.ts";
import { maxDescriptionBytes } from "../lib/descriptions/referred-files.ts";
import type { PoliteClient } from "../lib/fetch/polite.ts";
import { hashOf, unconditional } from "../lib/pages/fetching.ts";
import { announcePages } from "../lib/pages/limits.ts";
import { revisionOf } from "../lib/pages/revision.ts";
import { sourceSettings } from "../lib/pages/settings.ts";
import type { SourceTools } from "../source-reader.ts";

/** The reader of API descriptions. */
export const openApiReader = {
  spec: z.object({
    kind: z.literal("openapi"),
    url: z.url({ protocol: /^https?$/ }).nullable(),
    fileName: z.string().min(1).max(255),
  }) satisfies z.ZodType<OpenApiSourceSpec>,
  create: createOpenApiSource,
};

/**
 * Creates the source that reads an API description: the file, and files on the same origin that it refers to. Each of its parts is a
 * page, so that a refresh extracts only changed operations.
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
      const submitted = await behindPage(await readSubmitted(spec, client, context), client, context);
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
        referred: (url, sent) => (validators[url] = sent),
      });
      accountSettings(cut, context);
      context.account?.({
        revision: revisionOfFiles(validators),
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

/** The submitted file; "unchanged" if neither it nor a referred file has changed. */
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
    const conditional = { ...request, validators: earlier.validators(other), maxRedirects: 0 };
    if (other !== url && !(await isUnchanged(client, other, conditional)))
      return unconditional(await fetchFile(client, new URL(url), request));
  }
  return "unchanged";
}

/**
 * The description that a fetched page shows, if it is one of Swagger UI and its like; else the fetched file itself. The page is the
 * submitted address, so its validators are not kept: it may show another description.
 */
async function behindPage(
  fetched: Submitted | "unchanged",
  client: PoliteClient,
  { limits, signal }: ReadContext,
): Promise<Submitted | "unchanged"> {
  if (fetched === "unchanged" || !/^\s*</.test(Buffer.from(fetched.bytes.subarray(0, 1000)).toString())) return fetched;
  const shown = apiReferenceOf(Buffer.from(fetched.bytes).toString());
  const request = { signal, maxBytes: Math.min(limits.bytes, maxDescriptionBytes) };
  const fetch = async (address: string, base: string): Promise<FetchedFile> =>
    unconditional(await fetchFile(client, new URL(address, base), request));
  const script = shown?.script === undefined ? undefined : await fetch(shown.script, fetched.url);
  const address = script ? descriptionInScript(Buffer.from(script.bytes).toString()) : shown?.description;
  if (address === undefined || !URL.canParse(address, fetched.url)) return fetched;
  const { url, bytes } = await fetch(address, fetched.url);
  return { url, bytes };
}

/** The revision of a description, by the validators of its files. */
function revisionOfFiles(files: Readonly<Record<string, Validators>>): string {
  return revisionOf(Object.entries(files).map(([key, { hash = "" }]) => ({ key, fingerprint: hash })));
}

/** Whether a file has not changed, or is still missing. @throws Failure if that is unknown */
async function isUnchanged(client: PoliteClient, url: string, request: FileRequest): Promise<boolean> {
  try {
    return (await fetchFile(client, new URL(url), request)) === "unchanged";
  } catch (error) {
    if (whyMissing(error) === undefined) throw error;
    return request.validators?.hash === "";
  }
}

/** The pages of an unchanged description, from the live generation. */
function* knownPages(root: string, { earlier, account, pages }: ReadContext): Generator<SourceItem> {
  const kept = earlier.within(root);
  const validators = Object.fromEntries(earlier.fetched.map((name) => [name, earlier.validators(name) ?? {}]));
  account?.({
    validators,
    revision: revisionOfFiles(validators),
    ...(earlier.settings && { settings: earlier.settings }),
    ...(earlier.notes && { notes: earlier.notes }),
  });
  pages(kept.length);
  for (const { page } of kept) yield { type: "known", page };
}

/** Reports title and description of the API, truncated, unless they try to command their reader. */
function accountSettings({ title, summary }: PackedDescription, { account }: ReadContext): void {
  const unlessCommanding = (text: string): string => (isCommanding(text) ? "" : text);
  const description = firstSentences(asOneLine(summary), 500);
  const settings = sourceSettings(unlessCommanding(asOneLine(title).slice(0, 100)), unlessCommanding(description));
  if (settings) account?.({ settings });
}
