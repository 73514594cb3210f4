import { readFileSync } from "node:fs";

import { expect, it } from "vitest";

import { routes } from "../../api/app.ts";
import { failures, isFailureCode } from "../../domain/failures.ts";
import { codeSnippet, infoSnippet, setup } from "./setup.ts";

const read = (name: string): string => readFileSync(new URL(`../../docs/${name}`, import.meta.url), "utf8");

interface Operation {
  readonly operationId: string;
  readonly "x-scope": string;
  readonly security: readonly object[];
  readonly parameters?: readonly { name: string; in: string; required: boolean; schema: object }[];
  readonly requestBody?: { required: boolean; content: Record<string, { schema: { $ref: string } }> };
  readonly responses: Record<string, { $ref?: string; content?: Record<string, { schema: Schema }> }>;
}
/** The part of JSON Schema that the document uses to describe answers. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
}
interface Document {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: {
    readonly examples: Record<string, { value: { error: string } }>;
    readonly responses: Record<
      string,
      { content: Record<string, { schema: Schema; examples: Record<string, { $ref: string }> }> }
    >;
    readonly schemas: Record<string, { properties?: Record<string, object>; required?: readonly string[] }>;
  };
}

const document = JSON.parse(read("openapi.json")) as Document;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
);

it("docs/openapi.json describes exactly the operations that there are, with their scopes", () => {
  const described = operations.map(({ path, method, operation }) => `${method} /api${path} ${operation["x-scope"]}`);
  expect(described.toSorted()).toEqual(
    routes.map(({ method, path, scope }) => `${method} ${path} ${scope}`).toSorted(),
  );
});

it("docs/openapi.json says who needs a key, and where there is a body", () => {
  for (const { path, method, operation } of operations) {
    const route = routes.find((one) => one.method === method && one.path === `/api${path}`);
    const keys = { open: [], anonymous: [{}, { bearerAuth: [] }] }[operation["x-scope"]] ?? [{ bearerAuth: [] }];
    expect(operation.security).toEqual(keys);
    expect([path, operation.requestBody?.required]).toEqual([path, route?.body && route.body === "needed"]);
  }
});

it("docs/openapi.json names every failure code, and only those, with their statuses", () => {
  expect(Object.keys(document.components.examples)).toEqual(Object.keys(failures));
  for (const [code, { value }] of Object.entries(document.components.examples)) expect(value.error).toBe(code);
  for (const [name, { content }] of Object.entries(document.components.responses)) {
    for (const code of Object.keys(content["application/json"]?.examples ?? {})) {
      expect([name, isFailureCode(code) && failures[code].status]).toEqual([name, Number(name.slice(0, 3))]);
    }
  }
  for (const { operation } of operations) {
    for (const [status, { $ref }] of Object.entries(operation.responses)) {
      expect(($ref?.split("/").at(-1) ?? status).slice(0, 3)).toBe(status);
    }
  }
});

it("docs/openapi.json has no dangling reference", () => {
  const found = read("openapi.json").matchAll(/"\$ref": "#\/components\/(\w+)\/([^"]+)"/g);
  const components = document.components as unknown as Record<string, Record<string, unknown>>;
  const dangling = [...found].filter(([, kind = "", name = ""]) => components[kind]?.[name] === undefined);
  expect(dangling).toEqual([]);
});

it("docs/openapi.json says right which parameters and fields are required", async () => {
  const { send } = await setup({ rateLimitSubmissions: 1000 });
  for (const { path, method, operation } of operations) {
    if (operation["x-scope"] === "open") continue;
    const inQuery = operation.parameters?.filter((parameter) => parameter.in === "query" && parameter.required) ?? [];
    const schema = operation.requestBody?.content["application/json"]?.schema.$ref.split("/").at(-1) ?? "";
    const inBody = document.components.schemas[schema]?.required ?? [];
    const names = [...inQuery.map(({ name }) => name), ...inBody];
    const answer = await send(method, path, operation.requestBody && { body: {} });
    const message = names.map((name) => `${name} is missing.`).join(" ");
    const expected = names.length === 0 ? {} : { error: "validation_error", message };
    expect([path, answer.status]).toEqual([path, names.length === 0 ? 200 : 400]);
    expect([path, answer.body]).toMatchObject([path, expected]);
  }
});

it("docs/openapi.json describes every field of answers, and no answer lacks one that it promises", async () => {
  const { send, submit, finish, own } = await setup();
  const run = await submit("/acme/widgets");
  const calls: [method: string, path: string, body?: object][] = [
    ["GET", "/v2/context?libraryId=/acme/widgets&query=widget&type=json"],
    ["GET", "/v2/libs/status?libraryId=/acme/widgets"],
  ];
  const problems: string[] = [];
  const check = async (method: string, path: string, body?: object): Promise<object> => {
    const answer = await send(method, path, body && { body });
    const operation = document.paths[path.replace(/\?.*/, "")]?.[method.toLowerCase()];
    const { $ref, content } = operation?.responses[answer.status] ?? {};
    const described =
      $ref === undefined ? content : (resolve({ $ref }) as (typeof document.components.responses)[string]).content;
    const schema = described?.["application/json"]?.schema;
    if (schema === undefined) problems.push(`${method} ${path} ${answer.status} is not described`);
    else
      problems.push(...differences(schema, answer.body).map((field) => `${method} ${path} ${answer.status}: ${field}`));
    return answer.body as object;
  };
  for (const call of calls) await check(...call);
  await finish(run, [codeSnippet, infoSnippet]);
  own(run, { rules: ["Be kind."] });
  await check("PATCH", "/v2/libs", { libraryName: "/acme/widgets", rules: ["Be short."], trustScore: 7, schedule: 3 });
  for (const call of calls) await check(...call);
  await check("GET", "/v2/libs/status/pages?libraryId=/acme/widgets");
  await check("GET", "/v2/libs");
  await check("GET", "/v2/libs/search?libraryName=w&query=w");
  await check("POST", "/v2/add/repo/git", { docsRepoUrl: "https://git.example.com/acme/other" });
  await check("POST", "/v2/add/repo/git", { docsRepoUrl: "https://git.example.com/acme/other" });
  await check("POST", "/v1/refresh", { libraryName: "/acme/widgets" });
  await check("POST", "/v2/libs/cancel", { libraryName: "/acme/widgets" });
  await check("POST", "/v2/libs/rollback", { libraryName: "/acme/widgets" });
  const { id } = (await check("POST", "/v2/keys", { name: "ci", scopes: ["read"] })) as { id: string };
  await check("GET", "/v2/keys");
  await check("DELETE", `/v2/keys?id=${id}`);
  await check("GET", "/health");
  await check("GET", "/ready");
  await check("DELETE", "/v2/libs?libraryId=/acme/widgets");
  await check("GET", "/v2/context?libraryId=/acme/widgets&query=widget");
  expect(problems).toEqual([]);
});

