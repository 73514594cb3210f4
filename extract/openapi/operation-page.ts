import { estimateTokens } from "../../domain/tokens.ts";
import type { Document } from "../blocks.ts";
import { toLanguage } from "../language.ts";
import { firstSentences, toSentences } from "../sentences.ts";
import { bodiesOf, type ShownBody } from "./bodies.ts";
import { toCurl } from "./curl.ts";
import type { Field } from "./fields.ts";
import { placeOf, purposeOf, subjectOf } from "./operation-names.ts";
import { fieldList, fieldNames, parameterList, createBlockList, type BlockList, type PartCode } from "./page-blocks.ts";
import { largeSchema, type Body, type OperationPart, type Response } from "./part.ts";
import { itemMarkdown, plain } from "./description-text.ts";
import { authenticationWords } from "./security.ts";

/** Maximum estimated tokens of a page that is one passage. */
const maxWhole = 560;
/** Maximum length of a description above the request, in characters. A longer one has a section of its own below. */
const maxAbove = 500;
/** Maximum length of all code together with the request, in characters. */
const maxTogether = 1600;
/** Maximum number of required names that are listed above the request. */
const maxRequired = 16;
/** Maximum length of code on a page before further examples are left out, in characters. */
const maxLength = 10_000;
/** Number of code samples that are kept whatever their length. */
const minSamples = 2;
/** Maximum length of a response's description, in characters. */
const maxResponse = 600;
/** Maximum length of a body's description on one line, in characters. */
const maxBodyLine = 500;
/** Maximum number of required names in the lead before code. */
const maxNamed = 8;

/**
 * The page of an operation: purpose, requirements and request first, then everything else. A page that is too large for one passage
 * is divided into sections, so that the first passage has the request.
 */
export function readOperationPage(operation: OperationPart): Document {
  const whole = write(operation, false);
  const document = tokensOf(whole) <= maxWhole ? whole : write(operation, true);
  const { summary, description } = operation;
  return {
    ...document,
    description: firstSentences(plain(summary || description), 300),
    subject: subjectOf(operation),
  };
}

/** Estimated tokens of a page's prose and code. */
function tokensOf({ blocks }: Document): number {
  return blocks.reduce((sum, block) => {
    if (block.type === "heading") return sum;
    return sum + estimateTokens(block.type === "code" ? block.code : block.markdown);
  }, 0);
}

function write(operation: OperationPart, inSections: boolean): Document {
  const { api, kind, description, summary, operationId, tags, deprecated, documentation, parameters, body } = operation;
  const page = createBlockList();
  const section = (name: string, markdown: string): void => {
    if (inSections && markdown !== "") page.heading(4, name);
    page.prose(inSections || markdown === "" ? markdown : `**${name}**\n\n${markdown}`);
  };
  const purpose = purposeOf(operation) || placeOf(operation);
  page.heading(2, placeOf(operation));
  page.heading(3, purpose);
  const about = [
    `\`${placeOf(operation)}\`${operationId === "" ? "" : `, operation \`${operationId}\``}.`,
    tags.length === 0 ? "" : `Tag: ${tags.join(", ")}.`,
    kind === "path" ? "" : "The API sends this request to your server.",
    deprecated ? "**Deprecated.**" : "",
  ];
  if (plain(summary).length > purpose.length + 1) page.prose(summary);
  const words = plain(description);
  const isInHeading = words.replace(/\.$/, "") === purpose;
  const isLong = inSections && words.length > maxAbove;
  if (isLong) page.prose(firstSentences(words, maxAbove));
  else if (!isInHeading) page.markdown(description, null);
  page.prose(about.filter((part) => part !== "").join(" "));
  const required = requiredBy(operation);
  page.prose(requirementLine(required));
  const authentication = authenticationWords(operation.security);
  if (authentication !== "" && kind === "path") page.prose(`**Authentication**: ${authentication}.`);
  const codes = codesOf(operation);
  page.lead(leadOf(operation, required, authentication));
  page.codes(codes.above);

  if (isLong) {
    page.heading(4, "Description");
    page.markdown(description, null);
  }
  section(
    "Parameters",
    parameterList(parameters.toSorted((one, other) => Number(other.required) - Number(one.required))),
  );
  if (body !== undefined) {
    if (inSections) page.heading(4, "Request body");
    addBody(page, body);
  }
  section("Responses", responseList(operation.responses));
  if (documentation !== "") page.prose(`**More**: ${documentation}`);
  if (codes.below.length > 0) {
    if (inSections) page.heading(4, `Bodies and samples of ${purpose}`);
    page.lead(`What ${placeOf(operation)} sends and receives.`);
    page.codes(codes.below);
  }
  return page.document(api, "");
}

/** A required parameter, or a required outermost field of the body. */
interface Required extends Pick<Field, "name" | "type"> {
  readonly place: string;
}

function requiredBy({ parameters, body }: OperationPart): readonly Required[] {
  const fields = body?.content.fields.filter(({ name }) => !/[.[]/.test(name)) ?? [];
  const all = [...parameters, ...fields.map((field) => ({ ...field, in: "body" }))];
  return all.filter(({ required }) => required).map(({ name, type, in: place }) => ({ name, type, place }));
}

/** Required names with their place and type, on one line; "" for none. */
function requirementLine(required: readonly Required[]): string {
  if (required.length === 0) return "";
  const shown = required
    .slice(0, maxRequired)
    .map(({ name, type, place }) => `\`${name.replaceAll("`", "'")}\` (${place}${type === "" ? "" : `, ${type}`})`);
  const more = required.length > maxRequired ? `, and ${required.length - maxRequired} more` : "";
  return `**Required**: ${shown.join(", ")}${more}.`;
}

