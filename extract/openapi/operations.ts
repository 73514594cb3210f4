import { addressOf, below, entriesOf, itemsOf, textsOf, withoutExtensions, type Located } from "./located.ts";
import { chooseMediaType, headersOf, readContent, toContent, toExample } from "./content.ts";
import type { Cutting } from "./cutting.ts";
import { readParameters, styleOf } from "./parameters.ts";
import type { Body, CodeSample, Content, OperationPart, Response } from "./part.ts";
import { follow } from "./references.ts";
import { toChoices } from "./security.ts";
import { serversOf } from "./servers.ts";
import { encoded, joined, toText } from "./values.ts";
import { documentationOf, inlineCode, leftOutWords, plain, valueCode } from "./description-text.ts";
import { escaped, isObject, type Json, objectOf } from "../json.ts";

/** An operation with its unique key: the pointer from the submitted file, through references. */
type KeyedOperation = { readonly key: string; readonly part: OperationPart };

/** HTTP methods of a path item, in reading order. */
const methods = ["get", "post", "put", "patch", "delete", "query", "head", "options", "trace"];

/** Maximum depth of callbacks within callbacks, and number of those that an operation names. */
const maxDepth = 3;
const maxCallbacks = 100;

/** Maximum length of a path or of a callback's expression, in characters, as each is in the address of its page. */
const maxPath = 2000;

/** Maximum length of a code sample, in characters, and maximum number of samples of one operation. */
const maxSampleLength = 20_000;
const maxSamples = 12;

/** All operations of a description in its order: paths, each with its callbacks, then webhooks. Long paths are left out. */
export function* readOperations(cutting: Cutting): Generator<KeyedOperation> {
  const { root } = cutting;
  for (const [path, at] of withoutExtensions(below(root, "paths")))
    yield* readPathItem(cutting, at, { kind: "path", path }, addressOf(at), 0);
  for (const name of ["webhooks", "x-webhooks"])
    for (const [path, at] of entriesOf(below(root, name)))
      yield* readPathItem(cutting, at, { kind: "webhook", path }, addressOf(at), 0);
}

type OperationPlace = Pick<OperationPart, "kind" | "path" | "callback">;

/** The operations of a path item; `itemKey`: pointer from the submitted file to it. */
function* readPathItem(
  cutting: Cutting,
  at: Located,
  place: OperationPlace,
  itemKey: string,
  depth: number,
): Generator<KeyedOperation> {
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
    const key = `${itemKey}/${encoded(method)}`;
    yield { key, part: { ...part, callbacks: callbackWords(cutting, operation) } };
    if (depth >= maxDepth) continue;
    const of = `${part.method} ${part.path}`;
    for (const { name, path, at: one } of callbacksIn(cutting, operation)) {
      const way = `${key}/callbacks/${encoded(escaped(name))}/${encoded(escaped(path))}`;
      yield* readPathItem(cutting, one, { kind: "callback", path, callback: { name, of } }, way, depth + 1);
    }
  }
}

/** The path items of an operation's callbacks. */
function* callbacksIn({ description }: Cutting, operation: Located) {
  for (const [name, callback] of entriesOf(below(operation, "callbacks"))) {
    const expressions = follow(description, callback);
    if (expressions === undefined) continue;
    for (const [path, at] of withoutExtensions(expressions)) yield { name, path, at };
  }
}

/** The callbacks of an operation in words. They are read one by one, as those in them may be very many. */
function callbackWords(cutting: Cutting, operation: Located): string[] {
  const words: string[] = [];
  for (const { name, path, at } of callbacksIn(cutting, operation)) {
    const item = objectOf(follow(cutting.description, at)?.value);
    for (const method of methods.filter((one) => isObject(item[one]) && path.length <= maxPath)) {
      const text = toText(objectOf(item[method])["summary"]);
      const place = `${inlineCode(name)} (${inlineCode(`${method.toUpperCase()} ${path}`)})`;
      words.push(text === "" ? place : `${place}: ${text}`);
    }
    if (words.length > maxCallbacks)
      return [...words.slice(0, maxCallbacks), "Further ones, which have pages of their own, are not listed."];
  }
  return words;
}

