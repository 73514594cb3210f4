import { Ajv2020 } from "ajv/dist/2020.js";

import { routes } from "../../api/app.ts";
import { describeRoutes } from "../../api/openapi.ts";

interface Response {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, { readonly examples?: Readonly<Record<string, object>> }>>;
}
interface Document {
  readonly paths: Readonly<Record<string, Record<string, { responses: Readonly<Record<string, Response>> }>>>;
  readonly components: { readonly responses: Readonly<Record<string, Response>> };
}

/** The OpenAPI document, with additional properties forbidden. */
const document = JSON.parse(JSON.stringify(describeRoutes(routes)), (_key, value: unknown) => {
  if (typeof value !== "object" || value === null) return value;
  const isObject = "type" in value && value.type === "object" && "properties" in value;
  return isObject ? { additionalProperties: false, ...value } : value;
}) as Document;

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
ajv.addSchema(document, "openapi");

const patterns = routes.flatMap(({ path, aliases = [] }) =>
  [path, ...aliases].map((one) => ({
    path: path.replace(/^\/api/, ""),
    pattern: new RegExp(`^${one.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`),
  })),
);

/** An answer: its status, Content-Type, and body (parsed if JSON). */
interface Answer {
  readonly status: number;
  readonly type?: string | null | undefined;
  readonly body: unknown;
}

/** How an answer differs from the OpenAPI document, as sentences. */
export function problemsOf(
  requestMethod: string,
  requestPath: string,
  { status, type: contentType, body }: Answer,
): readonly string[] {
  const method = requestMethod === "HEAD" ? "get" : requestMethod.toLowerCase();
  if (method === "options" && status === 204) return [];
  const plain = requestPath.replace(/(?<=.)\/$/, "");
  const path = patterns.find(({ pattern }) => pattern.test(plain))?.path ?? "";
  const operation = document.paths[path]?.[method];
  if (!operation) {
    const isRefusal = [403, 404, 405].includes(status);
    return isRefusal ? judge(["components", "schemas", "Error"], body) : [`${status} is not described`];
  }
  const response = operation.responses[status];
  if (!response) return [`${status} is not described`];
  const [, shared = ""] = /^#\/components\/responses\/(.+)$/.exec(response.$ref ?? "") ?? [];
  const { content } = shared === "" ? response : (document.components.responses[shared] ?? {});
  const type = (contentType ?? "").replace(/;.*/, "");
  if (content === undefined) return type === "" ? [] : [`${status} is described without a body`];
  const kind = content[type];
  if (!kind) return [`${status} is not described as ${type}`];
  if (type !== "application/json") return [];
  const code = status === 200 ? undefined : (body as { error?: unknown }).error;
  if (typeof code === "string" && kind.examples?.[code] === undefined) return [`${status} ${code} is not described`];
  const within =
    shared === "" ? ["paths", path, method, "responses", String(status)] : ["components", "responses", shared];
  return judge([...within, "content", type, "schema"], body);
}

function judge(place: readonly string[], body: unknown): readonly string[] {
  const pointer = place.map((part) => part.replaceAll("~", "~0").replaceAll("/", "~1")).join("/");
  // Through JSON, as sending drops undefined fields.
  if (ajv.validate(`openapi#/${pointer}`, JSON.parse(JSON.stringify(body)))) return [];
  return (ajv.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}
