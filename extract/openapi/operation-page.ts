import { estimateTokens } from "../../domain/tokens.ts";
import type { Document } from "../blocks.ts";
import { toLanguage } from "../language.ts";
import { firstSentences, joinList, toSentences } from "../sentences.ts";
import { bodiesOf } from "./bodies.ts";
import { toCurl } from "./curl.ts";
import { inlineCode, itemMarkdown, plain } from "./description-text.ts";
import { isOutermost, type Field } from "./fields.ts";
import { placeOf, purposeOf, subjectOf } from "./operation-names.ts";
import {
  addServers,
  createBlockList,
  factsOf,
  fieldList,
  fitsTable,
  longFacts,
  parameterList,
  parameterTable,
  type BlockList,
  type PartCode,
} from "./page-blocks.ts";
import type { Body, Content, OperationPart, Parameter, Response } from "./part.ts";
import { authenticationWords, keyWords } from "./security.ts";
import { joined } from "./values.ts";

/** Maximum estimated tokens of a page that is one passage. */
const maxWhole = 560;
/** Maximum length of a description above the request, in characters. A longer one has a section of its own below. */
const maxAbove = 500;
/** Maximum length of code that stays together, in characters. */
const maxTogether = 1600;
/** Maximum number of required names that are listed above the request. */
const maxRequired = 16;
/** Maximum number of optional names that are listed above the request. */
const maxOptional = 24;
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
  /** Begins a section, or on a short page a paragraph. `head` follows the name. */
  const section = (name: string, head = ""): void => {
    if (inSections) page.heading(4, name);
    if (inSections) page.prose(head);
    else page.prose(`**${name}**${head === "" ? "" : `: ${head}`}`);
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
  page.prose(joined(about, " "));
  const required = requiredBy(operation);
  page.prose(requirementLine(required));
  if (inSections) page.prose(optionalLine(operation));
  const authentication = authenticationWords(operation.security);
  if (authentication !== "" && kind === "path")
    page.prose(`**Authentication**: ${authentication}.${keyWords(operation.security)}`);
  const { above, below } = codesOf(operation);
  page.lead(leadOf(operation, required, authentication));
  page.codes(above);

  if (isLong) {
    page.heading(4, "Description");
    page.markdown(description, null);
  }
  addParameters(page, parameters, section);
  if (body !== undefined) addBody(page, body, section);
  addResponses(page, operation.responses, section);
  if (operation.servers.length > 0) {
    section("Servers", "not those of other operations.");
    addServers(page, operation.servers);
  }
  if (operation.callbacks.length > 0) {
    section("Callbacks", "The API sends these requests because of this one.");
    page.prose(operation.callbacks.map((callback) => `- ${callback}`).join("\n"));
  }
  page.prose(operation.leftOut.join(" "));
  if (documentation !== "") page.prose(`**More**: ${documentation}`);
  for (const codes of together(below)) {
    if (inSections)
      page.heading(
        4,
        `Examples of ${purpose}: ${joinList(
          codes.map(({ label }) => label),
          3,
        )}`,
      );
    page.lead(`What ${placeOf(operation)} sends and receives.`);
    page.codes(codes);
  }
  return page.document(api, "");
}

type Section = (name: string, head?: string) => void;

function addParameters(page: BlockList, parameters: readonly Parameter[], section: Section): void {
  if (parameters.length === 0) return;
  section("Parameters");
  const [required, optional] = [true, false].map((is) => parameters.filter((one) => one.required === is));
  page.prose(parameterList(required ?? []));
  page.prose(parameterTable(optional?.filter((one) => fitsTable(one)) ?? []));
  page.prose(parameterList(optional?.filter((one) => !fitsTable(one)) ?? []));
}

function addBody(page: BlockList, { required, description, content }: Body, section: Section): void {
  section("Request body", `${contentHead(content, [required ? "required" : "optional"])}.`);
  page.markdown(description, null);
  addContent(page, content);
}

/** A body's media types and type on one line. */
function contentHead({ mediaType, others, about }: Content, facts: readonly string[] = []): string {
  const types = [mediaType, ...others].map(inlineCode).join(" or ");
  return [types, ...factsOf({ ...about, required: false }, []), ...facts].join(", ");
}

/** What a body is, its fields, and the same in other media types. */
function addContent(page: BlockList, content: Content): void {
  const { about, fields, more, notes, variants, examples } = content;
  page.markdown(about.meaning ?? "", null);
  for (const piece of longFacts(about)) page.prose(piece);
  page.prose(fieldList(fields));
  if (more.length > 0)
    page.prose(`More fields, see schema ${about.see ?? about.type}: ${more.map(inlineCode).join(", ")}.`);
  page.prose(notes.map((note) => `- ${note}`).join("\n"));
  const aboutExamples = examples.filter(({ summary }) => summary !== "");
  page.prose(
    aboutExamples
      .map(({ name, summary }) => `- Example${name === "" ? "" : ` ${inlineCode(name)}`}: ${itemMarkdown(summary)}`)
      .join("\n"),
  );
  for (const variant of variants) {
    page.prose(`Or ${contentHead(variant)}:`);
    addContent(page, variant);
  }
}

