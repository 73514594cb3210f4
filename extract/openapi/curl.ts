import { bodiesOf, sampleValue } from "./bodies.ts";
import { isJsonType } from "./content.ts";
import type { Content, OperationPart, Parameter } from "./part.ts";
import type { SecurityChoice } from "./security.ts";
import { quoted, variableFor, type Word } from "./shell.ts";
import { inlineOf, pairsOf, prefixOf, textOf } from "./styles.ts";
import { encoded } from "./values.ts";
import { isObject, objectOf } from "../json.ts";

/**
 * A request as a curl command with everything required. Values that only the reader knows (credentials, ids, the server if the
 * API names none) are shell variables.
 */
export function toCurl(operation: OperationPart): string {
  const { method, parameters, body, security, responses } = operation;
  const authentication = authenticationArguments(security[0] ?? [], parameters);
  const isImplied = (name: string): boolean =>
    (/^content-type$/i.test(name) && body !== undefined) ||
    (/^authorization$/i.test(name) && authentication.lines.some((line) => isAuthorization(line)));
  const required = parameters.filter(
    ({ required: is, sample, in: place, name }) =>
      (is || sample !== undefined) && !(place === "header" && isImplied(name)),
  );
  const url = toUrl(operation, required, authentication.query);
  const lines: Word[][] = [[["curl"], ...methodArguments(method, body !== undefined), url]];
  lines.push(...authentication.lines);
  for (const parameter of required) {
    const { name, in: place } = parameter;
    const isSendable = !/[^\t -~]/.test(textOf(valueOf(parameter)));
    if (place === "header")
      lines.push([["-H"], [`${name}: `, ...(isSendable ? inline(parameter, String) : [variableFor(name)])]]);
    if (place === "cookie") lines.push(...pairs(parameter, name).map((pair): Word[] => [["-b"], pair]));
  }
  const accepted = responses.find(({ status }) => status.startsWith("2"))?.content?.mediaType ?? "application/json";
  const accepts = required.some(({ in: place, name }) => place === "header" && /^accept$/i.test(name));
  if (!accepts && !/^application\/json\b|\*/i.test(accepted)) lines.push([["-H"], [`Accept: ${accepted}`]]);
  if (body !== undefined) lines.push(...bodyArguments(body.content));
  return lines.map((line) => line.map(quoted).join(" ")).join(" \\\n  ");
}

/** True for arguments that send the header `Authorization`. */
function isAuthorization([option, value]: readonly Word[]): boolean {
  const [text] = value ?? [];
  return (
    option?.[0] === "-u" || option?.[0] === "--digest" || (typeof text === "string" && /^authorization:/i.test(text))
  );
}

function methodArguments(method: string, hasBody: boolean): Word[] {
  if (method === "HEAD") return [["--head"]];
  return method === "GET" && !hasBody ? [] : [["-X"], [method]];
}

function toUrl({ kind, server, path }: OperationPart, required: readonly Parameter[], query: readonly Word[]): Word {
  if (kind === "webhook") return [{ variable: "WEBHOOK_URL" }];
  if (kind === "callback") return [{ variable: "CALLBACK_URL" }];
  const pieces: Word[number][] = /^(?:\/|$)/.test(server)
    ? [{ variable: "BASE_URL" }, ...literal(server)]
    : literal(server);
  // A fragment, which tells operations on one path apart, is not sent.
  const [sent = ""] = path.split("#", 1);
  for (const [index, piece] of sent.split(/\{([^{}]*)\}/).entries()) {
    if (index % 2 === 0) pieces.push(...(piece === "" ? [] : [unglobbed(piece)]));
    else {
      const name = piece.replace(/^[+./;?&]|[*]$/g, "");
      const parameter = required.find((one) => one.in === "path" && one.name === name);
      pieces.push(...(parameter === undefined ? [variableFor(name)] : inline(parameter, encoderOf(parameter))));
    }
  }
  const parts = [
    ...required.filter(({ in: place }) => place === "query").flatMap((one) => pairs(one, encoded(one.name))),
    ...required.filter(({ in: place }) => place === "querystring").flatMap(queryString),
    ...query,
  ];
  for (const [index, word] of parts.entries()) pieces.push(index === 0 && !sent.includes("?") ? "?" : "&", ...word);
  return pieces;
}

