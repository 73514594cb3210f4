import { expect, it } from "vitest";
import * as z from "zod";

import { jsonAnswer } from "../../api/answers.ts";
import { createDispatcher } from "../../api/http.ts";
import { routes as all } from "../../api/app.ts";
import { describeRoutes } from "../../api/openapi.ts";
import { integer, text } from "../../api/parameters.ts";
import { route, success, type Route } from "../../api/route.ts";
import { Failure } from "../../domain/failures.ts";
import { serve } from "./serving.ts";
import { setup } from "./setup.ts";

/** A route that answers with its path and parameters. */
function echoRoute(method: Route["method"], path: string, parameters: Record<string, z.ZodType> = {}): Route {
  return route({
    method,
    path,
    scope: "open",
    limit: null,
    about: { operationId: path, tag: "Reading", summary: path },
    parameters: z.object(parameters),
    answers: success(z.looseObject({})),
    handler: async (call) => jsonAnswer({ path, ...call.parameters }),
  });
}

const repo = { owner: text(1, 20), repo: text(1, 20) };
const routes = [
  echoRoute("GET", "/api/v1/search"),
  echoRoute("GET", "/api/v1/{owner}/{repo}", { ...repo, tokens: integer(1, 9).prefault(5) }),
  echoRoute("PATCH", "/api/v1/{owner}/{repo}", repo),
  echoRoute("GET", "/api/v1/{owner}/{repo}/{version}", { ...repo, version: text(1, 20) }),
  echoRoute("POST", "/api/v1/refresh/now"),
];

async function server(settings = {}) {
  const { options } = await setup(settings);
  const { ask } = await serve(createDispatcher(routes, options));
  return async (path: string, method = "GET", headers = {}) => {
    const { statusCode, bytes, headers: responseHeaders } = await ask(path, { method, headers });
    const body = bytes.length === 0 ? null : (JSON.parse(bytes.toString()) as { path?: string; message?: string });
    return { status: statusCode, body, headers: responseHeaders };
  };
}

it("finds a route by its path, and merges path and query parameters", async () => {
  const ask = await server();
  expect((await ask("/api/v1/vercel/next.js?tokens=7&owner=other")).body).toEqual({
    path: "/api/v1/{owner}/{repo}",
    owner: "vercel",
    repo: "next.js",
    tokens: 7,
  });
  expect((await ask("/api/v1/a%20b/%C3%BC%2Fx/v1")).body).toEqual({
    path: "/api/v1/{owner}/{repo}/{version}",
    owner: "a b",
    repo: "ü/x",
    version: "v1",
  });
  expect((await ask("/api/v1/search")).body).toEqual({ path: "/api/v1/search" });
});

it("prefers a literal path to one with parameters", async () => {
  const ask = await server();
  expect((await ask("/api/v1/refresh/now", "POST")).body).toEqual({ path: "/api/v1/refresh/now" });
  expect(await ask("/api/v1/refresh/now")).toMatchObject({ status: 405, headers: { allow: "POST" } });
  expect((await ask("/api/v1/refresh/later")).body).toMatchObject({ owner: "refresh", repo: "later" });
});

it("checks path parameters, and refuses wrong percent-encoding", async () => {
  const ask = await server();
  expect(await ask("/api/v1/a/%E0%A4%A")).toMatchObject({
    status: 400,
    body: { error: "validation_error", message: "repo is not valid percent-encoding in UTF-8." },
  });
  expect(await ask(`/api/v1/a/${"b".repeat(21)}?tokens=x`)).toMatchObject({
    status: 400,
    body: { message: "repo must have 1 to 20 characters. tokens must be a whole number from 1 to 9." },
  });
});

it.each([
  "/",
  "/api",
  "/api/v1",
  "/api/v1/",
  "/api/v1//",
  "/api/v1/a",
  "/api/v1//b",
  "/api/v1/a/b//",
  "/api/v1/a/b/c/d",
  "//api/v1/a/b",
  "/API/v1/a/b",
  "/api/v1/search//",
  "/__proto__/x",
])("answers 404 to the unknown path %s", async (path) => {
  const ask = await server();
  expect(await ask(path)).toMatchObject({ status: 404, body: { error: "route_not_found" } });
});

it("ignores a trailing slash, without a redirect", async () => {
  const ask = await server();
  for (const target of [
    "/api/v1/a/b",
    "/api/v1/a/b/v1",
    "/api/v1/search",
    "/api/v1/a/b?tokens=7",
    "/api/v1/a/b?tokens=x",
  ]) {
    const slashed = target.replace(/(?=\?|$)/, "/");
    const [{ status, body }, other] = [await ask(target), await ask(slashed)];
    expect(other).toMatchObject({ status, body });
  }
  expect(await ask("/api/v1/a/b/", "DELETE")).toMatchObject({ status: 405, headers: { allow: "GET, PATCH, HEAD" } });
});

it("finds every route of the API with one trailing slash, but not with two", async () => {
  const { options } = await setup({ anonymous: "off" });
  const { ask } = await serve(createDispatcher(all, options));
  for (const { method, path, aliases = [] } of all) {
    for (const one of [path, ...aliases].map((named) => named.replaceAll(/\{\w+\}/g, "x"))) {
      const statusOf = async (end: string) => (await ask(`${one}${end}`, { method })).statusCode;
      expect([one, await statusOf("/")]).toEqual([one, await statusOf("")]);
      expect([one, await statusOf("//")]).toEqual([one, 404]);
    }
  }
});

it("answers 405 with Allow, HEAD and preflights as on other paths", async () => {
  const ask = await server({ allowedOrigins: ["https://ide.example"] });
  expect(await ask("/api/v1/a/b", "DELETE")).toMatchObject({ status: 405, headers: { allow: "GET, PATCH, HEAD" } });
  expect(await ask("/api/v1/a/b", "OPTIONS")).toMatchObject({ status: 405 });
  expect(await ask("/api/v1/a/b", "HEAD")).toMatchObject({ status: 200, body: null });
  const origin = { origin: "https://ide.example", "access-control-request-method": "PATCH" };
  expect(await ask("/api/v1/a/b", "OPTIONS", origin)).toMatchObject({
    status: 204,
    headers: { "access-control-allow-methods": "GET, PATCH, HEAD" },
  });
});

it("sends no Location if the redirected library is in the path", async () => {
  const moved = {
    ...echoRoute("GET", "/api/v1/{owner}/{repo}", repo),
    handler: async () => {
      throw new Failure("library_redirected", "It moved.", { redirectUrl: "/acme/new" });
    },
  };
  const { options } = await setup();
  const { ask } = await serve(createDispatcher([moved], options));
  const { statusCode, headers, bytes } = await ask("/api/v1/acme/old");
  expect([statusCode, headers["location"]]).toEqual([301, undefined]);
  expect(JSON.parse(bytes.toString())).toMatchObject({ redirectUrl: "/acme/new" });
});

it("describes path and query parameters", () => {
  const { paths } = describeRoutes(routes) as { paths: Record<string, { get?: { parameters: object[] } }> };
  expect(paths["/v1/{owner}/{repo}"]?.get?.parameters).toEqual([
    { name: "owner", in: "path", required: true, schema: { type: "string", minLength: 1, maxLength: 20 } },
    { name: "repo", in: "path", required: true, schema: { type: "string", minLength: 1, maxLength: 20 } },
    { name: "tokens", in: "query", required: false, schema: { default: 5, type: "integer", minimum: 1, maximum: 9 } },
  ]);
});
