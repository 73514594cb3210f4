import * as z from "zod";
import { failures, type FailureCode } from "../domain/failures.ts";
import { failuresOf, tags, type AnswerKind, type Route } from "./route.ts";
import { errorSchema } from "./schemas/answers.ts";

type Json = Record<string, unknown>;

const info = {
  title: "Lectern",
  version: "1.0.0",
  description:
    "Documentation retrieval that a team runs for itself. Every error has the body `{error, message}`, also for unknown paths (404 `route_not_found`), wrong methods (405 `method_not_allowed`) and anything unexpected (500 `internal_error`). Unknown parameters, body fields and headers are ignored. HEAD works where GET does. Every answer has `X-Request-Id`, and every one that counts against a limit the three `RateLimit` headers.",
  license: { name: "MIT", identifier: "MIT" },
};

const headers = {
  "X-Request-Id": header("ID of the request in the server's log.", { type: "string", format: "uuid" }),
  "RateLimit-Limit": header("Requests per minute.", { type: "integer" }),
  "RateLimit-Remaining": header("Requests remaining in this minute.", { type: "integer" }),
  "RateLimit-Reset": header("When the minute ends, in Unix seconds.", { type: "integer" }),
  "Retry-After": header("Seconds to wait before a retry.", { type: "integer", minimum: 1 }),
  Location: header("The same question to the new library. Absent if the server is configured so.", {
    type: "string",
    format: "uri-reference",
  }),
  "WWW-Authenticate": header("Always `Bearer`.", { type: "string" }),
  ETag: header("Entity tag of the answer.", { type: "string" }),
  "Cache-Control": header("Who may cache the answer, and for how long.", { type: "string" }),
  Vary: header("Request headers that the answer depends on.", { type: "string" }),
  "X-Lectern-Library": header("Library and version of the answer, percent-encoded.", {
    type: "string",
  }),
};
type HeaderName = keyof typeof headers;

const rateLimit = ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"] as const;

/** The response of all failures with a status. */
const failed: Readonly<Record<number, { readonly description: string; readonly headers?: readonly HeaderName[] }>> = {
  301: { description: "The library moved. Use the ID in `redirectUrl`.", headers: ["Location"] },
  400: { description: "A parameter is missing or wrong." },
  401: { description: "The API key is missing or invalid.", headers: ["WWW-Authenticate"] },
  402: { description: "Never used: nothing has to be paid." },
  403: { description: "The key or the policy does not allow this." },
  404: { description: "Not found." },
  409: { description: "It exists already, or something conflicts with it." },
  412: { description: "It was changed in the meantime." },
  413: { description: "The body is too large." },
  415: { description: "The route does not accept this type of body." },
  422: { description: "The source cannot be used." },
  429: { description: "Too many requests.", headers: [...rateLimit, "Retry-After"] },
  500: { description: "Unexpected error." },
  503: { description: "Unreachable. Retry later.", headers: ["Retry-After"] },
  504: { description: "The source did not answer, or took too long." },
};

/** The OpenAPI 3.1 description of routes, generated from their schemas. */
export function describeRoutes(routes: readonly Route[]): object {
  const schemas: Record<string, Json> = {};
  const responses: Record<string, Json> = {};
  const toSchema = (schema: z.ZodType): Json => jsonSchema(schema, schemas);
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const operations = (paths[route.path.replace(/^\/api/, "")] ??= {});
    operations[route.method.toLowerCase()] = describeRoute(route, toSchema, responses);
  }
  toSchema(errorSchema);
  return {
    openapi: "3.1.0",
    info,
    servers: [{ url: "/api" }],
    tags: tags.map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        bearerAuth: {
          type: "http",
          scheme: "bearer",
          description: "An API key with the scope that the operation names in `x-scope`.",
        },
      },
      headers,
      examples: Object.fromEntries(
        (Object.keys(failures) as FailureCode[]).map((code) => [code, exampleOf(code)] as const),
      ),
      responses: sorted(responses),
      schemas: sorted(schemas),
    },
  };
}

