import { readFileSync } from "node:fs";

import { expect, it } from "vitest";

import { routes } from "../../api/app.ts";
import { failures, isFailureCode } from "../../domain/failures.ts";
import { setup } from "./setup.ts";

const read = (name: string): string => readFileSync(new URL(`../../docs/${name}`, import.meta.url), "utf8");

interface Operation {
  readonly operationId: string;
  readonly "x-scope": string;
  readonly security: readonly object[];
  readonly parameters?: readonly { name: string; in: string; required: boolean; schema: object }[];
  readonly requestBody?: { required: boolean; content: Record<string, { schema: { $ref: string } }> };
  readonly responses: Record<string, { $ref?: string }>;
}
interface Document {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: {
    readonly examples: Record<string, { value: { error: string } }>;
    readonly responses: Record<string, { content: Record<string, { examples: Record<string, { $ref: string }> }> }>;
    readonly schemas: Record<
      string,
      {
        properties?: Record<string, object>;
        required?: readonly string[];
        oneOf?: readonly object[];
        anyOf?: readonly object[];
      }
    >;
  };
}

const document = JSON.parse(read("openapi.json")) as Document;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
);

it("docs/openapi.json has the security and the body of every operation", () => {
  for (const { path, method, operation } of operations) {
    const route = routes.find((one) => one.method === method && one.path === `/api${path}`);
    const keys = { open: [], anonymous: [{}, { bearerAuth: [] }] }[operation["x-scope"]] ?? [{ bearerAuth: [] }];
    expect(operation.security).toEqual(keys);
    expect([path, operation.requestBody?.required]).toEqual([path, route?.body && route.body.missing !== null]);
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
  const references = read("openapi.json").matchAll(/"\$ref": "#\/components\/(\w+)\/([^"]+)"/g);
  const components = document.components as unknown as Record<string, Record<string, unknown>>;
  const dangling = [...references].filter(([, kind = "", name = ""]) => components[kind]?.[name] === undefined);
  expect(dangling).toEqual([]);
});

it("docs/openapi.json has the right required parameters and fields", async () => {
  const { send } = await setup(
    { rateLimitSubmissions: 1000 },
    {
      scrape: async () => "lectern_libraries 1\n",
      watched: {
        address: "https://git.example.com/acme/platform",
        prune: false,
        isAt: () => false,
        read: async () => ({ text: "libraries: []", revision: "1".repeat(40) }),
      },
    },
  );
  for (const { path, method, operation } of operations) {
    // Path parameters cannot be omitted.
    if (operation["x-scope"] === "open" || path.includes("{")) continue;
    // Missing files of forms have their own message: test/api/bodies.test.ts.
    if (operation.requestBody && !operation.requestBody.content["application/json"]) continue;
    const inQuery = operation.parameters?.filter((parameter) => parameter.in === "query" && parameter.required) ?? [];
    const schema = operation.requestBody?.content["application/json"]?.schema.$ref.split("/").at(-1) ?? "";
    const { required, oneOf, anyOf } = document.components.schemas[schema] ?? {};
    // Previews take any submission: test/long/preview.test.ts.
    if (anyOf) continue;
    // With several bodies, only the discriminator is checked first.
    const inBody = required ?? (oneOf ? ["kind"] : []);
    const names = [...inQuery.map(({ name }) => name), ...inBody];
    const answer = await send(method, path, operation.requestBody && { body: {} });
    const message = names.map((name) => `${name} is missing.`).join(" ");
    const expected = names.length === 0 ? {} : { error: "validation_error", message };
    // An empty PATCH is an error.
    if (method === "PATCH" && names.length === 0) {
      expect([path, answer.body]).toMatchObject([path, { error: "validation_error" }]);
      continue;
    }
    expect([path, answer.status]).toEqual([path, names.length === 0 ? 200 : 400]);
    expect([path, answer.body]).toMatchObject([path, expected]);
  }
});
