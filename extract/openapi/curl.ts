import { bodiesOf, sampleValue } from "./bodies.ts";
import { isJsonType } from "./content.ts";
import type { Content, OperationPart, Parameter } from "./part.ts";
import { encoded } from "./values.ts";
import type { SecurityChoice } from "./security.ts";
import { isObject, objectOf } from "../json.ts";

/** Number of form fields that are shown if none is required. */
const fewFields = 4;
/** Maximum length of a value in a form, in characters. */
const maxFieldLength = 2000;

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
    ({ required: is, in: place, name }) => is && !(place === "header" && isImplied(name)),
  );
  const url = toUrl(operation, required, authentication.query);
  const lines: Word[][] = [[["curl"], ...methodArguments(method, body !== undefined), url]];
  lines.push(...authentication.lines);
  for (const parameter of required)
    if (parameter.in === "header") lines.push([["-H"], [`${parameter.name}: `, ...shown(parameter, String)]]);
  const cookies = required.filter((parameter) => parameter.in === "cookie");
  for (const parameter of cookies) lines.push([["-b"], [`${parameter.name}=`, ...shown(parameter, encoded)]]);
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
  for (const [index, piece] of path.split(/\{([^{}]*)\}/).entries()) {
    if (index % 2 === 0) pieces.push(...(piece === "" ? [] : [unglobbed(piece)]));
    else {
      const name = piece.replace(/^[+#./;?&]|[*]$/g, "");
      const parameter = required.find((one) => one.in === "path" && one.name === name);
      pieces.push(...(parameter === undefined ? [variableFor(name)] : shown(parameter, encoded)));
    }
  }
  const parts = [...required.filter(({ in: place }) => place === "query").flatMap(queryWords), ...query];
  for (const [index, word] of parts.entries()) pieces.push(index === 0 && !path.includes("?") ? "?" : "&", ...word);
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

/** The `name=value` of a query parameter, or several in a style that repeats it. */
function queryWords(parameter: Parameter): Word[] {
  const { name, example, style, explode } = parameter;
  const key = encoded(name);
  if (Array.isArray(example)) {
    const values = example.map((one) => encoded(textOf(one)));
    if (explode) return values.map((value) => [`${key}=${value}`]);
    const separator = style === "pipeDelimited" ? "%7C" : style === "spaceDelimited" ? "%20" : ",";
    return [[`${key}=${values.join(separator)}`]];
  }
  if (isObject(example)) {
    const entries = Object.entries(example).map(([field, value]) => [encoded(field), encoded(textOf(value))] as const);
    if (style === "deepObject") return entries.map(([field, value]) => [`${key}%5B${field}%5D=${value}`]);
    if (explode) return entries.map(([field, value]) => [`${field}=${value}`]);
    return [[`${key}=${entries.flat().join(",")}`]];
  }
  return [[`${key}=`, ...shown(parameter, encoded)]];
}

/** The value to show for a parameter, or a shell variable. */
function shown({ name, example }: Parameter, write: (value: string) => string): Word {
  if (example === undefined || example === null || example === "") return [variableFor(name)];
  const values = Array.isArray(example) ? example : isObject(example) ? Object.entries(example).flat() : [example];
  return [values.map((value) => write(textOf(value)).replace(/[\r\n]+/g, " ")).join(",")];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function bodyArguments(content: Content): Word[][] {
  const { mediaType } = content;
  const type = mediaType.includes("*") ? "application/json" : mediaType;
  if (/x-www-form-urlencoded/i.test(mediaType))
    return formFields(content).flatMap(([name, value]) => [
      [["--data-urlencode"], [`${encoded(name)}=${textOf(value)}`]],
    ]);
  if (/^multipart\//i.test(mediaType)) {
    const binary = objectOf(content.schema?.["properties"]);
    return formFields(content).map(([name, value]) => {
      if (isBinary(objectOf(binary[name]))) return [["-F"], [`${plainName(name)}=@file`]];
      return [["--form-string"], [`${plainName(name)}=${textOf(value)}`]];
    });
  }
  const header: Word[] = [["-H"], [`Content-Type: ${type}`]];
  const [shownBody] = bodiesOf(content);
  if (shownBody !== undefined) return [header, [[isJsonType(type) ? "-d" : "--data-raw"], [shownBody.text]]];
  if (isJsonType(type)) return [header, [["-d"], ["{}"]]];
  return [header, [["--data-binary"], ["@file"]]];
}

/** A form field's name without the characters that separate names from values. */
function plainName(name: string): string {
  return name.replace(/[=;"\r\n]/g, "_");
}

/** The required fields of a form, or a few others; fields of objects as `name[key]`. */
function formFields(content: Content): (readonly [string, unknown])[] {
  const value = sampleValue(content);
  if (!isObject(value)) return [];
  const required = new Set(content.fields.filter((field) => field.required).map(({ name }) => name));
  const all = Object.entries(value);
  const chosen = all.filter(([name]) => required.has(name) || content.examples.length > 0);
  const fields = chosen.length > 0 ? chosen : all.filter(([, one]) => !isObject(one)).slice(0, fewFields);
  return fields
    .flatMap(([name, one]) => {
      if (isObject(one)) return Object.entries(one).map(([key, inner]) => [`${name}[${key}]`, inner] as const);
      if (Array.isArray(one)) return one.map((inner: unknown) => [name, inner] as const);
      return [[name, one] as const];
    })
    .filter(([, one]) => textOf(one).length <= maxFieldLength);
}

function isBinary({ type, format, items }: Readonly<Record<string, unknown>>): boolean {
  if (type === "array") return isBinary(objectOf(items));
  return type === "string" && (format === "binary" || format === "byte");
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

/** A word of a command in pieces: literal text, and shell variables. */
type Word = readonly (string | Variable)[];

interface Variable {
  readonly variable: string;
}

/** A word in POSIX shell syntax, quoted only if necessary. NULs are dropped, as arguments cannot contain them. */
export function quoted(word: Word): string {
  const pieces = word
    .map((piece) => (typeof piece === "string" ? piece.replaceAll("\0", "") : piece))
    .filter((piece) => piece !== "");
  const text = pieces.map((piece) => (typeof piece === "string" ? piece : "")).join("");
  const hasVariables = pieces.some((piece) => typeof piece !== "string");
  if (!hasVariables) return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
  // In double quotes an interactive shell expands `!` from its history.
  if (text.includes("!"))
    return pieces.map((piece) => (typeof piece === "string" ? quoted([piece]) : `"$\{${piece.variable}}"`)).join("");
  const inside = pieces.map((piece, index) => {
    if (typeof piece === "string") return piece.replace(/["$`\\]/g, "\\$&");
    const next = pieces[index + 1];
    const braces = typeof next === "string" && /^\w/.test(next);
    return braces ? `$\{${piece.variable}}` : `$${piece.variable}`;
  });
  return `"${inside.join("")}"`;
}

/** Variables that a shell sets itself, whose values a request would send. */
const reserved =
  /^(?:PATH|CDPATH|HOME|USER|USERNAME|LOGNAME|MAIL|SHELL|PWD|OLDPWD|IFS|PS[124]|UID|EUID|PPID|LANG|LC_\w+|TERM|TZ|HOSTNAME|HOSTTYPE|OSTYPE|EDITOR|DISPLAY|RANDOM|SECONDS|LINENO|GROUPS|DIRSTACK|TMPDIR|ENV|OPTARG|OPTIND)$/;

/** The shell variable for a name, such as CUSTOMER_ID for `customerId`. */
export function variableFor(name: string): Variable {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, "$1_$2")
    .replace(/[^A-Za-z\d]+/g, "_")
    .replace(/^_|_$/g, "")
    .toUpperCase()
    .slice(0, 60);
  if (words === "") return { variable: "VALUE" };
  if (reserved.test(words)) return { variable: `${words}_VALUE` };
  return { variable: /^\d/.test(words) ? `_${words}` : words };
}
