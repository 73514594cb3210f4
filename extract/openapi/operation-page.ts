import type { Document } from "../blocks.ts";
import { toLanguage } from "../language.ts";
import { firstSentences, toSentences } from "../sentences.ts";
import { bodiesOf } from "./bodies.ts";
import type { ShownBody } from "./bodies.ts";
import { toCurl } from "./curl.ts";
import { placeOf, purposeOf } from "./headings.ts";
import { itemMarkdown, plain } from "./prose-text.ts";
import { authenticationWords, fieldList, fieldNames, parameterList } from "./lists.ts";
import type { Body, OperationPart, Response } from "./part.ts";
import { subjectOf } from "./subject.ts";
import { createBlockList } from "./prose.ts";
import type { BlockList, PartCode } from "./prose.ts";

/** A schema with a name and more fields is only named where it is received: it has a page of its own. */
const largeSchema = 10;
/** So many characters of code are on a page before further examples are left out. */
const maxLength = 10_000;
/** So many code samples are there anyway. */
const minSamples = 2;
/** Longest description of a response, in characters. */
const maxResponse = 600;
/** Longest description of a body that stands in one line, in characters. */
const maxBodyLine = 500;
/** Required names that the words before code mention. */
const maxNamed = 8;

/** The page of an operation: one section below its method and path, with its code together at the end. */
export function readOperationPage(operation: OperationPart): Document {
  const { api, kind, description, summary, operationId, tags, deprecated, documentation, parameters } = operation;
  const page = createBlockList();
  page.heading(2, placeOf(operation));
  page.heading(3, purposeOf(operation) || placeOf(operation));
  const about = [
    `\`${placeOf(operation)}\`${operationId === "" ? "" : `, operation \`${operationId}\``}.`,
    tags.length === 0 ? "" : `Tag: ${tags.join(", ")}.`,
    kind === "path" ? "" : "The API sends this request to your server.",
    deprecated ? "**Deprecated.**" : "",
  ];
  const purpose = purposeOf(operation);
  if (plain(summary).length > purpose.length + 1) page.prose(summary);
  // The heading says it.
  if (plain(description).replace(/\.$/, "") !== purpose) page.markdown(description, null);
  page.prose(about.filter((part) => part !== "").join(" "));
  page.prose(labelled("Parameters", parameterList(parameters)));
  if (operation.body !== undefined) addBody(page, operation.body);
  page.prose(labelled("Responses", responseList(operation.responses)));
  const authentication = authenticationWords(operation.security);
  if (authentication !== "" && kind === "path") page.prose(`**Authentication**: ${authentication}.`);
  if (documentation !== "") page.prose(`**More**: ${documentation}`);
  page.lead(leadOf(operation, authentication));
  page.codes(codesOf(operation));
  return { ...page.document(api, firstSentences(plain(summary || description), 300)), subject: subjectOf(operation) };
}

/** The request, examples of its body, the body of the first good response, and code samples of the description. */
function codesOf(operation: OperationPart): PartCode[] {
  const { from, body, responses, samples } = operation;
  const codes: PartCode[] = [{ label: "curl", language: "bash", code: toCurl(operation), madeFrom: from }];
  let length = codes[0]?.code.length ?? 0;
  const add = (what: string, bodies: readonly ShownBody[]): void => {
    for (const [index, { name, ...shown }] of bodies.entries()) {
      length += shown.text.length;
      if (index === 0 || length <= maxLength) codes.push(toCode(named(what, name), shown));
    }
  };
  // A body that is made is in the request already.
  if (body !== undefined)
    add(
      "request body",
      bodiesOf(body.content).filter(({ madeFrom }) => madeFrom !== body.content.from),
    );
  const good = responses.find(({ status, content }) => status.startsWith("2") && content !== undefined);
  const received = good ?? responses.find(({ status, content }) => status === "default" && content !== undefined);
  if (received?.content !== undefined) add(`response ${received.status}`, bodiesOf(received.content));
  for (const [index, { language, label, source }] of samples.entries()) {
    length += source.length;
    if (index < minSamples || length <= maxLength)
      codes.push({ label: label || language, language: toLanguage(language), code: source });
  }
  return codes;
}

function toCode(label: string, { text, language, madeFrom }: { text: string; language: string; madeFrom?: string }) {
  return { label, language, code: text, ...(madeFrom !== undefined && { madeFrom }) };
}

function named(what: string, name: string): string {
  return name === "" || name === "default" ? what : `${what} (${name})`;
}

function addBody(page: BlockList, { required, description, content }: Body): void {
  const { mediaType, others, type, fields } = content;
  const facts = [
    `\`${mediaType}\`${others.length > 0 ? ` or ${others.map((other) => `\`${other}\``).join(", ")}` : ""}`,
    type,
    required ? "required" : "optional",
  ];
  const head = `**Request body** (${facts.filter((fact) => fact !== "").join(", ")})`;
  const words = plain(description);
  const isShort = !/\n[ \t]*\n|^[ \t]*(?:[-*+]|\d{1,9}\.)[ \t]/m.test(description) && words.length <= maxBodyLine;
  page.prose(isShort && words !== "" ? `${head}: ${words}` : head);
  if (!isShort) page.markdown(description, null);
  page.prose(fieldList(fields));
}

