import { describe, expect, it } from "vitest";

import { live } from "./live.ts";
import { codePassage, prosePassage } from "./samples.ts";
import { setup } from "./setup.ts";

/** What is said of the only page, which is not shown. */
const beside = `\n\n${"-".repeat(32)}\n\nNot shown above, or in part; read-page (\`lectern read\`) reads each of these:\n- README.md: Widgets`;

describe("an answer", () => {
  it("names rare words that no passage has, in the last line and in notes", async () => {
    const { ask } = await live();
    const note = 'No passage of /acme/widgets has "Absent" or "AbsentToo".';
    const text = (await ask("query=widget+Absent+AbsentToo")).body as string;
    expect(text.split("\n\n").at(-1)).toBe(`[${note}]`);
    expect((await ask("query=widget+Absent+AbsentToo&type=json")).body).toMatchObject({ notes: [note] });
    expect((await ask("query=widget&type=json")).body).not.toHaveProperty("notes");
  });

  it("names unread formats and what to do, if something is missing", async () => {
    const { send, submit, finish, own } = await setup();
    const runId = await submit("/acme/gears");
    await finish(runId, [codePassage]);
    own(runId, {}, { formats: "78 .textile files (Textile)", website: "https://gears.example/" });
    const ask = async (more: string) =>
      (await send("GET", `/v2/context?libraryId=/acme/gears&query=${more}`, { key: null })).body;
    const note = "Not read: 78 .textile files (Textile). Its website is: lectern add https://gears.example/";
    const none = "/acme/gears has none of the words of this question.";
    expect(await ask("zebra")).toBe(`${none}\n\n[${note}]${beside}`);
    expect(await ask("zebra&type=json")).toMatchObject({
      infoSnippets: [{ content: none }],
      notes: [none, note],
    });
    expect(await ask("size+Absent")).toMatch(/\n\n\[No passage of \/acme\/gears has "Absent"\. Not read: 78 .*\]$/);
    expect(await ask("size")).not.toContain("Not read");
  });

  it("names unread formats of a mostly unread library even if every word is found", async () => {
    const { send, submit, finish, own } = await setup();
    const runId = await submit("/acme/gears");
    await finish(runId, [codePassage]);
    own(runId, {}, { formats: "78 .textile files (Textile)", isMost: true });
    const { body } = await send("GET", "/v2/context?libraryId=/acme/gears&query=size", { key: null });
    expect(body).toMatch(/\n\n\[Not read: 78 \.textile files \(Textile\)\. If this documentation has a website.*\]$/);
  });

  it("uses only a passage titled as such as its introduction", async () => {
    const { send, submit, finish } = await setup();
    const about = { type: "prose", markdown: "Get what the context started with." } as const;
    const page = { title: "Context.get", url: "https://git.example.com/acme/gears/context.md" };
    const passage = { ...prosePassage, title: "get", breadcrumb: ["Context.get"], blocks: [about], page };
    await finish(await submit("/acme/gears"), [passage]);
    const ask = async () => (await send("GET", "/v2/context?libraryId=/acme/gears&query=zebra", { key: null })).body;
    const none = "/acme/gears has none of the words of this question; try other words.";
    expect(await ask()).toBe(`${none}${beside.replace("README.md: Widgets", "why.md: Context.get")}`);
  });

  it("says if the question is in another language than the documentation", async () => {
    const { send, submit, finish } = await setup();
    const english = "This is how to get started with the widgets that you have and for which there is a size.";
    await finish(await submit("/acme/gears"), [{ ...prosePassage, blocks: [{ type: "prose", markdown: english }] }]);
    const ask = async (query: string) =>
      (await send("GET", `/v2/context?${new URLSearchParams({ libraryId: "/acme/gears", query }).toString()}`)).body;
    expect(await ask("¿cómo puedo configurar una zebra?")).toMatch(
      /\[The question is in Spanish, the documentation in English: ask in English\.\]$/,
    );
    expect(await ask("如何配置斑马")).toMatch(
      /^\/acme\/gears has none of the words of this question\.\n.*Chinese.*\]$/s,
    );
    expect(await ask("how do I configure the zebra")).not.toContain("question is in");
  });
});