/**
 * The request, examples of its body, the body of the first successful response, and code samples of the description. If all are
 * short they are together with the request, else `below`.
 */
function codesOf(operation: OperationPart): Readonly<Record<"above" | "below", readonly PartCode[]>> {
  const { from, body, responses, samples } = operation;
  const request: PartCode = { label: "curl", language: "bash", code: toCurl(operation), madeFrom: from };
  const codes: PartCode[] = [];
  let length = request.code.length;
  const add = (what: string, bodies: readonly ShownBody[]): void => {
    for (const [index, { name, text, ...shown }] of bodies.entries()) {
      length += text.length;
      if (index === 0 || length <= maxLength) codes.push({ label: labelOf(what, name), code: text, ...shown });
    }
  };
  // A sample made from the schema is already in the request.
  const examples = body && bodiesOf(body.content).filter(({ madeFrom }) => madeFrom !== body.content.from);
  add("request body", examples ?? []);
  const success = responses.find(({ status, content }) => status.startsWith("2") && content !== undefined);
  const received = success ?? responses.find(({ status, content }) => status === "default" && content !== undefined);
  if (received?.content !== undefined) add(`response ${received.status}`, bodiesOf(received.content));
  for (const [index, { language, label, source }] of samples.entries()) {
    length += source.length;
    if (index < minSamples || length <= maxLength)
      codes.push({ label: label || language, language: toLanguage(language), code: source });
  }
  const total = codes.reduce((sum, { code }) => sum + code.length, request.code.length);
  return total <= maxTogether ? { above: [request, ...codes], below: [] } : { above: [request], below: codes };
}

function labelOf(what: string, name: string): string {
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
  page.prose(fieldList(neededFirst(fields)));
}

/** Puts the fields first that every body has: required ones whose parents are required too. */
function neededFirst(fields: readonly Field[]): readonly Field[] {
  const needed = new Set<string>();
  for (const { name, required } of fields) {
    const above = name.replace(/(?:^|\.)[^.]*$/, "").replace(/(?:\[\])+$/, "");
    if (required && (above === "" || needed.has(above))) needed.add(name);
  }
  const isNeeded = ({ name }: Field): boolean => needed.has(name);
  return [...fields.filter(isNeeded), ...fields.filter((field) => !isNeeded(field))];
}

/** Responses as a list. Fields of a type are listed once, as many errors share theirs. */
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
  if (headers.length > 0) lines.push(`  Headers: ${headers.map((name) => `\`${name}\``).join(", ")}`);
  return lines.join("\n");
}

/** Sentences about the purpose and requirements of the code. */
function leadOf(operation: OperationPart, required: readonly Required[], authentication: string): string {
  const { summary, description, operationId, deprecated, kind } = operation;
  const first = toSentences(plain(description || summary))[0] ?? "";
  const purpose = first.length > 10 && first.length <= 200 ? first : purposeOf(operation);
  const named = required
    .slice(0, maxNamed)
    .map(({ name }) => `\`${name}\``)
    .join(", ");
  const more = required.length > maxNamed ? ` and ${required.length - maxNamed} more` : "";
  const what = [
    operationId === "" ? "" : `${deprecated ? "Deprecated operation" : "Operation"} \`${operationId}\``,
    named === "" ? "" : `requires ${named}${more}`,
    authentication === "" || kind !== "path" ? "" : `authenticates by ${authentication}`,
  ].filter((part) => part !== "");
  const details = what.join(", ");
  const sentence = details === "" ? "" : `${details.charAt(0).toUpperCase()}${details.slice(1)}.`;
  return [purpose === "" ? "" : `${purpose.replace(/[.:]$/, "")}.`, sentence].filter((part) => part !== "").join(" ");
}
