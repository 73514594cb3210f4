import { readFileSync } from "node:fs";

import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, it } from "vitest";

import { codeSnippet, infoSnippet } from "./samples.ts";
import { setup } from "./setup.ts";

interface Response {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, object>>;
}
interface Document {
  readonly paths: Readonly<Record<string, Record<string, { responses: Readonly<Record<string, Response>> }>>>;
  readonly components: { readonly responses: Readonly<Record<string, Response>> };
}

/** The document, in which no object may have fields that its schema does not name. */
const document = JSON.parse(
  readFileSync(new URL("../../docs/openapi.json", import.meta.url), "utf8"),
  (_key, value: unknown) => {
    if (typeof value !== "object" || value === null) return value;
    const isObject = "type" in value && value.type === "object" && "properties" in value;
    return isObject ? { additionalProperties: false, ...value } : value;
  },
) as Document;

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
ajv.addSchema(document, "openapi");

/** What is wrong with an answer in JSON, or that nothing describes it. */
function problemsOf(method: string, path: string, status: number, body: unknown): readonly string[] {
  const responses = document.paths[path]?.[method.toLowerCase()]?.responses ?? {};
  const { $ref } = responses[status] ?? {};
  const [, shared = ""] = /^#\/components\/responses\/(.+)$/.exec($ref ?? "") ?? [];
  const found = $ref === undefined ? responses[status] : document.components.responses[shared];
  if (found?.content?.["application/json"] === undefined) return ["is not described"];
  const place =
    $ref === undefined
      ? ["paths", path, method.toLowerCase(), "responses", String(status)]
      : ["components", "responses", shared];
  const pointer = [...place, "content", "application/json", "schema"]
    .map((part) => part.replaceAll("~", "~0").replaceAll("/", "~1"))
    .join("/");
  // As it is sent: what is undefined goes.
  if (ajv.validate(`openapi#/${pointer}`, JSON.parse(JSON.stringify(body)))) return [];
  return (ajv.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

it("docs/openapi.json describes every field of answers, and no answer lacks one that it promises", async () => {
  const { send, submit, finish, catalog } = await setup();
  const problems: string[] = [];
  const call = async (method: string, path: string, body?: object): Promise<object> => {
    const answer = await send(method, path, body && { body });
    const found = problemsOf(method, path.replace(/\?.*/, ""), answer.status, answer.body);
    problems.push(...found.map((problem) => `${method} ${path} ${answer.status}: ${problem}`));
    return answer.body as object;
  };
  const reads = ["context?query=widget&type=json&libraryId=", "libs/status?libraryId=", "libs/status/pages?libraryId="];
  const run = await submit("/acme/widgets");
  for (const read of reads) await call("GET", `/v2/${read}/acme/widgets`);
  await finish(run, [codeSnippet, infoSnippet]);
  await call("PATCH", "/v2/libs", { libraryName: "/acme/widgets", rules: ["Be short."], trustScore: 7, schedule: 3 });
  for (const read of reads) await call("GET", `/v2/${read}/acme/widgets`);
  const { uid = "" } = (await catalog.libraries.find([""], "/acme/widgets", ""))?.library ?? {};
  const from = "https://git.example.com/acme/widgets";
  await submit("/acme/taken");
  await catalog.libraries.move(uid, { from, to: `${from}-2`, id: "/acme/taken" }, 1);
  await call("GET", "/v2/libs/status?libraryId=/acme/widgets");
  for (const accept of [true, false]) await call("POST", "/v2/libs/rename", { libraryName: "/acme/widgets", accept });
  await call("GET", "/v2/libs");
  await call("GET", "/v2/libs/search?libraryName=w&query=w");
  for (const _ of ["accepted", "refused"])
    await call("POST", "/v2/add/repo/git", { docsRepoUrl: "https://git.example.com/acme/other" });
  await call("POST", "/v2/add/folder", { path: "/srv/docs/handbook" });
  await call("POST", "/v1/refresh", { libraryName: "/acme/widgets" });
  for (const operation of ["cancel", "publish", "rollback"])
    await call("POST", `/v2/libs/${operation}`, { libraryName: "/acme/widgets" });
  const { id } = (await call("POST", "/v2/keys", { name: "ci", scopes: ["read"] })) as { id: string };
  await call("GET", "/v2/keys");
  await call("GET", "/v2/teamspaces");
  for (const _ of ["accepted", "refused"]) await call("POST", "/v2/teamspaces", { id: "web" });
  const web = (await call("POST", "/v2/keys", { name: "web", scopes: ["read"], teamspace: "web" })) as { id: string };
  await call("DELETE", "/v2/teamspaces?id=web");
  await call("DELETE", `/v2/keys?id=${web.id}`);
  await call("DELETE", "/v2/teamspaces?id=web");
  await call("DELETE", `/v2/keys?id=${id}`);
  await call("GET", "/health");
  await call("GET", "/ready");
  await call("DELETE", "/v2/libs?libraryId=/acme/widgets");
  await call("GET", "/v2/context?libraryId=/acme/widgets&query=widget");
  expect(problems).toEqual([]);
});
