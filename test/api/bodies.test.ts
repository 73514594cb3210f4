import { describe, expect, it } from "vitest";
import * as z from "zod";

import { jsonAnswer } from "../../api/answers.ts";
import { jsonBody } from "../../api/body.ts";
import { createDispatcher } from "../../api/http.ts";
import { multipartBody } from "../../api/multipart.ts";
import { describeRoutes } from "../../api/openapi.ts";
import { text } from "../../api/parameters.ts";
import { route, success, type Route } from "../../api/route.ts";
import type { ServerOptions } from "../../api/server.ts";
import { serve } from "./serving.ts";
import { adminKey, setup } from "./setup.ts";

const common = { method: "POST", scope: "submit", limit: "submission", answers: success(z.looseObject({})) } as const;
const about = (operationId: string) => ({ operationId, tag: "Submissions", summary: operationId }) as const;

/** A route for each kind of body that answers with what it got. */
const routes: readonly Route[] = [
  route({
    ...common,
    path: "/api/json",
    about: about("json"),
    body: jsonBody(z.object({ name: text(1, 10) })),
    handler: async ({ body: { name } }) => jsonAnswer({ name }),
  }),
  route({
    ...common,
    path: "/api/form",
    about: about("form"),
    body: multipartBody(
      { spec: { maxBytes: 100_000, description: "The document." }, logo: { maxBytes: 10, optional: true } },
      z.object({ title: text(1, 10), force: z.enum(["true"], { error: "must be true" }).optional() }),
    ),
    handler: async ({ body: { fields, files } }) =>
      jsonAnswer({
        fields,
        files: [files.spec, ...(files.logo ? [files.logo] : [])].map(({ name, type, bytes }) => [
          name,
          type,
          bytes.length,
        ]),
      }),
  }),
];

async function server(options: Partial<ServerOptions> = {}, settings = {}) {
  const world = await setup({ rateLimitSubmissions: 1000, ...settings });
  const { ask, raw } = await serve(createDispatcher(routes, world.options), options);
  const post = async (path: string, type: string | null, body?: string | Uint8Array, headers = {}) => {
    const { statusCode, bytes } = await ask(`/api/${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${adminKey}`, ...(type !== null && { "content-type": type }), ...headers },
      ...(body !== undefined && { body }),
    });
    const answer = JSON.parse(bytes.toString()) as { error?: string; message?: string; [field: string]: unknown };
    return [statusCode, answer.message ?? answer] as const;
  };
  const submit = async (form: FormData) => {
    const encoded = new Response(form);
    return post("form", encoded.headers.get("content-type"), new Uint8Array(await encoded.arrayBuffer()));
  };
  return { post, raw, submit };
}

function form(parts: Readonly<Record<string, string | File>>): FormData {
  const data = new FormData();
  for (const [name, part] of Object.entries(parts)) data.append(name, part);
  return data;
}

const file = (size: number, name = "api.yaml", type = "application/yaml"): File =>
  new File(["x".repeat(size)], name, { type });

