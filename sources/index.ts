import { z } from "zod";
import type { CredentialOf, Kind, SourceSpec } from "../domain/kinds/index.ts";
import type { Source } from "../domain/ports.ts";
import { confluenceReader } from "./confluence/index.ts";
import { folderReader } from "./folder/index.ts";
import { createGitSource, gitReader } from "./git/index.ts";
import { llmsTxtReader } from "./llmstxt/index.ts";
import { notionReader } from "./notion/index.ts";
import { openApiReader } from "./openapi/index.ts";
import { packageReaderWith } from "./package/index.ts";
import type { SourceReader, SourceTools } from "./source-reader.ts";
import { uploadReader } from "./upload/index.ts";
import { websiteReader } from "./website/index.ts";
import { redacting } from "./redaction.ts";

const readers = {
  git: gitReader,
  folder: folderReader,
  llmstxt: llmsTxtReader,
  openapi: openApiReader,
  website: websiteReader,
  confluence: confluenceReader,
  notion: notionReader,
  package: packageReaderWith((tools, verify) => createGitSource({ ...tools, ...(verify && { verify }) })),
  upload: uploadReader,
} satisfies { readonly [K in Kind]: SourceReader<Extract<SourceSpec, { kind: K }>, CredentialOf<K>> };

/** A source of each kind. */
export type Sources = Readonly<Record<Kind, Source>>;

/** Creates the source of each kind. Nothing they return or throw contains the credential they read with. */
export function createSources(tools: SourceTools): Sources {
  const created = Object.entries(readers).map(([kind, reader]) => [kind, redacting(reader.create(tools) as Source)]);
  return Object.fromEntries(created) as Sources;
}

/** Schema of a spec of any kind in an export. */
export const sourceSpecSchema: z.ZodType<SourceSpec> = z
  .looseObject({ kind: z.enum(Object.keys(readers) as Kind[]) })
  .transform((spec, context): SourceSpec => {
    const parsed = readers[spec.kind].spec.safeParse(spec);
    if (parsed.success) return parsed.data;
    for (const { message, path } of parsed.error.issues) context.addIssue({ code: "custom", message, path });
    return z.NEVER;
  });
