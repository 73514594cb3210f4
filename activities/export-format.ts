import { createHash } from "node:crypto";
import { z } from "zod";
import { Failure } from "../domain/failures.ts";
import { teamspacePattern } from "../domain/access.ts";
import { canBeAsked } from "../domain/library.ts";
import type { SnippetLine, Passage } from "../domain/passage.ts";
import type { Manifest } from "../domain/generation.ts";
import { checkReadable, manifestFormat } from "./parts.ts";
import { isSigned, type Signer } from "./export-signature.ts";
import { sourceSpecSchema } from "../sources/index.ts";

const text = z.string();
const count = z.number().int().nonnegative();
/** The manifest of an export. `domain/` imports no library, so its type cannot follow from this; a member that it lacks is an error here. */
const manifestSchema = z.object({
  format: z.literal([1, manifestFormat]),
  generation: text,
  library: z.object({
    teamspace: text.refine((id) => id === "" || teamspacePattern.test(id), {
      error: "must be empty, or the ID of a teamspace: lower-case letters, digits and hyphens",
    }),
    id: text,
  }),
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
  claims: z
    .array(z.object({ name: text, manifest: text, description: text.optional() }))
    .max(1000)
    .optional(),
  licences: z
    .array(z.array(z.string().regex(/^[A-Za-z0-9.+-]{1,64}$/)).max(100))
    .max(100)
    .optional(),
  repository: z.object({ url: z.url({ protocol: /^https?$/ }).max(2000), isConfirmed: z.boolean() }).optional(),
  revision: text,
  ref: text.nullable(),
  optionsHash: text,
  extractor: text,
  contentHash: text,
  counts: z.object({
    pages: count,
    pagesSkipped: count,
    pagesFailed: count,
    passages: count.optional(),
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
      generated: z.boolean().optional(),
      snippets: count.optional(),
      bytes: count.optional(),
      failures: count.optional(),
    }),
  ),
  released: z.array(text).optional(),
  held: text.optional(),
  unread: z
    .object({ formats: text.max(2000), website: text.max(300).optional(), isMost: z.literal(true).optional() })
    .optional(),
  signedBy: text.optional(),
} satisfies Partial<Record<keyof Manifest | "signedBy", z.ZodType>>);

const codes = z
  .array(
    z.object({
      language: text,
      code: text,
      file: text.optional(),
      label: text.optional(),
      marks: z.array(text).optional(),
      sources: z.array(z.object({ path: text, url: text, lines: z.tuple([count, count]) })).optional(),
      madeFrom: text.optional(),
    }),
  )
  .readonly();
const lines = z.tuple([count, count]).optional();
const place = {
  id: text.min(1).max(200),
  title: text,
  breadcrumb: z.array(text),
  page: z.object({ title: text, url: text, subject: text.optional() }),
  source: z.object({
    path: text.optional(),
    url: text,
    resource: text.optional(),
    lines,
    ordinal: count.optional(),
    revision: text,
  }),
  tokens: count,
  flags: z.array(z.enum(["duplicate", "quarantined"])).optional(),
};
const blockSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("prose"), markdown: text }),
  z.object({ type: z.literal("code"), title: text, description: text, codes, url: text, lines }),
]);
/** A line of format 2, or a snippet of format 1. */
const lineSchema = z.union([
  z.object({ ...place, blocks: z.array(blockSchema).min(1) }),
  z.object({ ...place, kind: z.enum(["code", "info"]), description: text, codes, content: text.optional() }),
]);

const signatureSchema = z.object({ signature: text });

/** Start of the line with the uploaded file. */
const uploadLine = '{"upload":';
const uploadSchema = z.object({ upload: z.base64() });

const maxProblems = 5;

/** Maximum size of a line of an export, in bytes. */
const maxLine = 134_217_728;

/** Splits an export into lines, with any line ends. @throws Failure validation_error as soon as a line is too long */
export async function* exportLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let number = 1;
  let size = 0;
  let line: Uint8Array[] = [];
  const add = (piece: Uint8Array): void => {
    size += piece.length;
    if (size > maxLine)
      throw new Failure(
        "validation_error",
        `Line ${number} is longer than ${maxLine} bytes, so this is not an export. Nothing was imported.`,
      );
    line.push(piece);
  };
  const take = (): string => {
    const text = Buffer.concat(line).toString("utf8");
    [number, size, line] = [number + 1, 0, []];
    return text.endsWith("\r") ? text.slice(0, -1) : text;
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; start = end + 1, end = chunk.indexOf(10, start)) {
      add(chunk.subarray(start, end));
      yield take();
    }
    if (start < chunk.length) add(chunk.subarray(start));
  }
  if (size > 0) yield take();
}

/** Checks a line to export. @throws Failure library_too_large if imports would reject it */
export function exportable(line: string): string {
  if (Buffer.byteLength(line) <= maxLine) return line;
  const message = `The library has too many pages, or a passage that is too long, for an export: a line of it would have more than ${maxLine} bytes. Back up the server instead: docs/guides/back-up-and-upgrade.md.`;
  throw new Failure("library_too_large", message);
}

/** An export that is being read: its manifest, then the lines of its passages. */
export interface ReadExport {
  readonly manifest: Manifest;
  /** The public key in the manifest; undefined: not signed. */
  readonly signedBy: string | undefined;
  readonly file: Uint8Array | undefined;
  /** The passages. It throws after the last one if the signature is missing or does not match the lines. */
  readonly passages: AsyncGenerator<Passage | SnippetLine>;
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
    const { upload } = check(uploadSchema, parseJson(next.value, number), number, "an uploaded file");
    file = Buffer.from(upload, "base64");
    next = await iterator.next();
    number += 1;
  }
  async function* passages(): AsyncGenerator<Passage | SnippetLine> {
    let signature: string | undefined;
    for (; next.done !== true; next = await iterator.next(), number += 1) {
      const line = next.value;
      if (signature !== undefined)
        throw new Failure("validation_error", `Line ${number} comes after the signature. Export the library again.`);
      const read = parseJson(line, number);
      const end = signedBy === undefined ? undefined : signatureSchema.safeParse(read).data;
      if (end !== undefined) ({ signature } = end);
      else {
        digest.update(`${line}\n`);
        yield check(lineSchema, read, number, "a passage") as Passage | SnippetLine;
      }
    }
    if (signedBy === undefined) return;
    if (signature === undefined)
      throw new Failure("validation_error", "The file ends before its signature. Export the library again.");
    if (!isSigned(digest.digest(), signature, signedBy))
      throw new Failure("validation_error", "The file was changed after it was signed. Export the library again.");
  }
  return { manifest, signedBy, file, passages: passages() };
}

/** Adds the public key to the manifest, which is the first line of an export, and the signature as the last line. */
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
  const manifest = check(manifestSchema, read, 1, "a manifest");
  const { library, version } = manifest;
  if (!canBeAsked(library.id, version))
    throw new Failure(
      "validation_error",
      "Line 1 is not a manifest: its library and version are not those of an export.",
    );
  return manifest as unknown as Manifest & { readonly signedBy?: string };
}

/** The line with the uploaded file, the second one of an export. */
export function writeUpload(file: Uint8Array): string {
  return JSON.stringify({ upload: Buffer.from(file).toString("base64") });
}

function check<T>(schema: z.ZodType<T>, read: unknown, number: number, what: string): T {
  const { data, error } = schema.safeParse(read);
  if (error) {
    const problems = z.prettifyError(new z.ZodError(error.issues.slice(0, maxProblems)));
    throw new Failure("validation_error", `Line ${number} is not ${what}: ${problems}`);
  }
  return data;
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
