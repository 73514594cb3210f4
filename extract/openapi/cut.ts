/*
 * How an API description becomes pages:
 *
 * 1. `sources/lib/descriptions` reads the files. parse.ts parses them (JSON or YAML) and determines the version; references.ts finds
 *    references to other files, and resolves references.
 * 2. cutDescription cuts them into parts (part.ts), each self-contained JSON with an address of its own (located.ts): operations.ts
 *    with parameters.ts, content.ts (bodies), servers.ts and security.ts; overview.ts. cutting.ts has their shared state. A `Located`
 *    is a value and its place.
 * 3. Schemas: flat-schema.ts flattens one (merged-schema.ts and whole-schema.ts have the steps), the same for readers and samples.
 *    fields.ts lists its fields in words (schema-words.ts); schema-pages.ts decides which schemas have pages of their own.
 *    sample-schema.ts builds the tree of a sample (sample-value.ts makes values, pattern-sample.ts texts for patterns; fits.ts tests them).
 * 4. pages.ts and operation-page.ts write the page of a part as blocks (page-blocks.ts, description-text.ts): a request (curl.ts;
 *    styles.ts writes parameters, shell.ts words), bodies (bodies.ts), and names to find it by (operation-names.ts).
 */
import { hash } from "node:crypto";
import { Failure } from "../../domain/failures.ts";
import { textsIn } from "../json-texts.ts";
import { startCutting, type Cutting } from "./cutting.ts";
import { placeOf, purposeOf } from "./operation-names.ts";
import { readOperations } from "./operations.ts";
import { readAuthentication, readOverview, readServers, readTags, type TaggedOperation } from "./overview.ts";
import { decode, isJson, parseFile, versionOf, type Version } from "./parse.ts";
import type { Part, SchemaPart } from "./part.ts";
import { plain } from "./description-text.ts";
import { brokenReferences, refOf } from "./references.ts";
import { addressOf, below, entriesOf, type Description } from "./located.ts";
import { examplesOfSchema } from "./content.ts";
import { isOnPage, wholeShape } from "./fields.ts";
import { giveAPage, schemaPages, type NamedSchema } from "./schema-pages.ts";
import { toSampleSchema } from "./sample-schema.ts";

/** A part of a description as a page. */
export interface PartPage {
  /** Path to it from the submitted file, which is stable across refreshes. */
  readonly key: string;
  /** Address of its file, with its JSON pointer as fragment. */
  readonly url: string;
  /** Hash of `bytes`. */
  readonly fingerprint: string;
  /** The part, as JSON in UTF-8. */
  readonly bytes: Uint8Array;
}

/** A description, cut into pages. */
export interface CutDescription {
  readonly version: Version;
  readonly title: string;
  /** The first lines about the API. */
  readonly summary: string;
  readonly pages: readonly PartPage[];
}

/** Limits on the pages of a description. */
export interface CutLimits {
  /** Maximum number of pages. */
  readonly pages: number;
  /** Maximum size of all pages, in bytes; never more than `maxPartBytes`. */
  readonly bytes: number;
}

/** Maximum size of all pages of one description, in bytes: ten times that of the largest known ones. */
const maxPartBytes = 200_000_000;