/** Responses as a list; fields of a type, which many errors have in common, are listed once. */
function responseList(responses: readonly Response[]): string {
  const listed = new Set<string>();
  return responses
    .map((response) => {
      const { type = "", fields = [] } = response.content ?? {};
      const names = listed.has(type) ? "" : fieldNames(fields);
      if (type !== "" && type !== "object") listed.add(type);
      return responseItem(response, names);
    })
    .join("\n");
}

function responseItem({ status, description, headers, content }: Response, names: string): string {
  const words = itemMarkdown(description, maxResponse);
  const lines = [`- \`${status}\`${words === "" ? "" : `: ${words}`}`.replace(/: \n/, ":\n")];
  if (content !== undefined) {
    const { mediaType, type } = content;
    const isLarge = type !== "" && type !== "object" && names.split(",").length > largeSchema;
    const fields =
      names === "" ? "" : isLarge ? `: ${names} (see schema ${type.replace(/^array of /, "")})` : `: ${names}`;
    lines.push(`  Body \`${mediaType}\`${type === "" ? "" : `, ${type}`}${fields}`);
  }
  if (headers.length > 0) lines.push(`  Headers: ${headers.map(({ name }) => `\`${name}\``).join(", ")}`);
  return lines.join("\n");
}

/** What the code does and needs, in three sentences. */
function leadOf(operation: OperationPart, authentication: string): string {
  const { summary, description, operationId, parameters, body, deprecated, kind } = operation;
  const first = toSentences(plain(description || summary))[0] ?? "";
  const purpose = first.length > 10 && first.length <= 200 ? first : purposeOf(operation);
  const needed = [
    ...parameters.filter(({ required }) => required).map(({ name }) => name),
    ...(body?.content.fields ?? [])
      .filter(({ required, name }) => required && !/[.[]/.test(name))
      .map(({ name }) => name),
  ];
  const named = needed
    .slice(0, maxNamed)
    .map((name) => `\`${name}\``)
    .join(", ");
  const more = needed.length > maxNamed ? ` and ${needed.length - maxNamed} more` : "";
  const what = [
    operationId === "" ? "" : `${deprecated ? "Deprecated operation" : "Operation"} \`${operationId}\``,
    named === "" ? "" : `requires ${named}${more}`,
    authentication === "" || kind !== "path" ? "" : `authenticates by ${authentication}`,
  ].filter((part) => part !== "");
  const details = what.join(", ");
  const sentence = details === "" ? "" : `${details.charAt(0).toUpperCase()}${details.slice(1)}.`;
  return [purpose === "" ? "" : `${purpose.replace(/[.:]$/, "")}.`, sentence].filter((part) => part !== "").join(" ");
}

function labelled(label: string, list: string): string {
  return list === "" ? "" : `**${label}**\n\n${list}`;
}
