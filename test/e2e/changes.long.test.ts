import { expect, it } from "vitest";
import { manyPages, startServers } from "./setup.ts";

const { git, server, add, refresh, outcomes } = await startServers();

interface Changes {
  readonly live: string | null;
  readonly held: string | null;
  readonly added: number;
  readonly total: number;
  readonly next: string | null;
  readonly lost: readonly { readonly path: string; readonly outcome: string; readonly reason?: string }[];
}

const changes = async (more = "") => {
  const answer = await server.call("GET", `/v2/libs/status/changes?libraryId=/acme/shrunk${more}`);
  return { status: answer.status, body: answer.body as Changes };
};

it("lists page by page what a held generation loses, and why", async () => {
  const repository = await git.repository("acme/shrunk.git", manyPages(60, "delta"));
  await add(repository.url);
  await server.settled("/acme/shrunk");
  expect((await changes()).body).toMatchObject({ held: null, added: 0, lost: [], total: 0, next: null });
  const deleted = Object.fromEntries(Array.from({ length: 49 }, (_, page) => [`docs/p${page}.md`, null]));
  await repository.commit({ ...deleted, "docs/p49.md": "", "docs/new.md": "# New\n\nSomething new is said here.\n" });
  await refresh("/acme/shrunk");
  expect((await outcomes("/acme/shrunk"))[0]).toBe("held");

  const { body: first } = await changes("&limit=30");
  expect(first).toMatchObject({ added: 1, total: 50, next: expect.any(String) as string });
  expect(first.lost).toHaveLength(30);
  const { body: second } = await changes(`&limit=30&cursor=${first.next ?? ""}`);
  expect(second.next).toBeNull();
  const all = [...first.lost, ...second.lost];
  expect(new Set(all.map(({ path }) => path)).size).toBe(50);
  expect(all.find(({ path }) => path === "docs/p3.md")?.outcome).toBe("missing");
  expect(all.find(({ path }) => path === "docs/p49.md")).toMatchObject({
    outcome: "skipped",
    reason: expect.any(String) as string,
  });

  await server.call("POST", "/v2/libs/publish", { libraryName: "/acme/shrunk", drop: true });
  expect((await changes(`&cursor=${first.next ?? ""}`)).status).toBe(400);
});
