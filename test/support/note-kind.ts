import { appendFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, posix } from "node:path";

const readers = "sources";

const domain = posix.relative(`${readers}/note`, "domain");

/** The files of a kind of source that a test adds: a note is one page at an address, read with a key. */
const files: Readonly<Record<string, string>> = {
  "domain/kinds/note.ts": `import { deriveSiteId } from "../library.ts";
import { fragmentAddress, type SourceKind } from "./kind.ts";

export interface NoteSourceSpec {
  readonly kind: "note";
  readonly url: string;
  readonly heading: string;
}

export interface NoteCredential {
  readonly key: string;
}

export const noteKind: SourceKind<NoteSourceSpec> = {
  kind: "note",
  sourceType: () => "websites",
  idPrefix: () => "notes",
  deriveId: ({ url }) => deriveSiteId("notes", new URL(url)),
  location: ({ url }) => url,
  at: (spec, url) => ({ ...spec, url }),
  hasPaths: false,
  order: "key",
  host: ({ url }) => new URL(url).host,
  address: fragmentAddress,
  credential: {
    field: "noteKey",
    audience: ({ url }) => ({ host: new URL(url).host, tenant: new URL(url).pathname.split("/")[1] ?? "" }),
    ids: ({ url }) => [deriveSiteId("notes", new URL(url))],
  },
};
`,
  "api/forms/note.ts": `import * as z from "zod";
import type { NoteCredential } from "../../domain/kinds/note.ts";
import type { NoteSourceSpec } from "../../domain/kinds/note.ts";
import { jsonBody } from "../body.ts";
import { text } from "../parameters.ts";
import { httpAddress } from "./fields.ts";
import { commonFields, credentialId, form, oneCredential, optionsForm, privateField, submissionOf, type KindForms } from "./form.ts";

const options = { heading: text(1, 100).default("Note").describe("What its page is called.") };
const own = text(1, 100).transform((key): NoteCredential => ({ key }));
const body = z
  .object({
    noteUrl: text(1, 1000).describe("Address of the note."),
    ...options,
    noteKey: text(1, 100).optional().describe("What it is read with."),
    credential: credentialId.optional(),
    ...commonFields,
    private: privateField,
  })
  .meta({ id: "Note" });

function toSpec(address: string, heading: string): NoteSourceSpec {
  return { kind: "note", url: httpAddress(address, "noteUrl").href, heading };
}

export const noteForms: KindForms<NoteCredential> = {
  noun: "note",
  plural: "notes",
  forms: [
    form({
      path: "/v2/add/note",
      address: "noteUrl",
      scope: "submit",
      about: { operationId: "addNote", summary: "Submit a note" },
      body: jsonBody(body),
      failures: ["duplicate_library", "credential_not_found"],
      async toSubmission({ body: fields }) {
        const source = toSpec(fields.noteUrl, fields.heading);
        const { noteKey } = fields;
        const credential = oneCredential("noteKey", noteKey === undefined ? undefined : { key: noteKey }, fields.credential);
        return submissionOf(source, fields, { title: fields.heading, private: fields.private, credential });
      },
    }),
  ],
  credential: {
    data: z.object({ key: text(1, 100) }).meta({ id: "NoteCredential" }),
    own,
    tenant: text(1, 100),
    toSource: (address) => toSpec(address, "Note"),
  },
  options: optionsForm(options, (spec: NoteSourceSpec, given) => ({ ...spec, ...given })),
  typed: () => null,
  fields: { credential: "credential" },
};
`,
  [`${readers}/note/index.ts`]: `import { createHash } from "node:crypto";
import { z } from "zod";
import { Failure } from "${domain}/failures.ts";
import type { NoteCredential, NoteSourceSpec } from "${domain}/kinds/note.ts";
import type { SourceReader } from "../source-reader.ts";

export const noteReader: SourceReader<NoteSourceSpec, NoteCredential> = {
  spec: z.object({ kind: z.literal("note"), url: z.string(), heading: z.string() }),
  create({ client }) {
    const fetchNote = async (url: string, key: string, signal: AbortSignal): Promise<Buffer> => {
      const response = await client.request(new URL(url), { headers: { "x-note-key": key }, signal, maxBytes: 10_000 });
      const bytes = Buffer.concat(await Array.fromAsync(response.body));
      if (response.status !== 200) throw new Failure("source_refused", "The note wants another key.");
      return bytes;
    };
    const hash = (text: Uint8Array | string): string => createHash("sha256").update(text).digest("hex");
    return {
      kind: "note",
      async resolve({ url }, _ref, { signal, credential }) {
        return { revision: hash(await fetchNote(url, credential?.key ?? "", signal)), ref: null, location: url, refs: [] };
      },
      async *read({ url, heading }, _state, { signal, credential, pages }) {
        const bytes = Buffer.from(\`# \${heading}\\n\\n\${(await fetchNote(url, credential?.key ?? "", signal)).toString()}\`);
        pages(1);
        yield { type: "page", page: { key: url, url, mediaType: "text/markdown", fingerprint: hash(bytes) }, bytes };
      },
    };
  },
};
`,
};

/** The lines to add to the four tables: imports, the entry, and its type. */
const tables: Readonly<Record<string, { imports: readonly string[]; entry: string; types?: string }>> = {
  "domain/kinds/kind.ts": { imports: [], entry: '  notes: "websites",' },
  "domain/kinds/index.ts": {
    imports: ['import { noteKind } from "./note.ts";', 'import type { NoteCredential } from "./note.ts";'],
    entry: "  note: noteKind,",
    types: "  readonly note: NoteCredential;",
  },
  "api/forms/index.ts": { imports: ['import { noteForms } from "./note.ts";'], entry: "  note: noteForms," },
  [`${readers}/index.ts`]: { imports: ['import { noteReader } from "./note/index.ts";'], entry: "  note: noteReader," },
};

/** Number of lines that the kind adds to each file. */
export const noteDiff: Readonly<Record<string, number>> = {
  ...Object.fromEntries(Object.entries(files).map(([path, text]) => [path, text.split("\n").length - 1])),
  ...Object.fromEntries(
    Object.entries(tables).map(([path, { imports, types }]) => [
      path,
      imports.length + 1 + (types === undefined ? 0 : 1),
    ]),
  ),
};

/** Adds the kind to the program in a folder. */
export async function addNoteKind(program: string): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(program, path)), { recursive: true });
    await appendFile(join(program, path), text, { flag: "wx" });
  }
  for (const [path, { imports, entry, types }] of Object.entries(tables)) {
    const before = await readFile(join(program, path), "utf8");
    const after = before
      .replace(/^import /m, imports.length === 0 ? "$&" : `${imports.join("\n")}\n$&`)
      .replace(/^ {2}(?:folder: |docs: "uploaded)/m, `${entry}\n$&`)
      .replace(/^ {2}readonly website: /m, types === undefined ? "$&" : `${types}\n$&`);
    await writeFile(join(program, path), after);
  }
}
