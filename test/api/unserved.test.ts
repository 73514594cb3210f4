import { expect, it } from "vitest";
import { codePassage } from "./samples.ts";
import { setup } from "./setup.ts";

type Listed = {
  readonly libraries: readonly { readonly libraryId: string }[];
  readonly total: number;
  readonly unserved: number;
};

it("lists libraries whose first run failed separately, until another run starts or succeeds", async () => {
  const { send, submit, finish, fail, catalog, clock } = await setup();
  const list = async (query = "") => {
    const { libraries, total, unserved } = (await send("GET", `/v2/libs${query}`)).body as Listed;
    expect(total).toBe(libraries.length);
    return [libraries.map(({ libraryId }) => libraryId), unserved];
  };
  await finish(await submit("/acme/good"), [codePassage]);
  await submit("/acme/new");
  await fail(await submit("/acme/away"), "source_unreachable", "It is away.");
  await fail(await submit("/acme/gone"), "source_not_found", "It is gone.");
  const refreshed = await send("POST", "/v1/refresh", { body: { libraryName: "/acme/good" } });
  await fail((refreshed.body as { runId: string }).runId, "source_unreachable", "It is away.");

  expect(await list()).toEqual([["/acme/good", "/acme/new"], 2]);
  expect(await list("?state=failed")).toEqual([["/acme/good"], 2]);
  expect(await list("?state=any")).toEqual([["/acme/good"], 2]);
  expect(await list("?state=unserved")).toEqual([["/acme/away", "/acme/gone"], 2]);
  expect(await list("?state=unserved&search=gone")).toEqual([["/acme/gone"], 1]);

  const retried = await send("POST", "/v1/refresh", { body: { libraryName: "/acme/gone" } });
  expect(await list()).toEqual([["/acme/gone", "/acme/good", "/acme/new"].toSorted(), 1]);
  await finish((retried.body as { runId: string }).runId, [codePassage]);
  expect(await list("?state=unserved")).toEqual([["/acme/away"], 1]);

  // A suspended run is not executed.
  const run = await catalog.runs.claim("dead", clock.now + 1, clock.now);
  expect(run?.run.libraryId).toBe("/acme/new");
  await catalog.runs.orphan("me", { deaths: 1, failure: { code: "run_suspended", message: "Once." } }, clock.now);
  expect(await list("?state=unserved")).toEqual([["/acme/away", "/acme/new"], 2]);
});

it("deletes all that the caller may delete, each with an audit record, and nothing else", async () => {
  const { send, submit, finish, fail, addKey, catalog } = await setup();
  const { key: web } = await addKey(["admin"], { teamspace: "web" });
  await finish(await submit("/acme/good"), [codePassage]);
  await submit("/acme/new");
  for (const name of ["away", "gone"]) await fail(await submit(`/acme/${name}`), "source_unreachable", "It is away.");
  const own = await send("POST", "/v2/add/repo/git", {
    key: web,
    body: { docsRepoUrl: "https://git.example.com/web/own", private: true },
  });
  await fail((own.body as { runId: string }).runId, "source_not_found", "It is gone.");

  expect(await send("DELETE", "/v2/libs/unserved", { key: web })).toMatchObject({ body: { deleted: 1 } });
  expect(await send("DELETE", "/v2/libs/unserved")).toMatchObject({
    body: { deleted: 2, message: "2 libraries deleted." },
  });
  expect(await send("DELETE", "/v2/libs/unserved")).toMatchObject({ body: { deleted: 0 } });
  const { libraries } = (await send("GET", "/v2/libs")).body as Listed;
  expect(libraries.map(({ libraryId }) => libraryId)).toEqual(["/acme/good", "/acme/new"]);
  const { body } = await send("GET", "/v2/audit?action=library.delete");
  const records = (body as { records: { target: string; outcome: string }[] }).records;
  // One record per request and per library.
  expect(records.map(({ target, outcome }) => `${target} ${outcome}`).toSorted()).toEqual([
    "/acme/away done",
    "/acme/gone done",
    "/web/own done",
    "null done",
    "null done",
    "null done",
  ]);
  for (const id of ["/acme/good", "/acme/new"])
    expect(await send("DELETE", `/v2/libs?libraryId=${id}&onlyUnserved=true`)).toMatchObject({
      status: 409,
      body: { error: "run_open" },
    });
  expect(await catalog.libraries.find([""], "/acme/good", "")).toBeDefined();
});
