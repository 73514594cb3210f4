import { describe, expect, it } from "vitest";
import type { Catalog } from "../../domain/ports.ts";

/** The part of the Catalog contract that concerns ended sessions. */
export function describeSessions(catalog: () => Catalog): void {
  describe("sessions", () => {
    it("can be ended several times, and only those named", async () => {
      const { sessions } = catalog();
      expect(await sessions.isEnded("s1")).toBe(false);
      await Promise.all([sessions.end("s1", 9000), sessions.end("s1", 9000), sessions.end("s2", 20_000)]);
      expect(await Promise.all(["s1", "s2", "s3"].map((id) => sessions.isEnded(id)))).toEqual([true, true, false]);
    });

    it("are forgotten once no cookie of theirs is valid any more", async () => {
      const { sessions } = catalog();
      await sessions.end("s1", 9000);
      await sessions.end("s2", 20_000);
      await sessions.forget(9000);
      expect(await sessions.isEnded("s1")).toBe(true);
      await sessions.forget(10_000);
      expect(await Promise.all(["s1", "s2"].map((id) => sessions.isEnded(id)))).toEqual([false, true]);
    });
  });
}

/** The part of the Catalog contract that concerns agents that have connected. */
export function describeAgents(catalog: () => Catalog): void {
  describe("agents", () => {
    const agent = (teamspace: string, keyId: string, client: string, askedAt: number) => ({
      teamspace,
      keyId,
      client,
      askedAt,
    });

    it("are the last one of each key, latest first, of the wanted teamspaces and key", async () => {
      const { agents } = catalog();
      await agents.note(agent("default", "k1", "claude-code", 1000));
      await agents.note(agent("default", "k2", "cursor", 2000));
      await agents.note(agent("default", "k1", "codex", 3000));
      await agents.note(agent("", "", "gemini", 4000));
      await agents.note(agent("web", "k3", "other", 5000));
      const clients = async (...asked: Parameters<typeof agents.list>) =>
        (await agents.list(...asked)).map(({ client }) => client);
      expect(await clients(["default", ""], 10)).toEqual(["gemini", "codex", "cursor"]);
      expect(await clients(["default", ""], 2)).toEqual(["gemini", "codex"]);
      expect(await agents.list(["default"], 10, "k1")).toEqual([agent("default", "k1", "codex", 3000)]);
      expect(await clients(["web"], 10, "k1")).toEqual([]);
    });

    it("are forgotten after a while, and with their teamspace", async () => {
      const { agents, teamspaces } = catalog();
      await teamspaces.add({ id: "mobile", title: "Mobile", createdAt: 1 });
      await agents.note(agent("mobile", "k1", "claude-code", 1000));
      await agents.note(agent("default", "k2", "cursor", 1000));
      await agents.note(agent("default", "k3", "codex", 2000));
      await teamspaces.remove("mobile");
      expect(await agents.list(["mobile"], 10)).toEqual([]);
      await agents.forget(2000);
      expect((await agents.list(["default"], 10)).map(({ client }) => client)).toEqual(["codex"]);
    });
  });
}