/** A server's address, with shell variables for its variables without default. */
function literal(server: string): Word[number][] {
  const pieces = server.split(/(?:\{|%7B)([^{}%]*)(?:\}|%7D)/i);
  return pieces.map((piece, index) => (index % 2 === 1 ? variableFor(piece) : unglobbed(piece)));
}

/** Encodes blanks, and the brackets that are ranges to curl. */
function unglobbed(text: string): string {
  return text.replace(/[\s[\]{}]/g, encodeURIComponent);
}

function encoderOf({ allowReserved }: Parameter): (text: string) => string {
  if (allowReserved !== true) return encoded;
  return (text) => encodeURI(text.toWellFormed()).replace(/[#&+[\]]/g, encodeURIComponent);
}

/** The value to show of a parameter; undefined for one that only the reader knows. */
function valueOf({ example, sample }: Parameter): unknown {
  return example === undefined || example === null || example === "" ? sample : example;
}

/** The `name=value` of a query parameter or cookie, or several in a style that repeats it. */
function pairs(parameter: Parameter, name: string): Word[] {
  const value = valueOf(parameter);
  if (value === undefined) return [[`${name}=`, variableFor(parameter.name)]];
  const words = pairsOf(parameter.name, value, parameter, encoderOf(parameter));
  return words.map(([key, text]) => [`${key === parameter.name ? name : encoded(key)}=${text}`]);
}

/** The value of a parameter in a path or header. */
function inline(parameter: Parameter, write: (text: string) => string): Word {
  const { name, style } = parameter;
  const value = valueOf(parameter);
  if (value === undefined) return [prefixOf(name, style), variableFor(name)];
  return [inlineOf(name, value, parameter, write)];
}

/** The value of a parameter that is the whole query. */
function queryString(parameter: Parameter): Word[] {
  const value = valueOf(parameter);
  if (value === undefined) return [[variableFor(parameter.name)]];
  if (!isObject(value)) return [[unglobbed(textOf(value))]];
  return pairsOf("", value, { style: "form", explode: true }, encoded).map(([key, text]) => [
    `${encoded(key)}=${text}`,
  ]);
}

/** The content of a request: without examples that the API would refuse, if a sample can be made. */
function sendable(content: Content): Content {
  const { fitting, examples, schema } = content;
  if (fitting === undefined) return schema === undefined ? content : { ...content, examples: [] };
  return { ...content, examples: examples.slice(fitting, fitting + 1) };
}

/** A media type for each media range. */
const typicalTypes: Readonly<Record<string, string>> = {
  "image/*": "image/png",
  "text/*": "text/plain",
  "audio/*": "audio/mpeg",
  "video/*": "video/mp4",
};

/** A media type that is in a range, such as `image/*`. */
function concreteType(mediaType: string): string {
  return mediaType.includes("*") ? (typicalTypes[mediaType.toLowerCase()] ?? "application/json") : mediaType;
}

function bodyArguments(given: Content): Word[][] {
  const content = sendable(given);
  const { mediaType } = content;
  const type = concreteType(mediaType);
  if (/x-www-form-urlencoded/i.test(mediaType)) {
    const fields = fieldsOf(content).flatMap((field) => formPairs(field));
    return fields.length > 0 ? fields.map((field) => [["--data-urlencode"], [field]]) : [[["-d"], [""]]];
  }
  if (/^multipart\//i.test(mediaType)) return fieldsOf(content).flatMap((field) => formParts(field));
  const header: Word[] = [["-H"], [`Content-Type: ${type}`]];
  const [shownBody] = bodiesOf(content);
  if (shownBody !== undefined) return [header, [[isJsonType(type) ? "-d" : "--data-raw"], [shownBody.text]]];
  if (isJsonType(type)) return [header, [["-d"], ["{}"]]];
  return [header, [["--data-binary"], ["@file"]]];
}

/** A field of a form. */
interface FormField {
  readonly name: string;
  readonly value: unknown;
  /** Its schema for samples. */
  readonly schema: Readonly<Record<string, unknown>>;
  readonly encoding: Readonly<Record<string, unknown>>;
  /** The media type that the description gives it; "" without. */
  readonly type: string;
}

function fieldsOf(content: Content): FormField[] {
  const schemas = objectOf(content.schema?.["properties"]);
  return Object.entries(objectOf(sampleValue(content))).map(([name, value]) => {
    const encoding = objectOf(content.encoding?.[name]);
    const [type = ""] = textOf(encoding["contentType"] ?? "").split(",", 1);
    return { name, value, schema: objectOf(schemas[name]), encoding, type: type.includes("*") ? "" : type };
  });
}

/** The `name=value` of a field in a form that is written like a query; objects have names in brackets unless it says otherwise. */
function formPairs({ name, value, encoding, type }: FormField): readonly string[] {
  if (isJsonType(type)) return [`${encoded(name)}=${JSON.stringify(value)}`];
  const { style = isObject(value) ? "deepObject" : "form", explode = style === "form" } = encoding;
  const pairsOfField = pairsOf(name, value, { style: textOf(style), explode: explode === true }, String);
  return pairsOfField.map(([key, text]) => `${encoded(key)}=${text}`);
}

/** The part of a field in a multipart form, or one for each item of an array. */
function formParts({ name, value, schema, type }: FormField): Word[][] {
  const plainName = name.replace(/[=;"\r\n]/g, "_");
  const suffix = type === "" ? "" : `;type=${type}`;
  if (Array.isArray(value) && !isJsonType(type)) {
    const items = Array.isArray(schema["items"]) ? schema["items"] : [];
    return value.flatMap((item: unknown, index) =>
      formParts({ name, value: item, schema: objectOf(items[index]), encoding: {}, type }),
    );
  }
  if (schema["format"] === "binary") return [[["-F"], [`${plainName}=@file${suffix}`]]];
  const text = textOf(value);
  const isJson = typeof value === "object" && value !== null;
  if (!isJson && type === "") return [[["--form-string"], [`${plainName}=${text}`]]];
  // Semicolons would end the text, and quotes, at signs and angle brackets at its beginning have a meaning.
  const isPlain = /^[^\s"@<(;][^;]*$/.test(text) && !/\s$/.test(text);
  const shown = isPlain ? text : `"${text.replace(/[\\"]/g, "\\$&")}"`;
  return [[["-F"], [`${plainName}=${shown}${suffix || ";type=application/json"}`]]];
}

/**
 * Arguments of curl, and parameters of the query, that authenticate a request, with shell variables for the credentials. Parameters that
 * the operation declares are not repeated.
 */
function authenticationArguments(choice: SecurityChoice, parameters: readonly Parameter[]) {
  const lines: Word[][] = [];
  const query: Word[] = [];
  for (const { scheme } of choice) {
    const { type, detail, parameter } = scheme;
    const declared = parameters.some(
      ({ in: place, name, required }) => required && place === detail && name === parameter,
    );
    if (type === "apiKey" && !declared) {
      const key = variableFor(/key|token|secret|auth/i.test(parameter) ? parameter : `${parameter} key`);
      if (detail === "query") query.push([`${encoded(parameter)}=`, key]);
      else if (detail === "cookie") lines.push([["-b"], [`${parameter}=`, key]]);
      else lines.push([["-H"], [`${parameter}: `, key]]);
    } else if (type === "oauth2" || type === "openIdConnect") lines.push(bearer());
    else if (type === "mutualTLS") lines.push([["--cert"], ["client.pem"], ["--key"], ["client.key"]]);
    else if (type === "http") lines.push(httpScheme(detail));
  }
  return { lines, query };
}

function httpScheme(name: string): Word[] {
  const user: Word = [{ variable: "API_USER" }, ":", { variable: "API_PASSWORD" }];
  if (/^basic$/i.test(name)) return [["-u"], user];
  if (/^digest$/i.test(name)) return [["--digest"], ["-u"], user];
  return name === "" || /^bearer$/i.test(name)
    ? bearer()
    : [["-H"], [`Authorization: ${name} `, { variable: "CREDENTIALS" }]];
}

function bearer(): Word[] {
  return [["-H"], ["Authorization: Bearer ", { variable: "ACCESS_TOKEN" }]];
}
