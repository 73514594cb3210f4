import { describe, expect, it } from "vitest";
import type { Agents } from "../../api/answer-types.ts";
import { revisions } from "../support/agent.ts";
import { call, start } from "./agents.ts";

type World = Awaited<ReturnType<typeof start>>;
const agentsFor = async ({ send }: World, key: string | null) =>
  (await send("GET", "/v2/agents", { key })).body as Agents;

describe.each(revisions)("an agent of revision %s", (revision) => {
  it("is listed once it has connected, by the name that it gave itself first", async () => {
    const world = await start();
    const [mine, other, admin] = [
      await world.addKey(["read"]),
      await world.addKey(["read"]),
      await world.addKey(["admin"]),
    ];
    expect((await agentsFor(world, mine.key)).agents).toEqual([]);
    const agent = await world.connect(revision, mine.key);
    await agent.callTool(call);
    const [listed, ...others] = (await agentsFor(world, mine.key)).agents;
    expect(others).toEqual([]);
    expect(listed).toMatchObject({ keyId: mine.id, askedAt: new Date(world.clock.now).toISOString() });
    expect(listed?.client).toBe("test-agent");
    expect((await agentsFor(world, other.key)).agents).toEqual([]);
    expect((await agentsFor(world, admin.key)).agents.map(({ keyId }) => keyId)).toEqual([mine.id]);
  });
});

describe("agents", () => {
  it("without a key are shown to administrators of the instance only", async () => {
    const world = await start();
    await (await world.connect(revisions[0])).listTools();
    const reader = await world.addKey(["read"]);
    const elsewhere = await world.addKey(["admin"], { teamspace: "web" });
    expect((await agentsFor(world, null)).agents).toBeUndefined();
    expect((await agentsFor(world, reader.key)).agents).toEqual([]);
    expect((await agentsFor(world, elsewhere.key)).agents).toEqual([]);
    const instance = await world.addKey(["admin"], { teamspace: "default" });
    expect((await agentsFor(world, instance.key)).agents.map(({ keyId }) => keyId)).toEqual([null]);
  });

  it("get their answer even if they cannot be noted", async () => {
    const world = await start();
    world.catalog.agents.note = () => Promise.reject(new Error("The disk is full."));
    expect((await (await world.connect(revisions[0])).listTools()).tools.length).toBeGreaterThan(0);
  });
});
