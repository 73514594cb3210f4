import { addressOf, below, entriesOf, itemsOf, textsOf, withoutExtensions } from "./located.ts";
import type { Located } from "./located.ts";
import { readContent } from "./content.ts";
import { documentationOf } from "./cutting.ts";
import type { Cutting } from "./cutting.ts";
import type { Field } from "./fields.ts";
import { readParameters } from "./parameters.ts";
import { escaped } from "./parse.ts";
import type { Body, CodeSample, OperationPart, Response } from "./part.ts";
import { follow } from "./references.ts";
import { toChoices } from "./security.ts";
import { serversOf } from "./servers.ts";
import { isObject, toObject, toText } from "./values.ts";
import type { JsonObject } from "./values.ts";
import { plain } from "./description-text.ts";
import { readOldBody, readOldResponse } from "./swagger.ts";

/** An operation with its pointer from the submitted file, through references, which is unique. */
export interface FoundOperation {
  readonly key: string;
  readonly part: OperationPart;
}

/** HTTP methods of a path item, in the order in which they are read. */
const methods = ["get", "post", "put", "patch", "delete", "query", "head", "options", "trace"];

/** Maximum depth of callbacks within callbacks. */
const maxDepth = 3;

/** Maximum length of a path or of a callback's expression, in characters: each is in the address of its page. */
const maxPath = 2000;

/** Maximum length of a code sample, in characters, and maximum number of samples of one operation. */
const maxSampleLength = 20_000;

const maxSamples = 12;

/** All operations of a description in its order: paths, each with its callbacks, then webhooks. Paths that are too long are left out. */
export function* readOperations(cutting: Cutting): Generator<FoundOperation> {
  const { root } = cutting;
  for (const [path, at] of withoutExtensions(below(root, "paths")))
    yield* ofPathItem(cutting, at, { kind: "path", path }, addressOf(at), 0);
  for (const name of ["webhooks", "x-webhooks"])
    for (const [path, at] of entriesOf(below(root, name)))
      yield* ofPathItem(cutting, at, { kind: "webhook", path }, addressOf(at), 0);
}

type OperationPlace = Pick<OperationPart, "kind" | "path" | "callback">;

/** The operations of a path item; `reached`: pointer by which it was reached. */
function* ofPathItem(
  cutting: Cutting,
  at: Located,
  place: OperationPlace,
  reached: string,
  depth: number,
): Generator<FoundOperation> {
  if (place.path.length > maxPath) {
    cutting.leftOut.paths += 1;
    return;
  }
  const item = follow(cutting.description, at);
  if (item === undefined || !isObject(item.value)) return;
  const additional = entriesOf(below(item, "additionalOperations"));
  for (const [method, operation] of [...methods.map((name) => [name, below(item, name)] as const), ...additional]) {
    if (!isObject(operation.value)) continue;
    const part = toOperation(cutting, item, operation, { ...place, method: method.toUpperCase() });
    const key = `${reached}/${encodeURIComponent(method)}`;
    yield { key, part };
    if (depth >= maxDepth) continue;
    for (const [name, callback] of entriesOf(below(operation, "callbacks"))) {
      const expressions = follow(cutting.description, callback);
      if (expressions === undefined) continue;
      const of = `${part.method} ${part.path}`;
      for (const [path, one] of withoutExtensions(expressions)) {
        const way = `${key}/callbacks/${encodeURIComponent(escaped(name))}/${encodeURIComponent(escaped(path))}`;
        yield* ofPathItem(cutting, one, { kind: "callback", path, callback: { name, of } }, way, depth + 1);
      }
    }
  }
}

