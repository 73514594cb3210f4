import { describe, expect, it } from "vitest";
import { analyseQuestion, lookedUp } from "../../ranking/question.ts";

describe("analyseQuestion", () => {
  it.each([
    ["How do I create an index?", "creat index"],
    ["Can you please show me an example of routing", "rout"],
    ["what's the best way to configure CORS", "configur cor"],
    ["useRouter useRouter router", "us router userout"],
    ["how do I use router hooks", "router hook"],
    ["how to", "how to"],
    ["the example", "the exampl"],
    ["", ""],
    ["?!", ""],
  ])("makes of %s the terms %s", (query, terms) => {
    expect(analyseQuestion(query).terms.join(" ")).toBe(terms);
  });

  it.each([
    ["middleware in Next.js", "middlewar"],
    ["nextjs middleware", "middlewar"],
    ["Next JS middleware", "middlewar"],
    ["next page", "next page"],
    ["next.js", "next js next.js"],
    ["how to use Next.js", "next js next.js"],
  ])("leaves the library's own name out of %s", (query, terms) => {
    expect(analyseQuestion(query, { id: "/vercel/next.js", title: "Next.js" }).terms.join(" ")).toBe(terms);
  });

  it("leaves out a name of several words only where they stand together", () => {
    const library = { id: "/remix-run/react-router", title: "React Router" };
    expect(analyseQuestion("nested router outlets in React Router", library).terms).toEqual([
      "nest",
      "router",
      "outlet",
    ]);
  });

  it("pairs the terms that stand side by side", () => {
    expect(analyseQuestion("how do I create an index template").pairs).toEqual([
      ["creat", "index"],
      ["index", "templat"],
    ]);
    expect(analyseQuestion("useRouter hook").pairs).toEqual([
      ["us", "router"],
      ["userout", "hook"],
    ]);
    expect(analyseQuestion("router").pairs).toEqual([]);
  });

  it("guesses the identifiers that words side by side may spell, a few of them", () => {
    expect(analyseQuestion("how do I use router hooks").guesses).toEqual(["userout", "routerhook"]);
    expect(analyseQuestion("queryClient").guesses).toEqual([]);
    expect(analyseQuestion("one two three four five six seven eight nine ten").guesses).toHaveLength(4);
  });

  it("knows other words for the same, and looks none up that the question has itself", () => {
    expect([...analyseQuestion("auth config").standIns]).toEqual([
      ["authent", "auth"],
      ["authn", "auth"],
      ["configur", "config"],
      ["cfg", "config"],
    ]);
    expect(analyseQuestion("auth or authentication").standIns.get("authent")).toBeUndefined();
  });

  it("knows by which words documentation has what people ask for, and not the other way round", () => {
    expect(analyseQuestion("hammer it").standIns.get("throttl")).toBe("hammer");
    expect(analyseQuestion("throttle it").standIns.get("hammer")).toBeUndefined();
  });

  it("takes words of how many and which for something asked besides, unless there are no others", () => {
    const { terms, amounts } = analyseQuestion("name Each file, all folders, every link, only them, each one");
    expect(terms).toEqual(["name", "file", "folder", "link"]);
    expect(amounts).toEqual(["each", "all", "everi", "onli"]);
    expect(analyseQuestion("only each")).toMatchObject({ terms: ["onli", "each"], amounts: [] });
  });

  it("looks up terms, guesses, stand-ins and words of how many, each once", () => {
    const question = analyseQuestion("use config config, all of it, all at once");
    expect(lookedUp(question)).toEqual([...new Set(lookedUp(question))]);
    expect(lookedUp(question)).toEqual(expect.arrayContaining(["config", "configur", "all"]));
  });

  it("leaves out of an error message what differs from one sighting to the next", () => {
    const seen = (where: string) => analyseQuestion(`Error: Cannot open database ${where}: disk is full`).terms;
    for (const where of [
      "/home/ann/app/data/my.db",
      "C:\\Users\\ann\\app\\my.db",
      "https://db.example.com:5432/my?x=1",
      "0x7ffe12ab",
      "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
      "9f86d081884c7d65",
      "192.168.10.12:5432",
      "123456",
    ])
      expect(seen(where)).toEqual(["error", "cannot", "open", "databas", "disk", "full"]);
  });

  it.each(["'./Button.css'", '"src/app/page.tsx:12:3"', "`..\\my files\\a.json`"])(
    "leaves the quoted path %s out",
    (path) => {
      const { terms } = analyseQuestion(`Error: can't resolve ${path} in the users' project`);
      expect(terms).toEqual(["error", "resolv", "user", "project"]);
    },
  );

  it.each(["'next/image'", '"node:fs/promises"', "'tsconfig.json'", "the users' a/b.js isn't"])("keeps %s", (text) => {
    const { terms } = analyseQuestion(`cannot resolve ${text}`);
    expect(terms).toEqual(analyseQuestion(`cannot resolve ${text.replaceAll(/["'`]/g, " ")}`).terms);
  });

  it("keeps codes, versions and routes", () => {
    expect(analyseQuestion("FST_ERR_CTP 415 on /users/me with v5.1").terms).toEqual(
      expect.arrayContaining(["fsterrctp", "415", "user"]),
    );
    expect(analyseQuestion("/home/ann/app/data.db").terms).not.toEqual([]);
  });

  it.each([
    [
      "difference between updateTag and revalidateTag",
      [
        ["updat", "tag", "updatetag"],
        ["revalid", "tag", "revalidatetag"],
      ],
    ],
    ["Pool vs. Agent", [["pool"], ["agent"]]],
    ["what is the difference between Client, Pool and Agent", [["client"], ["pool"], ["agent"]]],
    ["should I use hooks or middleware?", [["hook"], ["middlewar"]]],
    ["compare sessions with tokens", [["session"], ["token"]]],
    ["hooks and middleware", []],
  ])("sees the sides of %s", (query, sides) => {
    expect(analyseQuestion(query).sides).toEqual(sides);
  });

  it("takes the words of a comparison for no matter of it", () => {
    expect(analyseQuestion("difference between hooks and middleware").terms).toEqual(["hook", "middlewar"]);
    expect(analyseQuestion("compare two snapshots").terms).toEqual(["compar", "two", "snapshot"]);
  });

  it.each([
    ["how do I upgrade from v4 to v5", "news"],
    ["which plugins for mail exist", "project"],
    ["TypeError: x is not a function", "trouble"],
    ["switching from webpack", "news"],
    ["is this option deprecated", "old"],
    ["a tutorial for beginners", "lesson"],
  ])("sees of %s that it asks for pages of a kind", (query, kind) => {
    expect([...analyseQuestion(query).kinds]).toContain(kind);
  });

  it.each(["change the port of the server", "how do I release two packages"])(
    "sees of %s that it asks for no news",
    (query) => {
      expect([...analyseQuestion(query).kinds]).toEqual([]);
    },
  );

  it("takes no longer for a hostile question than its length", () => {
    for (const query of [
      "/a".repeat(20_000),
      "a-".repeat(20_000),
      "compare ".repeat(5000),
      "f0".repeat(20_000),
      "at ".repeat(9000),
    ]) {
      const start = process.cpuUsage();
      analyseQuestion(query);
      expect(process.cpuUsage(start).user).toBeLessThan(1_000_000);
    }
  });
});
