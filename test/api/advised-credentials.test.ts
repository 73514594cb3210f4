import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

import { setup } from "./setup.ts";

/** The bodies of a request in the documents, with `…` filled in. */
function bodiesOf(name: string, path: string): readonly object[] {
  const text = readFileSync(join(import.meta.dirname, "../../docs/guides", name), "utf8");
  const commands = [...text.matchAll(/^curl [\s\S]*?(?<!\\)$/gm)].map(([command]) => command);
  return commands
    .filter((command) => command.includes(`/api${path} `))
    .flatMap((command) => [...command.matchAll(/ -d '([^']*)'/g)].map(([, body = ""]) => filled(body)));
}

const filled = (json: string): object => JSON.parse(json.replaceAll("…", "filled-in@example.com")) as object;

it.each(["add-a-wiki.md", "manage-keys.md"])("accepts every credential of docs/guides/%s", async (name) => {
  const bodies = bodiesOf(name, "/v2/credentials");
  expect(bodies.length).toBeGreaterThan(0);
  for (const body of bodies) {
    const { send } = await setup();
    expect([body, await send("POST", "/v2/credentials", { body })]).toMatchObject([body, { status: 200 }]);
  }
});

const page = "0123456789abcdef0123456789abcdef";
const cloud = { siteUrl: "https://acme.atlassian.net", spaceKey: "ENG" };

it.each<[path: string, body: object]>([
  ...bodiesOf("add-a-wiki.md", "/v2/add/notion").map((body): [string, object] => ["/v2/add/notion", body]),
  ...bodiesOf("add-a-wiki.md", "/v2/add/confluence").map((body): [string, object] => ["/v2/add/confluence", body]),
  ["/v2/add/notion", { title: "Handbook", pageIds: [page], workspaceId: "w-1", workspaceName: "Acme" }],
  ["/v2/add/confluence", { ...cloud, siteUrl: "https://wiki.example.com/confluence" }],
  ["/v2/add/confluence", { ...cloud, siteUrl: "https://wiki.acme.example", cloudId: "c-1" }],
])("%s refuses %j with a credential request that makes it work", async (path, body) => {
  const { send, sourceHost } = await setup();
  const refusal = await send("POST", path, { body });
  const { message = "" } = refusal.body as { message?: string };
  expect(refusal).toMatchObject({ status: 403, body: { error: "forbidden" } });
  const advised = filled(/POST \/api\/v2\/credentials with (\{.*\})\./.exec(message)?.[1] ?? "");
  expect(await send("POST", "/v2/credentials", { body: advised })).toMatchObject({ status: 200 });
  // The credential was tested on the submission's site.
  const { siteUrl } = body as { siteUrl?: string };
  expect(sourceHost.asked.at(-1)?.source).toMatchObject(siteUrl === undefined ? { kind: "notion" } : { siteUrl });
  expect(await send("POST", path, { body })).toMatchObject({ status: 200 });
});

it("reads Notion with a credential for any workspace, but never with one for another workspace", async () => {
  const { send, catalog, engine, clock } = await setup();
  const make = async (name: string, tenant?: string) => {
    clock.now += 1000;
    const body = { kind: "notion", name, host: "api.notion.com", tenant, data: { token: "ntn_0123456789" } };
    return ((await send("POST", "/v2/credentials", { body })).body as { id: string }).id;
  };
  const usedBy = async (title: string, workspaceId?: string, credential?: string) => {
    const answer = await send("POST", "/v2/add/notion", { body: { title, pageIds: [page], workspaceId, credential } });
    if (answer.status !== 200) return answer.status;
    return (await catalog.libraries.get(engine.started.at(-1)?.libraryUid ?? ""))?.credential;
  };
  const other = await make("other", "w-2");
  expect(await usedBy("One", "w-1")).toBe(403);
  expect(await usedBy("Two", "w-1", other)).toBe(400);
  // A submission without a workspace uses the only credential.
  expect(await usedBy("Three")).toBe(other);
  const own = await make("own", "w-1");
  const any = await make("any");
  expect(await usedBy("Four", "w-1")).toBe(own);
  expect(await usedBy("Five", "w-3")).toBe(any);
  expect(await usedBy("Six")).toBe(any);
});
