import { describe, expect, it } from "vitest";
import type { ContentFilter, LibraryEntry, LibraryIndex } from "../../domain/ports.ts";
import type { Subject } from "../../domain/subject.ts";
import { foldId } from "../../domain/library.ts";
import { analyseQuestion } from "../../search/ranking/analyse-question.ts";
import { rankLibraries } from "../../search/ranking/libraries.ts";
import { rankByContent } from "../../search/ranking/library-content.ts";

/** An index under test. `reopen` opens another one on the same data, as a new process does. */
export interface LibraryIndexSetup {
  readonly index: LibraryIndex;
  reopen(): Promise<LibraryIndex>;
}

/** An entry; its uid is teamspace and ID by default. */
export function libraryEntry(
  id: string,
  changes: Partial<Omit<LibraryEntry, "aliases">> & { teamspace?: string; aliases?: readonly string[] } = {},
): LibraryEntry {
  const { teamspace = "", aliases = [], ...rest } = changes;
  return {
    uid: `${teamspace}${id}`,
    key: { teamspace, id: foldId(id) },
    id,
    title: id.split("/").at(-1) ?? id,
    description: "",
    aliases: aliases.map((alias) => ({ name: alias, manifest: "package.json" })),
    source: `https://git.example.com${id}`,
    branch: "main",
    versions: [],
    totalSnippets: 100,
    totalTokens: 10_000,
    trust: 5,
    updatedAt: 1_700_000_000_000,
    ...rest,
  };
}

const libraries = [
  libraryEntry("/vercel/next.js", {
    title: "Next.js",
    description: "The React framework for the web.",
    versions: ["v15.0.0"],
  }),
  libraryEntry("/facebook/react", { title: "React", description: "A library for web user interfaces." }),
  libraryEntry("/remix-run/react-router", { title: "React Router", aliases: ["react-router-dom"] }),
  libraryEntry("/tanstack/query", {
    title: "TanStack Query",
    aliases: ["@tanstack/react-query"],
    description: "Fetching and caching.",
  }),
  libraryEntry("/supabase/supabase", { title: "Supabase", description: "A hosted database with authentication." }),
  libraryEntry("/acme/handbook", { teamspace: "team-a", title: "Handbook" }),
];

