import { hash } from "node:crypto";
import { Failure } from "../../domain/failures.ts";
import { examplesOfSchema } from "./content.ts";
import { documentationOf, startCutting } from "./cutting.ts";
import type { Cutting } from "./cutting.ts";
import { fieldsOf, typeIn } from "./fields.ts";
import { flatten } from "./flat-schema.ts";
import { placeOf, purposeOf } from "./headings.ts";
import { plain } from "./prose-text.ts";
import { textsIn } from "./json-text.ts";
import { readOperations } from "./operations.ts";
import { decode, isJson, parseFile } from "./parse.ts";
import type { OperationPart, OverviewPart, Part, SchemaPart, TagPart } from "./part.ts";
import { brokenReferences } from "./references.ts";
import { toSampleSchema } from "./sample-schema.ts";
import { toObject, toText } from "./values.ts";
import { versionOf } from "./version.ts";
import type { Version } from "./version.ts";
import { addressOf } from "./addresses.ts";
import { below, entriesOf, itemsOf } from "./located.ts";
import type { Located } from "./located.ts";

/** A part of a description as a page. */
export interface PartPage {
  /** The way to it from the submitted file: the same again while it stays where it is. */
  readonly key: string;
  /** Its address: that of the file that has it, with its JSON pointer as fragment. */
  readonly url: string;
  /** Hash of `bytes`. */
  readonly fingerprint: string;
  /** The part, as JSON in UTF-8. */
  readonly bytes: Uint8Array;
}

/** What a description comes to. */
export interface CutDescription {
  readonly version: Version;
  readonly title: string;
  /** The first lines about the API. */
  readonly summary: string;
  readonly pages: readonly PartPage[];
}

/** How much a description may come to. */
export interface CutLimits {
  readonly pages: number;
  /** All pages, in bytes; never more than `maxPartBytes`. */
  readonly bytes: number;
}

/** Most that the pages of one description have in all, in bytes: ten times what the largest known descriptions come to. */
const maxPartBytes = 200_000_000;
/** A named schema with more fields has a page of its own. */
const largeSchema = 10;
/** Most of that is said of contact, licence and further documentation, in characters. */
const maxFact = 500;