function toOperation(
  cutting: Cutting,
  item: Located,
  at: Located,
  place: OperationPlace & Pick<OperationPart, "method">,
): OperationPart {
  const { description, schemes, api } = cutting;
  const operation = objectOf(at.value);
  const { summary, description: about } = objectOf(item.value);
  // The summary and description of a path item apply to each of its operations.
  const ofAll = joined([operation["summary"] === undefined ? "" : summary, about]);
  const isOld = description.version === "2.0";
  const isPath = place.kind === "path";
  const own = isOld || !isPath ? [] : [at, item].map((one) => serversOf(description, one));
  const servers = own.find((some) => some.length > 0) ?? [];
  const { parameters, leftOut } = readParameters(cutting, item, at);
  const { samples, left } = readSamples(at);
  const body = isOld ? readOldBody(cutting, item, at) : readBody(cutting, below(at, "requestBody"), place.kind);
  return {
    type: "operation",
    api,
    from: addressOf(at),
    ...place,
    operationId: toText(operation["operationId"]),
    summary: toText(operation["summary"]) || toText(summary),
    description: joined([operation["description"], ofAll]),
    deprecated: isDeprecated(operation),
    tags: textsOf(below(at, "tags")),
    documentation: documentationOf(operation["externalDocs"]),
    server: isPath ? ((servers[0] ?? cutting.servers[0])?.url ?? "") : "",
    servers,
    parameters,
    ...(body && { body }),
    responses: readResponses(cutting, below(at, "responses"), at, place.kind),
    // What the description requires of all operations is of its server, not of those whom that calls.
    security:
      operation["security"] !== undefined ? toChoices(below(at, "security"), schemes) : isPath ? cutting.security : [],
    samples,
    callbacks: [],
    leftOut: [...leftOut, ...leftOutWords(left, "code sample")],
  };
}

/** The body of a request. A webhook's comes from the server, so `readOnly` fields are in it, as in a response. */
function readBody(cutting: Cutting, at: Located, kind: OperationPart["kind"]): Body | undefined {
  const body = follow(cutting.description, at);
  if (body === undefined) return undefined;
  const { required, description } = objectOf(body.value);
  const content = readContent(cutting, below(body, "content"), kind === "path" ? "request" : "response", true);
  return content && { required: required === true, description: toText(description), content };
}

function readResponses(cutting: Cutting, all: Located, operation: Located, kind: OperationPart["kind"]): Response[] {
  const { description } = cutting;
  return withoutExtensions(all).flatMap(([status, at]) => {
    const response = follow(description, at);
    if (response === undefined || !isObject(response.value)) return [];
    const isShown = /^2|^default$/.test(status);
    const content =
      description.version === "2.0"
        ? readOldResponse(cutting, response, operation, isShown)
        : readContent(cutting, below(response, "content"), kind === "path" ? "response" : "request", isShown);
    return [
      {
        status,
        description: joined([response.value["summary"], response.value["description"]]),
        headers: headersOf(description, below(response, "headers")),
        links: linksOf(cutting, below(response, "links")),
        ...(content && { content }),
      },
    ];
  });
}

/** The links of a response in words. */
function linksOf({ description }: Cutting, map: Located): string[] {
  return withoutExtensions(map).flatMap(([name, at]) => {
    const link = follow(description, at);
    if (link === undefined) return [];
    const { operationId, operationRef, parameters, requestBody, description: text } = objectOf(link.value);
    const values = Object.entries(objectOf(parameters)).map(
      ([key, value]) => `${inlineCode(key)} = ${valueCode(value)}`,
    );
    if (requestBody !== undefined) values.push(`the body = ${valueCode(requestBody)}`);
    const target = toText(operationId) || toText(operationRef);
    const facts = joined([target === "" ? "" : `operation ${inlineCode(target)}`, values.join(", ")], " with ");
    return [joined([`${inlineCode(name)} (${facts})`, text], ": ")];
  });
}

/** Code samples in the extensions of several vendors, and the number of those that are too many or too long. */
function readSamples(at: Located): { readonly samples: readonly CodeSample[]; readonly left: number } {
  const places = [below(at, "x-codeSamples"), below(at, "x-code-samples"), below(at, "x-readme", "code-samples")];
  const all = places
    .flatMap((place) => itemsOf(place))
    .map(({ value }) => objectOf(value))
    .flatMap(({ lang, language, label, name, source, code }) => {
      const text = source ?? code;
      if (typeof text !== "string" || text.trim() === "") return [];
      return [{ language: toText(lang ?? language), label: toText(label ?? name), source: text }];
    });
  const samples = all.filter(({ source }) => source.length <= maxSampleLength).slice(0, maxSamples);
  return { samples, left: all.length - samples.length };
}

/** Maximum length of a summary or description that is searched for "deprecated", in characters. */
const maxText = 1000;

/** A description that begins with the word, has it before a replacement, or calls the whole operation deprecated. */
const isWholeDeprecated =
  /^\W{0,8}(?:note\W{1,4})?deprecated\b|\bdeprecated:|\bthis (?:[a-z]{1,20} )?(?:api|call|endpoint|function|method|operation|request|resource|route) (?:is|was|has been)(?: now)? (?:deprecated|obsolete)\b/i;