function describeRoute(route: Route, toSchema: (schema: z.ZodType) => Json, responses: Record<string, Json>): Json {
  const { operationId, tag, summary, description } = route.about;
  const keys = route.scope === "open" ? [] : [...(route.scope === "anonymous" ? [{}] : []), { bearerAuth: [] }];
  const parameters = parametersOf(route, toSchema);
  const always: readonly HeaderName[] = ["X-Request-Id", ...(route.limit === null ? [] : rateLimit)];
  const codes = Map.groupBy<number, FailureCode>(failuresOf(route), (code) => failures[code].status);
  const answers = Object.entries(route.answers).map(([status, answer]) => {
    const { description: meaning, headers: further = [], content } = answer;
    const examples = codes.get(Number(status)) ?? [];
    codes.delete(Number(status));
    const described = {
      description: meaning,
      headers: refs("headers", [...always, ...further]),
      ...(content && { content: describeContent(content, toSchema, examples) }),
    };
    return [status, described] as const;
  });
  const refusals = [...codes].map(([status, of]) => [String(status), failureRef(status, of, responses)] as const);
  return {
    operationId,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    security: keys,
    "x-scope": route.scope,
    ...(parameters.length > 0 && { parameters }),
    ...(route.body && {
      requestBody: { required: route.body.missing !== null, content: describeContent(route.body.content, toSchema) },
    }),
    responses: sorted(Object.fromEntries([...answers, ...refusals])),
  };
}

function parametersOf({ path, about, parameters }: Route, toSchema: (schema: z.ZodType) => Json): readonly Json[] {
  const inPath = new Set([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
  const named = Object.entries(parameters?.shape ?? {}).map(([name, one]) => {
    const { description, ...schema } = toSchema(one);
    const place = inPath.has(name) ? "path" : "query";
    return { name, in: place, required: isRequired(one), ...(description !== undefined && { description }), schema };
  });
  const inHeaders = Object.entries(about.headers ?? {}).map(([name, description]) => ({
    name,
    in: "header",
    required: false,
    description,
    schema: { type: "string" },
  }));
  return [...named, ...inHeaders];
}

function describeContent(
  content: NonNullable<AnswerKind["content"]>,
  toSchema: (schema: z.ZodType) => Json,
  codes: readonly FailureCode[] = [],
): Json {
  const examples = codes.length > 0 && { examples: refs("examples", codes) };
  return Object.fromEntries(
    Object.entries(content).map(([type, schema]) => [
      type,
      { schema: toSchema(schema), ...(type === "application/json" && examples) },
    ]),
  );
}

/** A reference to the response that some failures share, created on first use. */
function failureRef(status: number, codes: readonly FailureCode[], responses: Record<string, Json>): Json {
  const order = Object.keys(failures);
  const unique = [...new Set(codes)].toSorted((one, other) => order.indexOf(one) - order.indexOf(other));
  const name = `${status}.${unique.toSorted().join(".")}`;
  const { description = "", headers: own } = failed[status] ?? {};
  responses[name] ??= {
    description,
    ...(own && { headers: refs("headers", own) }),
    content: {
      "application/json": {
        schema: { $ref: "#/components/schemas/Error" },
        examples: refs("examples", unique),
      },
    },
  };
  return { $ref: `#/components/responses/${name}` };
}

/** References to named components of a kind. */
function refs(kind: "examples" | "headers", names: readonly string[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/${kind}/${name}` }]));
}

function exampleOf(code: FailureCode): Json {
  const { status, when } = failures[code];
  const more = { 202: { codeSnippets: [], infoSnippets: [] }, 301: { redirectUrl: "/acme/widgets" } }[status as number];
  return { summary: when, value: { error: code, message: when, ...more } };
}

/** The JSON Schema of an input or an answer. Schemas with an ID go into `named`, and are referred to. */
function jsonSchema(schema: z.ZodType, named: Record<string, Json>): Json {
  const made = z.toJSONSchema(schema, {
    io: "input",
    override({ zodSchema, jsonSchema: one }) {
      const { def } = zodSchema._zod;
      delete one.id;
      // A field is optional if the parser accepts its absence, as preprocessing may supply a value.
      if (def.type === "object" && "shape" in def) one.required = requiredOf(def.shape as z.ZodRawShape);
      if (one.required?.length === 0) delete one.required;
      // The pattern repeats the format.
      if (one.format === "date-time") delete one.pattern;
      if (one.contentEncoding === "base64") {
        delete one.pattern;
        delete one.format;
      }
      if (one.minimum === Number.MIN_SAFE_INTEGER) delete one.minimum;
      if (one.maximum === Number.MAX_SAFE_INTEGER) delete one.maximum;
    },
  });
  // References point into the description.
  const rebased = JSON.parse(JSON.stringify(made).replaceAll('"#/$defs/', '"#/components/schemas/')) as Json;
  const { $schema: _, $defs: definitions, ...rest } = rebased;
  Object.assign(named, definitions);
  return rest;
}

function requiredOf(shape: z.ZodRawShape): string[] {
  return Object.entries(shape).flatMap(([name, one]) => (isRequired(one as z.ZodType) ? [name] : []));
}

function isRequired(schema: z.ZodType): boolean {
  return !schema.safeParse(undefined).success;
}

function header(description: string, schema: Json): Json {
  return { description, schema };
}

function sorted<T>(record: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
