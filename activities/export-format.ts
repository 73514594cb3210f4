import { createHash } from "node:crypto";
import { z } from "zod";
import { Failure } from "../domain/failures.ts";
import { parseLibraryId } from "../domain/library.ts";
import type { Manifest, Snippet } from "../domain/snippet.ts";
import { checkReadable, manifestFormat } from "./parts.ts";
import { isSigned } from "./signature.ts";
import type { Signer } from "./signature.ts";
import { sourceSpecSchema } from "./sources/index.ts";

const text = z.string();
const count = z.number().int().nonnegative();
const manifestSchema = z.object({
  format: z.literal(manifestFormat),
  generation: text,
  library: z.object({ teamspace: text, id: text }),
  version: text,
  title: text,
  description: text,
  source: sourceSpecSchema,
  settings: z
    .object({
      title: text.optional(),
      description: text.optional(),
      rules: z.array(text).optional(),
      versions: z.array(z.object({ ref: text, kind: z.enum(["branch", "tag"]), title: text.optional() })).optional(),
    })
    .optional(),
  revision: text,
  ref: text.nullable(),
  optionsHash: text,
  extractor: text,
  contentHash: text,
  counts: z.object({
    pages: count,
    pagesSkipped: count,
    pagesFailed: count,
    code: count,
    info: count,
    quarantined: count,
    duplicates: count,
    tokens: count,
    bytes: count,
  }),
  language: text,
  parts: z.array(z.unknown()),
  pages: z.array(
    z.object({
      path: text,
      url: text,
      outcome: z.enum(["indexed", "skipped", "failed"]),
      code: text.optional(),
      reason: text.optional(),
      title: text.optional(),
      snippets: count.optional(),
      bytes: count.optional(),
      failures: count.optional(),
    }),
  ),
  released: z.array(text).optional(),
  signedBy: text.optional(),
});

const snippetSchema = z.object({
  id: text.min(1).max(200),
  kind: z.enum(["code", "info"]),
  title: text,
  description: text,
  breadcrumb: z.array(text),
  codes: z.array(
    z.object({
      language: text,
      code: text,
      file: text.optional(),
      sources: z.array(z.object({ path: text, url: text, lines: z.tuple([count, count]) })).optional(),
      madeFrom: text.optional(),
    }),
  ),
  content: text.optional(),
  page: z.object({ title: text, url: text }),
  source: z.object({
    path: text.optional(),
    url: text,
    resource: text.optional(),
    lines: z.tuple([count, count]).optional(),
    ordinal: count.optional(),
    revision: text,
  }),
  tokens: count,
  flags: z.array(z.enum(["duplicate", "quarantined"])).optional(),
});

const signatureSchema = z.object({ signature: text });

/** How the line of an uploaded file begins. */
const uploadLine = '{"upload":';
const uploadSchema = z.object({ upload: z.base64() });

/** An export as it is read: its manifest, then its snippets. */
export interface ReadExport {
  readonly manifest: Manifest;
  /** The public key that the export says it is signed with; undefined for one that is not signed. */
  readonly signedBy: string | undefined;
  /** The uploaded file that the library is read from; undefined where there is none. */
  readonly file: Uint8Array | undefined;
  /** Throws behind the last snippet where the signature is missing or not that of the lines. */
  readonly snippets: AsyncGenerator<Snippet>;
}

/** Reads an export line by line. @throws Failure validation_error, format_unknown */
export async function readExport(lines: AsyncIterable<string>): Promise<ReadExport> {
  const iterator = lines[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done === true)
    throw new Failure("validation_error", "The file is empty. An export begins with its manifest.");
  const { signedBy, ...manifest } = parseManifest(first.value);
  const digest = createHash("sha512").update(`${first.value}\n`);
  let next = await iterator.next();
  let number = 2;
  let file: Uint8Array | undefined;
  if (next.done !== true && next.value.startsWith(uploadLine)) {
    digest.update(`${next.value}\n`);
    file = parseUpload(next.value, number);
    next = await iterator.next();
    number += 1;
  }
  async function* snippets(): AsyncGenerator<Snippet> {
    let signature: string | undefined;
    for (; next.done !== true; next = await iterator.next(), number += 1) {
      const line = next.value;
      if (signature !== undefined)
        throw new Failure("validation_error", `Line ${number} stands behind the signature. Export the library again.`);
      const read = parseJson(line, number);
      const end = signedBy === undefined ? undefined : signatureSchema.safeParse(read).data;
      if (end !== undefined) ({ signature } = end);
      else {
        digest.update(`${line}\n`);
        yield parseSnippet(read, number);
      }
    }
    if (signedBy === undefined) return;
    if (signature === undefined)
      throw new Failure("validation_error", "The file ends before its signature. Export the library again.");
    if (!isSigned(digest.digest(), signature, signedBy))
      throw new Failure("validation_error", "The file was changed after it was signed. Export the library again.");
  }
  return { manifest, signedBy, file, snippets: snippets() };
}

/** Adds to the lines of an export who signed it, and the signature. The first line is the manifest. */
export async function* signLines(lines: AsyncIterable<string>, signer: Signer): AsyncGenerator<string> {
  const digest = createHash("sha512");
  let isFirst = true;
  for await (const plain of lines) {
    const line = isFirst ? JSON.stringify({ ...(JSON.parse(plain) as object), signedBy: signer.publicKey }) : plain;
    isFirst = false;
    digest.update(`${line}\n`);
    yield line;
  }
  yield JSON.stringify({ signature: signer.sign(digest.digest()) });
}

function parseManifest(line: string): Manifest & { readonly signedBy?: string } {
  const read = parseJson(line, 1);
  checkReadable(read, "The export");
  const manifest = manifestSchema.safeParse(read);
  if (!manifest.success)
    throw new Failure("validation_error", `Line 1 is not a manifest: ${z.prettifyError(manifest.error)}`);
  parseLibraryId(manifest.data.library.id);
  return manifest.data as unknown as Manifest & { readonly signedBy?: string };
}

/** The line of an uploaded file, which is the second of an export. */
export function writeUpload(file: Uint8Array): string {
  return JSON.stringify({ upload: Buffer.from(file).toString("base64") });
}

function parseUpload(line: string, number: number): Uint8Array {
  const upload = uploadSchema.safeParse(parseJson(line, number));
  if (!upload.success)
    throw new Failure("validation_error", `Line ${number} is not an uploaded file: ${z.prettifyError(upload.error)}`);
  return Buffer.from(upload.data.upload, "base64");
}

function parseSnippet(read: unknown, number: number): Snippet {
  const snippet = snippetSchema.safeParse(read);
  if (!snippet.success)
    throw new Failure("validation_error", `Line ${number} is not a snippet: ${z.prettifyError(snippet.error)}`);
  return snippet.data as Snippet;
}

function parseJson(line: string, number: number): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new Failure("validation_error", `Line ${number} is not JSON. An export has one JSON object a line.`, {
      cause,
    });
  }
}
