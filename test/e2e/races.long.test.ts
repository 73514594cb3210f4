import { describe, expect, it } from "vitest";
import { files, manyPages, startServers } from "./setup.ts";

const { git, server, add, refresh, context, operate, remove, outcomes } = await startServers();

describe("an operation during a run", () => {
  it("joins the run if it is another refresh", async () => {
    const repository = await git.repository("race/join.git", files);
    await add(repository.url);
    await server.settled("/race/join");
    const gate = git.hold("race/join.git");
    const [one, two] = await Promise.all([refresh("/race/join"), refresh("/race/join")]);
    gate.release();
    expect((one.body as { runId: string }).runId).toBe((two.body as { runId: string }).runId);
  });

  it("supersedes the run if it is a deletion, and a library added again is a new one", async () => {
    const repository = await git.repository("race/again.git", files);
    await add(repository.url);
    await server.settled("/race/again");
    await repository.commit({ "docs/guide.md": "# Guide\n\nWords of the second commit, to be served later on.\n" });
    const gate = git.hold("race/again.git");
    await refresh("/race/again");
    await gate.reached;
    expect(await remove("/race/again")).toMatchObject({ status: 200 });
    expect(await context("/race/again")).toMatchObject({ status: 404 });
    expect(await add(repository.url)).toMatchObject({ status: 200 });
    expect(await context("/race/again")).toMatchObject({ status: 202 });
    gate.release();
    expect(await server.settled("/race/again")).toMatchObject({
      state: "finalized",
      runs: [{ outcome: "published", reason: "submit" }],
    });
    expect(JSON.stringify((await context("/race/again", "words")).body)).toContain("second commit");
  });

  it("supersedes the run if it is a rollback", async () => {
    const repository = await git.repository("race/rollback.git", files);
    await add(repository.url);
    await server.settled("/race/rollback");
    const commits = [await repository.git("rev-parse", "main")];
    commits.push(await repository.commit({ "docs/b.md": "# B\n\nThe second generation says this, in many words.\n" }));
    await refresh("/race/rollback");
    await server.settled("/race/rollback");
    await repository.commit({ "docs/c.md": "# C\n\nThe third generation says this, in many words.\n" });
    const gate = git.hold("race/rollback.git");
    await refresh("/race/rollback");
    await gate.reached;
    // By now the run is claimed, so it has read what is live.
    expect(await operate("rollback", { libraryName: "/race/rollback" })).toMatchObject({ status: 200 });
    gate.release();
    expect((await outcomes("/race/rollback"))[0]).toBe("superseded");
    expect(await server.settled("/race/rollback")).toMatchObject({ live: { revision: commits[0] } });
    expect(JSON.stringify((await context("/race/rollback", "generation says many words")).body)).not.toContain(
      "generation",
    );
  });

  it("publishes or drops the held generation of a refresh that lost most of a library", async () => {
    const repository = await git.repository("race/shrink.git", manyPages(60, "delta"));
    await add(repository.url);
    await server.settled("/race/shrink");
    const deleted = Object.fromEntries(Array.from({ length: 50 }, (_, page) => [`docs/p${page}.md`, null]));
    await repository.commit(deleted);
    await refresh("/race/shrink");
    expect((await outcomes("/race/shrink"))[0]).toBe("held");
    expect(await server.settled("/race/shrink")).toMatchObject({
      live: { counts: { code: 60 } },
      held: { counts: { code: 10 } },
    });
    expect(JSON.stringify((await context("/race/shrink", "delta of page 7")).body)).toContain("delta(7)");

    expect(await operate("publish", { libraryName: "/race/shrink", drop: true })).toMatchObject({ status: 200 });
    expect(await operate("publish", { libraryName: "/race/shrink" })).toMatchObject({ status: 400 });
    await refresh("/race/shrink");
    expect((await outcomes("/race/shrink"))[0]).toBe("held");
    expect(await operate("publish", { libraryName: "/race/shrink" })).toMatchObject({ status: 200 });
    expect((await outcomes("/race/shrink"))[0]).toBe("published");
    expect(await server.settled("/race/shrink")).toMatchObject({ live: { counts: { code: 10 } }, held: null });

    expect(await operate("rollback", { libraryName: "/race/shrink" })).toMatchObject({ status: 200 });
    expect(await server.settled("/race/shrink")).toMatchObject({ live: { counts: { code: 60 } } });
  });
});