function toOperation(
  cutting: Cutting,
  item: Located,
  at: Located,
  place: OperationPlace & Pick<OperationPart, "method">,
): OperationPart {
  const { description, schemes, api } = cutting;
  const operation = toObject(at.value);
  const isOld = description.version === "2.0";
  const own = [at, item].map((one) => (isOld ? [] : serversOf(description, one))).find((servers) => servers.length > 0);
  const body = isOld ? readOldBody(cutting, item, at) : readBody(cutting, below(at, "requestBody"), place.kind);
  return {
    type: "operation",
    api,
    from: addressOf(at),
    ...place,
    operationId: toText(operation["operationId"]),
    summary: toText(operation["summary"]) || toText(toObject(item.value)["summary"]),
    description: toText(operation["description"]) || toText(toObject(item.value)["description"]),
    deprecated: isDeprecated(operation),
    tags: textsOf(below(at, "tags")),
    documentation: documentationOf(operation["externalDocs"]),
    server: place.kind === "path" ? ((own ?? cutting.servers)[0]?.url ?? "") : "",
    parameters: readParameters(cutting, item, at),
    ...(body && { body }),
    responses: readResponses(cutting, below(at, "responses"), at, place.kind),
    security: operation["security"] === undefined ? cutting.security : toChoices(below(at, "security"), schemes),
    samples: readSamples(at),
  };
}

/** The body of a request. What a webhook sends comes from the server: `readOnly` is in it, as in a response. */
function readBody(cutting: Cutting, at: Located, kind: OperationPart["kind"]): Body | undefined {
  const found = follow(cutting.description, at);
  if (found === undefined) return undefined;
  const { required, description } = toObject(found.value);
  const content = readContent(cutting, below(found, "content"), kind === "path" ? "request" : "response");
  return content && { required: required === true, description: toText(description), content };
}

function readResponses(cutting: Cutting, all: Located, operation: Located, kind: OperationPart["kind"]): Response[] {
  const { description } = cutting;
  return withoutExtensions(all).flatMap(([status, at]) => {
    const found = follow(description, at);
    if (found === undefined || !isObject(found.value)) return [];
    const content =
      description.version === "2.0"
        ? readOldResponse(cutting, found, operation)
        : readContent(cutting, below(found, "content"), kind === "path" ? "response" : "request");
    return [
      {
        status,
        description: toText(found.value["description"]) || toText(found.value["summary"]),
        headers: entriesOf(below(found, "headers")).flatMap(([name, header]) =>
          follow(description, header) ? [name] : [],
        ),
        // What is received is shown by an example: of its fields only the names are needed.
        ...(content && { content: { ...content, fields: content.fields.map(toName) } }),
      },
    ];
  });
}

function toName({ name, required }: Field): Field {
  return { name, type: "", required };
}

/** Code samples as several vendors' extensions have them. */
function readSamples(at: Located): CodeSample[] {
  const places = [below(at, "x-codeSamples"), below(at, "x-code-samples"), below(at, "x-readme", "code-samples")];
  return places
    .flatMap((place) => itemsOf(place))
    .map(({ value }) => toObject(value))
    .flatMap(({ lang, language, label, name, source, code }) => {
      const text = source ?? code;
      if (typeof text !== "string" || text.trim() === "" || text.length > maxSampleLength) return [];
      return [{ language: toText(lang ?? language), label: toText(label ?? name), source: text }];
    })
    .slice(0, maxSamples);
}

/** Maximum length of a summary or description that is looked at, in characters. */
const maxText = 1000;

/** A description that begins with the word, has it before what to use instead, or says it of the whole operation. */
const isWholeDeprecated =
  /^\W{0,8}(?:note\W{1,4})?deprecated\b|\bdeprecated:|\bthis (?:[a-z]{1,20} )?(?:api|call|endpoint|function|method|operation|request|resource|route) (?:is|was|has been)(?: now)? (?:deprecated|obsolete)\b/i;

/**
 * Whether an operation is deprecated: as `deprecated` says, an extension whose name or value says so (`x-deprecated`,
 * `x-status: deprecated`), or its summary or description in words.
 */
function isDeprecated(operation: JsonObject): boolean {
  if (typeof operation["deprecated"] === "boolean" && operation["deprecated"]) return true;
  const isMarked = Object.entries(operation).some(([name, value]) => {
    if (!name.startsWith("x-")) return false;
    if (/deprecat/i.test(name)) return value !== false && value !== null && value !== "" && value !== "false";
    return typeof value === "string" && /^deprecated$/i.test(value);
  });
  return (
    isMarked ||
    /\bdeprecated\b/i.test(toText(operation["summary"]).slice(0, maxText)) ||
    isWholeDeprecated.test(plain(toText(operation["description"]).slice(0, maxText)))
  );
}