describe("a route with a form", () => {
  it("gets its checked fields, and its files with name and type", async () => {
    const { submit } = await server();
    const sent = form({ title: "Wïdgets", spec: file(70_000), logo: file(0, "a/b/logo.png", "image/png"), other: "x" });
    expect(await submit(sent)).toEqual([
      200,
      {
        fields: { title: "Wïdgets" },
        files: [
          ["api.yaml", "application/yaml", 70_000],
          ["logo.png", "image/png", 0],
        ],
      },
    ]);
    const unknown = form({ title: "x", spec: file(1) });
    for (const part of [file(9), "a", "b"]) unknown.append("unknown", part);
    expect((await submit(unknown))[0]).toBe(200);
  });

  it("names missing and wrong fields", async () => {
    const { submit, post } = await server();
    expect(await submit(form({ spec: file(1), force: "no" }))).toEqual([400, "title is missing. force must be true."]);
    expect(await submit(form({ title: "x" }))).toEqual([400, "spec is missing. Send it as a file."]);
    expect(await submit(form({ title: "x", spec: "as text" }))).toEqual([400, "spec is missing. Send it as a file."]);
    for (const [name, twice] of [
      ["title", "y"],
      ["spec", file(1)],
    ] as const) {
      const sent = form({ title: "x", spec: file(1) });
      sent.append(name, twice);
      expect(await submit(sent)).toEqual([400, `${name} was given more than once. Give it once.`]);
    }
    expect(await post("form", "multipart/form-data")).toEqual([
      400,
      "The request has no body. Send a form as multipart/form-data.",
    ]);
    expect((await post("form", "application/json", "{}"))[0]).toBe(415);
  });

  it("limits the bytes of files, fields and the whole body, and the number of parts", async () => {
    const { submit, post } = await server();
    const some = { title: "x", spec: file(1) };
    expect(await submit(form({ ...some, spec: file(100_000) }))).toMatchObject([200, {}]);
    expect(await submit(form({ ...some, spec: file(100_001) }))).toEqual([
      413,
      "spec exceeds the limit of 100000 bytes.",
    ]);
    expect(await submit(form({ ...some, logo: file(11) }))).toEqual([413, "logo exceeds the limit of 10 bytes."]);
    expect(await submit(form({ ...some, title: "x".repeat(70_000) }))).toEqual([
      413,
      "title exceeds the limit of 65536 bytes.",
    ]);
    const many = form(some);
    for (let part = 0; part < 100; part += 1) many.append("more", file(1));
    expect(await submit(many)).toEqual([400, "The form has more than 100 parts."]);
    expect(await post("form", "multipart/form-data; boundary=x", new Uint8Array(2_000_000))).toEqual([
      413,
      "The body exceeds the limit of 1148586 bytes.",
    ]);
  });

  it("stops parsing at the first error", async () => {
    const { post } = await server();
    const part = (name: string, content = ""): string =>
      `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${content}\r\n`;
    const logo = `--x\r\nContent-Disposition: form-data; name="logo"; filename="a"\r\n\r\n${"x".repeat(70_000)}\r\n`;
    // Refused as malformed if it were parsed.
    const rest = `${part("more").repeat(15_000)}--x\r\n${"A: b\r\n".repeat(20_000)}\r\n`;
    for (const [before, status, message] of [
      [part("more").repeat(100), 400, "The form has more than 100 parts."],
      [part("title", "a").repeat(2), 400, "title was given more than once. Give it once."],
      [part("title", "x".repeat(65_537)), 413, "title exceeds the limit of 65536 bytes."],
      [logo, 413, "logo exceeds the limit of 10 bytes."],
    ] as const)
      expect(await post("form", types.form, `${before}${rest}--x--\r\n`)).toEqual([status, message]);
  });

  it("closes the connection after the answer to a body that is not read to its end", async () => {
    const { raw } = await server();
    const head = [
      "POST /api/form HTTP/1.1",
      "Host: docs.example.com",
      `Authorization: Bearer ${adminKey}`,
      "Content-Type: multipart/form-data; boundary=x",
      "Content-Length: 2000000",
    ];
    // The second request must not be answered.
    const answer = await raw(
      `${head.join("\r\n")}\r\n\r\n`,
      "x".repeat(2_000_000),
      "GET /api/json HTTP/1.1\r\nHost: docs.example.com\r\n\r\n",
    );
    expect(answer).toContain("The body exceeds the limit of 1148586 bytes.");
    expect(answer).toMatch(/^connection: close\r$/im);
    expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  });

  it("answers truncated and malformed forms with 400", async () => {
    const { post } = await server();
    const encoded = new Response(form({ title: "x", spec: file(20), force: "true" }));
    const type = encoded.headers.get("content-type");
    const whole = new Uint8Array(await encoded.arrayBuffer());
    expect((await post("form", type, whole))[0]).toBe(200);
    // The end is still recognized without the last line break and one hyphen.
    for (let end = 1; end < whole.length - 4; end += 3)
      expect((await post("form", type, whole.subarray(0, end)))[0]).toBe(400);
    for (const body of ["x", "--", "\r\n\r\n", "\0".repeat(1000)]) {
      expect((await post("form", type, body))[0]).toBe(400);
    }
    // Part headers without an end.
    for (const head of ["A: b", "A: b\r\n", 'Content-Disposition: form-data; name="title"', "A: b\r\n".repeat(20_000)])
      expect((await post("form", types.form, `--x\r\n${head}\r\n--x--\r\n`))[0]).toBe(400);
    expect(await post("form", "multipart/form-data", whole)).toEqual([
      400,
      "Content-Type of the form names no boundary.",
    ]);
  });

  it("ignores fields with names of Object.prototype", async () => {
    const { submit } = await server();
    const sent = form({ title: "x", spec: file(1), constructor: file(2), toString: "x" });
    sent.append("__proto__", file(1));
    sent.append("valueOf", "x");
    expect(await submit(sent)).toEqual([200, { fields: { title: "x" }, files: [["api.yaml", "application/yaml", 1]] }]);
  });
});

const types = {
  json: "application/json",
  form: "multipart/form-data; boundary=x",
} as const;
const kinds = Object.entries(types);

describe("every kind of body", () => {
  it.each(kinds)("is read after the key and the limit were checked: %s", async (path, type) => {
    const { options } = await setup({ rateLimitSubmissions: 1 });
    const app = createDispatcher(routes, options);
    let read = 0;
    const post = async (key: string) => {
      const { status } = await app({
        method: "POST",
        path: `/api/${path}`,
        query: new URLSearchParams(),
        headers: { host: "a", authorization: `Bearer ${key}`, "content-type": type, "content-length": "1" },
        remoteAddress: "192.0.2.1",
        async readBody() {
          read += 1;
          return Buffer.from("x");
        },
        signal: new AbortController().signal,
      });
      return [status, read];
    };
    expect(await post("bad")).toEqual([401, 0]);
    expect(await post(adminKey)).toEqual([400, 1]);
    expect(await post(adminKey)).toEqual([429, 1]);
  });

  it("must arrive in time", async () => {
    const { raw } = await server({ bodyTimeout: 100 });
    const head = `POST /api/form HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${adminKey}\r\nContent-Type: ${types.form}\r\nContent-Length: 9\r\n\r\n`;
    expect(await raw(head, "12345")).toMatch(/^HTTP\/1.1 400 .*Timeout: the body was not complete within 1 s\./s);
  });

  it("is in the OpenAPI description, with its files and media types", () => {
    const { paths } = describeRoutes(routes) as {
      paths: Record<string, { post: { requestBody: { required: boolean; content: object } } }>;
    };
    expect(paths["/form"]?.post.requestBody).toMatchObject({
      required: true,
      content: {
        "multipart/form-data": {
          schema: {
            required: ["spec", "title"],
            properties: {
              spec: {
                contentMediaType: "application/octet-stream",
                description: "The document. 100000 bytes at most.",
              },
              title: { type: "string", minLength: 1, maxLength: 10 },
            },
          },
        },
      },
    });
  });
});