/** Each successful response, then the errors. Fields of a type are listed once, as many errors share theirs. */
function addResponses(page: BlockList, responses: readonly Response[], section: Section): void {
  const hasSuccess = responses.some(({ status }) => status.startsWith("2"));
  const isError = ({ status }: Response): boolean => /^[45]/.test(status) || (status === "default" && hasSuccess);
  for (const response of responses.filter((one) => !isError(one))) {
    const { status, description, content } = response;
    section(`Response ${status}`);
    page.markdown(description, null);
    if (content !== undefined) {
      page.prose(`Body: ${contentHead(content)}.`);
      addContent(page, content);
    }
    addFacts(page, response);
  }
  const errors = responses.filter(isError);
  if (errors.length === 0) return;
  section("Errors");
  const listed = new Set<string>();
  for (const response of errors) {
    const { status, description, content } = response;
    const words = itemMarkdown(description);
    const head = `- \`${status}\`${words === "" ? "" : `: ${words}`}`.replace(/: \n/, ":\n");
    page.prose(`${head}${content === undefined ? "" : `\n  Body: ${contentHead(content)}.`}`);
    const text = JSON.stringify([content?.about, content?.fields]);
    if (content !== undefined && !listed.has(text)) addContent(page, content);
    listed.add(text);
    addFacts(page, response);
  }
}

/** The headers and links of a response. */
function addFacts(page: BlockList, { headers, links }: Response): void {
  if (headers.length > 0) page.prose("Headers:");
  page.prose(fieldList(headers));
  if (links.length > 0) page.prose("Links to other operations:");
  page.prose(links.map((link) => `- ${link}`).join("\n"));
}

/** A required parameter, or a required outermost field of the body. */
interface Required extends Pick<Field, "name" | "type"> {
  readonly place: string;
}

function requiredBy(operation: OperationPart): readonly Required[] {
  return inputsOf(operation)
    .filter(({ required }) => required)
    .map(({ name, type, in: place }) => ({ name, type, place }));
}

/** The parameters, and the outermost fields of the body. */
function inputsOf({ parameters, body }: OperationPart): readonly (Field & { readonly in: string })[] {
  const fields = body?.content.fields.filter((field) => isOutermost(field) && field.when === undefined) ?? [];
  return [...parameters, ...fields.map((field) => ({ ...field, in: "body" }))];
}

/** Optional parameters and body fields by location, on one line; "" for none. Most are not in the request. */
function optionalLine(operation: OperationPart): string {
  const optional = inputsOf(operation).filter(({ required, deprecated }) => !required && deprecated !== true);
  const places = Map.groupBy(optional.slice(0, maxOptional), ({ in: place }) => place);
  const more = optional.length > maxOptional ? `, and ${optional.length - maxOptional} more` : "";
  const shown = [...places].map(([place, of]) => `${of.map(({ name }) => inlineCode(name)).join(", ")} (${place})`);
  return shown.length === 0 ? "" : `**Optional**: ${shown.join("; ")}${more}.`;
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

/** The request; and examples of its body, the successful response, and code samples, above with the request if all are short. */
function codesOf(operation: OperationPart): Readonly<Record<"above" | "below", readonly PartCode[]>> {
  const { from, body, responses, samples } = operation;
  const request: PartCode = { label: "curl", language: "bash", code: toCurl(operation), madeFrom: from };
  const success =
    responses.find(({ status, content }) => status.startsWith("2") && content !== undefined) ??
    responses.find(({ status, content }) => status === "default" && content !== undefined);
  const codes = [
    ...bodyCodes("request body", body?.content).filter(({ madeFrom }) => madeFrom !== body?.content.from),
    ...(success === undefined ? [] : bodyCodes(`response ${success.status}`, success.content)),
    ...samples.map(({ language, label, source }): PartCode => ({
      label: label || language,
      language: toLanguage(language),
      code: source,
    })),
  ];
  const total = codes.reduce((sum, { code }) => sum + code.length, request.code.length);
  return total <= maxTogether ? { above: [request, ...codes], below: [] } : { above: [request], below: codes };
}

/** The examples of a body in all media types, or a sample. A sample of a request is already in the request itself. */
function bodyCodes(what: string, content: Content | undefined): PartCode[] {
  if (content === undefined) return [];
  const variants = content.variants.filter(({ examples }) => examples.length > 0);
  return [content, ...variants].flatMap((one) =>
    bodiesOf(one).map(({ name, text, ...shown }) => ({ label: labelOf(what, name), code: text, ...shown })),
  );
}

/** Code in groups that are short enough to be served together; longer code is alone. */
function together(codes: readonly PartCode[]): PartCode[][] {
  const groups: PartCode[][] = [];
  let length = 0;
  for (const code of codes) {
    length += code.code.length;
    const last = groups.at(-1);
    if (last !== undefined && length <= maxTogether) last.push(code);
    else {
      groups.push([code]);
      length = code.code.length;
    }
  }
  return groups;
}

function labelOf(what: string, name: string): string {
  return name === "" || name === "default" ? what : `${what} (${name})`;
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
  ];
  const details = joined(what, ", ");
  const sentence = details === "" ? "" : `${details.charAt(0).toUpperCase()}${details.slice(1)}.`;
  return joined([purpose === "" ? "" : `${purpose.replace(/[.:]$/, "")}.`, sentence], " ");
}