/** What every LibraryIndex must do; `create` makes an empty one. One test file per adapter calls this. */
export function describeLibraryIndex(name: string, create: () => Promise<LibraryIndexSetup>): void {
  async function filled(): Promise<LibraryIndexSetup> {
    const made = await create();
    for (const entry of libraries) await made.index.put(entry);
    return made;
  }

  async function idsOf(index: LibraryIndex, name: string, query = "", teamspaces: readonly string[] = [""]) {
    const candidates = await index.candidates(teamspaces, name, query, 50);
    return candidates.map(({ id }) => id);
  }

  describe(`${name} as a LibraryIndex`, () => {
    it("gives back an entry as it was put", async () => {
      const { index } = await filled();
      const candidates = await index.candidates([""], "Next.js", "routing", 50);
      expect(candidates).toContainEqual(libraries[0]);
    });

    it.each([
      ["/vercel/next.js", "/vercel/next.js"],
      ["/Vercel/Next.js", "/vercel/next.js"],
      ["vercel/next.js", "/vercel/next.js"],
      ["/vercel/next.js/v15.0.0", "/vercel/next.js"],
      ["/vercel/next.js@v15.0.0", "/vercel/next.js"],
      ["nextjs", "/vercel/next.js"],
      ["Next JS", "/vercel/next.js"],
      ["next", "/vercel/next.js"],
      ["react-router-dom", "/remix-run/react-router"],
      ["@tanstack/react-query", "/tanstack/query"],
      ["react-query", "/tanstack/query"],
      ["supa", "/supabase/supabase"],
      ["superbase", "/supabase/supabase"],
      ["spuabase", "/supabase/supabase"],
      ["teact", "/facebook/react"],
      ["raect", "/facebook/react"],
      ["react-ruoter", "/remix-run/react-router"],
      ["the supabase library", "/supabase/supabase"],
      ["hosted database", "/supabase/supabase"],
    ])("finds for %s the library %s", async (name, id) => {
      const { index } = await filled();
      const candidates = await index.candidates([""], name, "", 50);
      expect(rankLibraries(name, "", candidates)[0]?.id).toBe(id);
    });

    it("finds nothing for a name that nothing resembles, or without letters", async () => {
      const { index } = await filled();
      expect(await idsOf(index, "zzyzx")).toEqual([]);
      expect(await idsOf(index, "?!")).toEqual([]);
      expect(await idsOf(index, `" OR words:*`)).toEqual([]);
    });

    it("shows libraries of the given teamspaces only", async () => {
      const { index } = await filled();
      expect(await idsOf(index, "handbook")).toEqual([]);
      expect(await idsOf(index, "/acme/handbook")).toEqual([]);
      expect(await idsOf(index, "handbok", "", ["team-b", ""])).toEqual([]);
      expect(await idsOf(index, "handbook", "", ["team-a", ""])).toEqual(["/acme/handbook"]);
      expect(await idsOf(index, "handbok", "", ["team-a", ""])).toEqual(["/acme/handbook"]);
    });

    it("keeps libraries of the same ID in two teamspaces apart", async () => {
      const { index } = await filled();
      await index.put(libraryEntry("/facebook/react", { teamspace: "team-a", title: "React" }));
      expect(
        (await index.candidates(["team-a", ""], "react", "", 50)).filter(({ id }) => id === "/facebook/react"),
      ).toHaveLength(2);
      await index.remove("team-a/facebook/react");
      expect((await idsOf(index, "react", "", ["team-a", ""])).filter((id) => id === "/facebook/react")).toHaveLength(
        1,
      );
    });

    it("returns the entries of given libraries, without missing ones", async () => {
      const { index } = await filled();
      const entries = await index.entries(["/facebook/react", "/nobody/knows", "team-a/acme/handbook"]);
      expect(entries.map(({ id }) => id).toSorted()).toEqual(["/acme/handbook", "/facebook/react"]);
      expect(entries).toContainEqual(libraries[1]);
      expect(await index.entries([])).toEqual([]);
    });

    it("replaces an entry that is put again", async () => {
      const { index } = await filled();
      await index.put(libraryEntry("/supabase/supabase", { title: "Renamed", description: "Other words." }));
      await index.put(libraryEntry("/supabase/supabase", { title: "Renamed", description: "Other words." }));
      expect(await idsOf(index, "Renamed")).toEqual(["/supabase/supabase"]);
      expect(rankLibraries("hosted database", "", await index.candidates([""], "hosted database", "", 50))).toEqual([]);
      expect(await index.uids()).toHaveLength(libraries.length);
    });

    it("forgets a removed entry, and ignores the removal of a missing one", async () => {
      const { index } = await filled();
      await index.remove("/supabase/supabase");
      await index.remove("/supabase/supabase");
      expect(await idsOf(index, "supabase")).toEqual([]);
      expect(await index.uids()).not.toContain("/supabase/supabase");
    });

    it("lists the uids of all entries", async () => {
      const { index } = await filled();
      expect((await index.uids()).toSorted()).toEqual(libraries.map(({ uid }) => uid).toSorted());
    });

    it("gives no more entries than asked for, the named one among them", async () => {
      const { index } = await filled();
      const others = Array.from({ length: 40 }, (_, at) =>
        libraryEntry(`/acme/react-${at}`, { totalSnippets: 1000 + at }),
      );
      await Promise.all(others.map((entry) => index.put(entry)));
      const candidates = await index.candidates([""], "react", "user interfaces", 10);
      expect(candidates.length).toBeLessThanOrEqual(10);
      expect(candidates.map(({ id }) => id)).toContain("/facebook/react");
    });

    it("finds a library by its ID's name, however many others claim that name", async () => {
      const { index } = await filled();
      const claiming = Array.from({ length: 60 }, (_, at) =>
        libraryEntry(`/evil/fork-${at}`, { aliases: ["react", "next.js"], totalSnippets: 9000, trust: 10 }),
      );
      await Promise.all(claiming.map((entry) => index.put(entry)));
      for (const [name, id] of [
        ["react", "/facebook/react"],
        ["Next.js", "/vercel/next.js"],
      ] as const) {
        const candidates = await index.candidates([""], name, "web user interfaces", 50);
        expect(rankLibraries(name, "web user interfaces", candidates)[0]?.id).toBe(id);
      }
    });

    it("finds the library of an owner by the beginning of the owner's name", async () => {
      const { index } = await filled();
      await index.put(libraryEntry("/gohugoio/hugo", { title: "Hugo" }));
      await index.put(libraryEntry("/gohugoio/hugothemes", { title: "Themes" }));
      const candidates = await index.candidates([""], "gohugo", "", 50);
      expect(rankLibraries("gohugo", "", candidates)[0]?.id).toBe("/gohugoio/hugo");
    });

    it("finds one of many libraries of a name by the question", async () => {
      const { index } = await create();
      const others = Array.from({ length: 300 }, (_, at) =>
        libraryEntry(`/acme/http-client-${at}`, { title: `HTTP client ${at}` }),
      );
      await Promise.all(others.map((entry) => index.put(entry)));
      await index.put(
        libraryEntry("/acme/fetcher", {
          title: "A client over HTTP",
          description: "Retries with jitter.",
          totalSnippets: 1,
        }),
      );
      expect(await idsOf(index, "http client", "retry with jitter")).toContain("/acme/fetcher");
    });

    describe("by what libraries say", () => {
      /** A subject of a hundred titles and a hundred passages, with the number of those that have each word. */
      const subject = (titles: Readonly<Record<string, number>>, words: Readonly<Record<string, number>>): Subject => ({
        titles: { total: 100, words: Object.entries(titles) },
        passages: { total: 100, words: Object.entries(words) },
      });
      const queue = subject({ jobs: 20, retries: 10 }, { job: 60, retry: 30, failed: 20, redis: 40 });
      const mail = subject({ attachments: 10 }, { mail: 80, attachment: 30, failed: 5, server: 20 });

      async function saying(): Promise<LibraryIndexSetup> {
        const made = await create();
        await made.index.put(libraryEntry("/acme/queue"), queue);
        await made.index.put(libraryEntry("/acme/mail"), mail);
        await made.index.put(libraryEntry("/acme/plain", { description: "Talks to a server." }));
        await made.index.put(libraryEntry("/team/jobs", { teamspace: "team-a" }), queue);
        return made;
      }

      async function saidIn(index: LibraryIndex, query: string, filter: Partial<ContentFilter> = {}) {
        const question = analyseQuestion(query);
        const matches = await index.byContent(question, { teamspaces: [""], limit: 50, ...filter });
        return rankByContent(question, matches).map(({ entry }) => entry.id);
      }

      it("finds the library that says most about a question first, with the entry as it was put", async () => {
        const { index } = await saying();
        expect(await saidIn(index, "how do I retry a failed job")).toEqual(["/acme/queue", "/acme/mail"]);
        expect(await saidIn(index, "send an attachment through a server")).toEqual(["/acme/mail", "/acme/plain"]);
        expect(await saidIn(index, "zebra")).toEqual([]);
        const { libraries: found } = await index.byContent(analyseQuestion("redis"), { teamspaces: [""], limit: 50 });
        expect(found.map(({ entry }) => entry)).toEqual([libraryEntry("/acme/queue")]);
      });

      it("counts the libraries of the given teamspaces, and those with each word", async () => {
        const { index } = await saying();
        for (const [teamspaces, total, withJobs] of [
          [[""], 3, 1],
          [["team-a", ""], 4, 2],
        ] as const) {
          const found = await index.byContent(analyseQuestion("failed jobs"), { teamspaces, limit: 50 });
          expect([found.total, found.frequency.get("job"), found.frequency.get("fail")]).toEqual([
            total,
            withJobs,
            withJobs + 1,
          ]);
        }
      });

      it("finds libraries of the given teamspaces, and of given uids only", async () => {
        const { index } = await saying();
        expect(await saidIn(index, "retry a job", { teamspaces: ["team-a"] })).toEqual(["/team/jobs"]);
        expect(await saidIn(index, "retry a job", { teamspaces: ["team-b"] })).toEqual([]);
        expect(await saidIn(index, "failed", { uids: ["/acme/mail", "/acme/plain"] })).toEqual(["/acme/mail"]);
      });

      it("forgets what a library said before it was put again or removed", async () => {
        const { index } = await saying();
        expect(await saidIn(index, "redis")).toEqual(["/acme/queue"]);
        await index.put(libraryEntry("/acme/queue"), mail);
        expect(await saidIn(index, "redis")).toEqual([]);
        expect((await saidIn(index, "attachments")).toSorted()).toEqual(["/acme/mail", "/acme/queue"]);
        await index.remove("/acme/mail");
        expect(await saidIn(index, "attachments")).toEqual(["/acme/queue"]);
      });

      it("still knows it when it is opened again", async () => {
        const { reopen } = await saying();
        expect(await saidIn(await reopen(), "retry a job")).toEqual(["/acme/queue"]);
      });
    });

    it("still has its entries when it is opened again", async () => {
      const { reopen } = await filled();
      const again = await reopen();
      expect(await again.uids()).toHaveLength(libraries.length);
      expect(await idsOf(again, "supabase")).toEqual(["/supabase/supabase"]);
    });
  });
}