/** Whether an operation is deprecated by its keyword, an extension (`x-deprecated`, `x-status: deprecated`), or its text. */
function isDeprecated(operation: Json): boolean {
  if (operation["deprecated"] === true) return true;
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

/** The body of an operation of Swagger 2.0, which is among its parameters. 2.0 is not converted first, to keep the pointers of the file. */
function readOldBody(cutting: Cutting, item: Located, operation: Located): Body | undefined {
  const { description } = cutting;
  const all = [...itemsOf(below(operation, "parameters")), ...itemsOf(below(item, "parameters"))].flatMap((at) => {
    const parameter = follow(description, at);
    return parameter === undefined ? [] : [parameter];
  });
  const types = mediaTypes(operation, "consumes", cutting.consumes);
  const body = all.find(({ value }) => objectOf(value)["in"] === "body");
  if (body !== undefined) {
    const { required, description: about } = objectOf(body.value);
    const examples = entriesOf(below(body, "x-examples")).flatMap(([name, at]) => toExample(cutting, at, name));
    const content = toContent(cutting, body, below(body, "schema"), "request", true, {
      ...chooseMediaType(types, "application/json"),
      examples,
    });
    return { required: required === true, description: toText(about), content };
  }
  const form = all.filter(({ value }) => objectOf(value)["in"] === "formData");
  if (form.length === 0) return undefined;
  const hasFile = form.some(({ value }) => objectOf(value)["type"] === "file");
  const forms = types.filter((type) => /form/i.test(type) && (!hasFile || /multipart/i.test(type)));
  const chosen = chooseMediaType(forms, hasFile ? "multipart/form-data" : "application/x-www-form-urlencoded");
  const at = below(operation, "parameters");
  const content = toContent(cutting, at, { ...at, value: formSchema(form) }, "request", true, {
    ...chosen,
    examples: [],
  });
  const encoding = Object.fromEntries(
    form.map(({ value }) => [toText(objectOf(value)["name"]), encodingOf(objectOf(value))] as const),
  );
  const required = form.some(({ value }) => objectOf(value)["required"] === true);
  return { required, description: "", content: { ...content, encoding } };
}

/** The Encoding Object of a form's field of Swagger 2.0. */
function encodingOf({ type, collectionFormat }: Json): Json {
  return type === "array" ? { style: styleOf(collectionFormat), explode: collectionFormat === "multi" } : {};
}

/** The content of a response of Swagger 2.0; undefined without any. */
function readOldResponse(
  cutting: Cutting,
  response: Located,
  operation: Located,
  isShown: boolean,
): Content | undefined {
  const { schema, examples } = objectOf(response.value);
  if (schema === undefined && examples === undefined) return undefined;
  const byType = entriesOf(below(response, "examples"));
  const types = mediaTypes(operation, "produces", cutting.produces);
  const chosen = chooseMediaType(types.length > 0 ? types : byType.map(([type]) => type), "application/json");
  const shown = byType.find(([type]) => type === chosen.mediaType) ?? byType.find(([type]) => type.includes("json"));
  const variants = byType
    .filter((one) => one !== shown)
    .map(([mediaType, at]): Content => {
      const about = { mediaType, others: [], examples: toExample(cutting, at) };
      return toContent(cutting, at, { ...at, value: undefined }, "response", false, about);
    })
    .filter((variant) => variant.examples.length > 0);
  const content = toContent(cutting, response, below(response, "schema"), "response", isShown, {
    mediaType: chosen.mediaType,
    others: chosen.others.filter((type) => variants.every(({ mediaType }) => mediaType !== type)),
    examples: shown === undefined ? [] : toExample(cutting, shown[1]),
  });
  const left = byType.length - variants.length - content.examples.length;
  return { ...content, variants, notes: leftOutWords(left, "example") };
}

/** The media types of an operation, else those of the description. */
function mediaTypes(operation: Located, key: string, ofDescription: readonly string[]): readonly string[] {
  const types = below(operation, key);
  return types.value === undefined ? ofDescription : textsOf(types);
}

/** The schema of an object with the fields of a form. */
function formSchema(form: readonly Located[]): object {
  const fields = form.map(({ value }) => objectOf(value)).filter(({ name }) => toText(name) !== "");
  const properties = fields.map(({ in: _in, required: _required, name, ...schema }) => [toText(name), schema] as const);
  const required = fields.filter((field) => field["required"] === true).map(({ name }) => toText(name));
  return { type: "object", properties: Object.fromEntries(properties), required };
}