/** What a reference, or a schema of several, stands for. */
function resolve(schema: Schema): Schema {
  if (schema.allOf) {
    const parts = schema.allOf.map(resolve);
    const properties = Object.assign({}, ...parts.map((part) => part.properties)) as NonNullable<Schema["properties"]>;
    return { properties, required: parts.flatMap(({ required = [] }) => required) };
  }
  if (schema.$ref === undefined) return schema;
  const [, kind = "", name = ""] = /^#\/components\/(\w+)\/(.+)$/.exec(schema.$ref) ?? [];
  return resolve((document.components as unknown as Record<string, Record<string, Schema>>)[kind]?.[name] ?? {});
}

/** Fields that a value has and its schema does not describe, those that it lacks, and those of another type. */
function differences(schema: Schema, value: unknown, path = ""): string[] {
  const { type, anyOf, items, properties, required = [], additionalProperties } = resolve(schema);
  const fitting = anyOf?.find((one) => fits(resolve(one).type, value));
  if (fitting) return differences(fitting, value, path);
  if (!fits(type, value)) return [`${path} is no ${JSON.stringify(type ?? anyOf)}: ${JSON.stringify(value)}`];
  if (Array.isArray(value)) return value.flatMap((one, at) => differences(items ?? {}, one, `${path}[${at}]`));
  if (typeof value !== "object" || value === null || properties === undefined || additionalProperties === true)
    return [];
  const missing = required.filter((name) => !(name in value)).map((name) => `${path}/${name} is missing`);
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  const wrong = fields.flatMap(([name, field]) =>
    properties[name] ? differences(properties[name], field, `${path}/${name}`) : [`${path}/${name} is not described`],
  );
  return [...missing, ...wrong];
}

function fits(type: Schema["type"], value: unknown): boolean {
  if (type === undefined) return true;
  const own = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  return [type].flat().some((one) => one === own || (one === "integer" && Number.isInteger(value)));
}

it("docs/errors.md lists every failure code, and only those, with status, retry and reason", () => {
  const rows = [...read("errors.md").matchAll(/^\| `(\w+)` \| (\d+) \| (yes|no) \| (.*) \|$/gm)].map(
    ([, code, status, retry, when]) => [code, Number(status), retry === "yes", when],
  );
  expect(rows).toEqual(
    Object.entries(failures).map(([code, { status, retryable, when }]) => [code, status, retryable, when]),
  );
});