/** The files of a description, not parsed yet. */
export interface DescriptionFiles extends Pick<Description, "root" | "base"> {
  /** Files by name: the submitted one, and by address those that it refers to. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/**
 * Cuts a description into parts: overview, servers, authentication, tags, operations and large schemas; a description without
 * operations into its schemas. References to missing files are left out. `warnings` are sentences for the operator, on the page of
 * the overview.
 * @throws Failure source_invalid for anything but a description, no_code_found for an empty one, library_too_large beyond the limits
 */
export function cutDescription(
  { root, base, files }: DescriptionFiles,
  warnings: readonly string[] = [],
  limits: CutLimits = { pages: Infinity, bytes: Infinity },
): CutDescription {
  const parsed = new Map([...files].map(([name, bytes]) => [name, parseFile(bytes, name)] as const));
  const version = versionOf(parsed.get(root), root);
  const cutting = startCutting({ root, base, files: parsed, version });
  const toPage = createPaging(root, limits);
  const finish = createFinish(cutting, toPage);
  const tagged: TaggedOperation[] = [];
  const declared = declaredSchemas(cutting);
  // All before the first operation, so that pages do not depend on the order of operations.
  for (const schema of declared) isOnPage(cutting.description, schema);
  const operations = Array.from(readOperations(cutting), ({ key, part }) => {
    tagged.push({ name: purposeOf(part) || placeOf(part), tags: part.tags });
    return finish(key, part);
  });
  if (operations.length === 0) for (const schema of declared) giveAPage(cutting.description, schema);
  const schemas = Array.from(readSchemas(cutting), ({ key, part }) => finish(key, part));
  if (operations.length === 0 && schemas.length === 0) {
    const message = `${root} describes no operation, webhook or schema. Submit the file that has them.`;
    throw new Failure("no_code_found", [message, ...warnings.slice(0, 1)].join(" "));
  }
  const overview = readOverview(cutting, [...warnings, ...leftOutNotes(cutting)]);
  const others = [
    { key: overview.from, part: overview },
    ...readServers(cutting),
    ...readAuthentication(cutting),
    ...readTags(cutting, tagged),
  ].map(({ key, part }) => toPage(key, part));
  addTexts(cutting, files);
  const pages = [...others, ...[...operations, ...schemas].map((page) => page())];
  const summary = overview.summary || overview.description;
  return { version, title: cutting.api, summary: plain(summary), pages };
}

/** Makes pages of parts: parts with examples lazily, as these still miss their texts; others at once, to save memory. */
function createFinish({ examples }: Cutting, toPage: Paging): (key: string, part: Part) => () => PartPage {
  let count = 0;
  return (key, part) => {
    const isWaiting = examples.length > count;
    count = examples.length;
    if (isWaiting) return () => toPage(key, part);
    const page = toPage(key, part);
    return () => page;
  };
}

type Paging = (key: string, part: Part) => PartPage;

/** Makes pages of parts within the limits, as a small description may have very large parts. */
function createPaging(root: string, limits: CutLimits): Paging {
  const maxBytes = Math.min(limits.bytes, maxPartBytes);
  let [pages, total] = [0, 0];
  return (key, part) => {
    const bytes = new TextEncoder().encode(JSON.stringify(part));
    pages += 1;
    total += bytes.length;
    if (pages > limits.pages)
      throw tooLarge(`${root} has more than the ${limits.pages} parts that are indexed`, "MAX_PAGES");
    if (total > maxBytes)
      throw tooLarge(`The parts of ${root} have more than the ${maxBytes} bytes that are indexed`, "MAX_BYTES");
    return { key, url: part.from, bytes, fingerprint: hash("sha256", bytes).slice(0, 40) };
  };
}

function tooLarge(problem: string, setting: string): Failure {
  return new Failure("library_too_large", `${problem}. Split the description, or raise ${setting}.`);
}

/** Adds to examples their text in the file, for files of JSON. */
function addTexts({ examples }: Cutting, files: ReadonlyMap<string, Uint8Array>): void {
  for (const [file, group] of Map.groupBy(examples, ({ at }) => at.file)) {
    const bytes = files.get(file);
    const text = bytes === undefined ? "" : decode(bytes, file);
    if (!isJson(text)) continue;
    const texts = textsIn(text, new Set(group.map(({ at }) => at.pointer)));
    for (const { at, example } of group) {
      const textInFile = texts.get(at.pointer);
      if (textInFile !== undefined) example.text = textInFile;
    }
  }
}

/** Maximum number of broken references that are named, and maximum length of one, in characters. */
const maxBroken = 5;
const maxReference = 200;

/** Sentences about omitted paths and broken references. */
function leftOutNotes({ leftOut: { paths }, description }: Cutting): string[] {
  const broken = brokenReferences(description);
  const shown = broken.slice(0, maxBroken).map((ref) => JSON.stringify(ref.slice(0, maxReference)));
  const more = broken.length > maxBroken ? `, and ${broken.length - maxBroken} more` : "";
  return [
    ...(paths === 0 ? [] : [`${paths} ${paths === 1 ? "path is" : "paths are"} left out as longer than what is read.`]),
    ...(broken.length === 0
      ? []
      : [`References lead to nothing: ${shown.join(", ")}${more}. What they stand for is left out.`]),
  ];
}

/** The declared schemas of a description. */
function declaredSchemas({ root, description }: Cutting): NamedSchema[] {
  const all = description.version === "2.0" ? below(root, "definitions") : below(root, "components", "schemas");
  return entriesOf(all).flatMap(([name, at]) => (refOf(at.value) === undefined ? [{ name, at, own: {} }] : []));
}

/** The schemas with pages of their own, to be read after all that refers to them; each comes with the key of its page. */
function* readSchemas(cutting: Cutting): Generator<{ key: string; part: SchemaPart }> {
  for (const schema of schemaPages(cutting.description)) {
    const part = toSchemaPart(cutting, schema);
    yield { key: part.from, part };
  }
}

function toSchemaPart(cutting: Cutting, { name, at }: NamedSchema): SchemaPart {
  const { description, api } = cutting;
  const { about, fields } = wholeShape(description, at);
  const schema = toSampleSchema(description, at, "response");
  const examples = examplesOfSchema(cutting, at);
  return { type: "schema", api, from: addressOf(at), name, about, fields, ...(schema && { schema }), examples };
}