/** The files of a description that have been read. */
export interface DescriptionFiles {
  /** Name of the submitted file: its address, or the name of an uploaded one. */
  readonly root: string;
  /** Address that it came from, after redirects; the name of an uploaded one. */
  readonly base: string;
  /** Files by their names: that of the submitted one, and the addresses of those that it refers to. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

function parseFiles(files: DescriptionFiles["files"]): ReadonlyMap<string, unknown> {
  return new Map([...files].map(([name, bytes]) => [name, parseFile(bytes, name)] as const));
}

/**
 * Cuts a description into its parts: overview, servers, authentication, tags, operations, and large schemas; a description without
 * operations is cut into its schemas. References to what was not read say nothing. `warnings` are sentences for the operator who asks how the
 * run went.
 * @throws Failure source_invalid for what is no description, no_code_found for one that describes nothing, library_too_large for one
 * that comes to more than the limits
 */
export function cutDescription(
  { root, base, files }: DescriptionFiles,
  warnings: readonly string[] = [],
  limits: CutLimits = { pages: Infinity, bytes: Infinity },
): CutDescription {
  const parsed = parseFiles(files);
  const version = versionOf(parsed.get(root), root);
  const cutting = startCutting({ root, base, files: parsed, version });
  const toPage = createPaging(root, limits);
  const finish = createFinish(cutting, toPage);
  const tagged: TaggedOperation[] = [];
  const operations = Array.from(readOperations(cutting), ({ key, part }) => {
    tagged.push({ name: purposeOf(part) || placeOf(part), tags: part.tags });
    return finish(key, part);
  });
  const schemas = Array.from(readSchemas(cutting, operations.length === 0), ({ key, part }) => finish(key, part));
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

/** What the page of a tag says of an operation. */
interface TaggedOperation extends Pick<OperationPart, "tags"> {
  readonly name: string;
}

/** Makes pages of parts: at once, as parts take many times the memory of their text, but for those whose examples wait for theirs. */
function createFinish({ examples }: Cutting, toPage: Paging): (key: string, part: Part) => () => PartPage {
  let before = 0;
  return (key, part) => {
    const isWaiting = examples.length > before;
    before = examples.length;
    if (isWaiting) return () => toPage(key, part);
    const page = toPage(key, part);
    return () => page;
  };
}

type Paging = (key: string, part: Part) => PartPage;

/** Makes pages of parts until they are too many: a small description may come to very large parts. */
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

/** Gives examples the text that they have in files of JSON. */
function addTexts({ examples }: Cutting, files: ReadonlyMap<string, Uint8Array>): void {
  for (const [file, found] of Map.groupBy(examples, ({ at }) => at.file)) {
    const bytes = files.get(file);
    const text = bytes === undefined ? "" : decode(bytes, file);
    if (!isJson(text)) continue;
    const texts = textsIn(text, new Set(found.map(({ at }) => at.pointer)));
    for (const { at, example } of found) {
      const written = texts.get(at.pointer);
      if (written !== undefined) example.text = written;
    }
  }
}

/** References that lead to nothing and are named, and most that is said of one, in characters. */
const maxBroken = 5;
const maxReference = 200;

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

function readOverview({ root, api }: Cutting, warnings: readonly string[]): OverviewPart {
  const at = below(root, "info");
  const info = toObject(at.value);
  const { name, email, url } = toObject(info["contact"]);
  const licence = toObject(info["license"]);
  const line = (label: string, ...values: readonly unknown[]): string[] => {
    const said = values.map(toText).filter((value) => value !== "");
    return said.length === 0 ? [] : [`${label}: ${said.join(", ")}`.slice(0, maxFact)];
  };
  return {
    type: "overview",
    api,
    from: addressOf(at),
    version: toText(info["version"]),
    summary: toText(info["summary"]),
    description: toText(info["description"]),
    facts: [
      ...line("Documentation", documentationOf(toObject(root.value)["externalDocs"])),
      ...line("Contact", name, email, url),
      ...line("Licence", licence["name"] ?? licence["identifier"], licence["url"]),
      ...line("Terms of service", info["termsOfService"]),
    ],
    warnings,
  };
}

function* readServers({ root, api, servers }: Cutting) {
  const from = addressOf(below(root, "servers"));
  if (servers.length > 0) yield { key: from, part: { type: "servers", api, from, servers } as const };
}

function* readAuthentication({ root, api, schemes, security, description }: Cutting) {
  const keys = description.version === "2.0" ? ["securityDefinitions"] : ["components", "securitySchemes"];
  const from = addressOf(below(root, ...keys));
  if (schemes.size === 0) return;
  yield {
    key: from,
    part: { type: "authentication", api, from, schemes: [...schemes.values()], required: security } as const,
  };
}

function* readTags(
  cutting: Cutting,
  operations: readonly TaggedOperation[],
): Generator<{ key: string; part: TagPart }> {
  const { root, api } = cutting;
  const declared = new Map(itemsOf(below(root, "tags")).map((at) => [toText(toObject(at.value)["name"]), at]));
  const byTag = new Map<string, TaggedOperation[]>();
  for (const operation of operations)
    for (const tag of new Set(operation.tags)) {
      const others = byTag.get(tag);
      if (others === undefined) byTag.set(tag, [operation]);
      else others.push(operation);
    }
  for (const name of new Set([...declared.keys(), ...byTag.keys()])) {
    const at = declared.get(name);
    const said = toObject(at?.value);
    const of = byTag.get(name) ?? [];
    const description = [toText(said["summary"]), toText(said["description"])]
      .filter((text) => text !== "")
      .join("\n\n");
    if (name === "" || (of.length === 0 && description === "")) continue;
    // By its name: its place changes with the tags before it.
    const key = `${addressOf(below(root, "tags"))}/${encodeURIComponent(name)}`;
    const part: TagPart = {
      type: "tag",
      api,
      from: addressOf(at ?? below(root, "tags")),
      name,
      description,
      parent: toText(said["parent"]),
      documentation: documentationOf(said["externalDocs"]),
      operations: of.map((operation) => operation.name),
    };
    yield { key, part };
  }
}

function* readSchemas(cutting: Cutting, all: boolean): Generator<{ key: string; part: SchemaPart }> {
  const { root, description } = cutting;
  const schemas = description.version === "2.0" ? below(root, "definitions") : below(root, "components", "schemas");
  for (const [name, at] of entriesOf(schemas)) {
    const part = toSchemaPart(cutting, name, at);
    if (part !== undefined && (all || part.fields.length > largeSchema)) yield { key: part.from, part };
  }
}

function toSchemaPart(cutting: Cutting, name: string, at: Located): SchemaPart | undefined {
  const { description, api } = cutting;
  const flat = flatten(description, at);
  if (flat === undefined) return undefined;
  const schema = toSampleSchema(description, at, "response");
  const { type } = flat;
  return {
    type: "schema",
    api,
    from: addressOf(at),
    name,
    description: toText(flat.keywords["description"]),
    schemaType: typeIn(description, { ...flat, name: "" }) || type,
    fields: fieldsOf(description, at, null),
    ...(schema && { schema }),
    examples: examplesOfSchema(cutting, at),
  };
}
