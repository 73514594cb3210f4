import { describe, expect, it } from "vitest";
import { analyseQuestion, lookedUp } from "../../search/ranking/analyse-question.ts";
import { cpuSeconds } from "../support/cpu-time.ts";

describe("analyseQuestion", () => {
  it.each([
    ["How do I create an index?", "creat index"],
    ["Can you please show me an example of routing", "rout"],
    ["what's the best way to configure CORS", "configur cor"],
    ["useRouter useRouter router", "us router userout"],
    ["how do I use router hooks", "router hook"],
    ["how to", "how to"],
    ["the example", "the exampl"],
    ["getting started", "start"],
    ["forbid any in TypeScript files", "forbid ani typescript file"],
    ["JavaScript modules", "javascript modul"],
    ["Get a user", "get user"],
    ["a bidirectional stream in Go", "bidirect stream go"],
    ["where do I go", "where do i go"],
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

  it("leaves out a name of several words only where they are adjacent", () => {
    const library = { id: "/remix-run/react-router", title: "React Router" };
    expect(analyseQuestion("nested router outlets in React Router", library).terms).toEqual([
      "nest",
      "router",
      "outlet",
    ]);
  });

  it.each([
    ["GET /v1/customers/{id}", "get v1 custom id v1customersid"],
    ["what does POST /v1/charges do", "post v1 charg v1charges"],
    ["GET requests", "get request"],
    ["can I GET things", "can i get thing"],
    ["open src/app/page.tsx", "open src app page tsx page.tsx"],
    ["get a customer", "get custom"],
    ["how do I get a customer", "custom"],
  ])("keeps the route in %s as one name, and its method as a word: %s", (query, terms) => {
    expect(analyseQuestion(query).terms.join(" ")).toBe(terms);
  });

  it("knows synonyms of the command that a question begins with", () => {
    expect([...analyseQuestion("register a hook").standIns]).toContainEqual(["creat", "regist"]);
    expect([...analyseQuestion("fetch a hook").standIns]).toContainEqual(["get", "fetch"]);
    expect([...analyseQuestion("a hook that has to register").standIns]).not.toContainEqual(["creat", "regist"]);
  });

  it.each([
    ["remove a user", { term: "operationtoremov", isSure: true }],
    ["How do I find users?", { term: "operationtoread", isSure: true }],
    ["I want to upload a file", { term: "operationtocr", isSure: false }],
    ["users that were removed", undefined],
    ["user settings", undefined],
  ])("knows the mark of operations that do what the question wants: %s", (query, mark) => {
    const question = analyseQuestion(query);
    expect(question.mark).toEqual(mark);
    expect([...lookedUp(question)].filter((term) => term.startsWith("operationto"))).toEqual(mark ? [mark.term] : []);
  });

  it("ignores that what is created is new", () => {
    expect(analyseQuestion("create a new user").terms).toEqual(["creat", "user"]);
    expect(analyseQuestion("list new users").terms).toEqual(["list", "new", "user"]);
  });

  it("knows synonyms, and looks up none that the question has itself", () => {
    expect([...analyseQuestion("auth config").standIns]).toEqual([
      ["authent", "auth"],
      ["authn", "auth"],
      ["configur", "config"],
      ["cfg", "config"],
    ]);
    expect(analyseQuestion("auth or authentication").standIns.get("authent")).toBeUndefined();
  });

  it("looks up terms and stand-ins, each once", () => {
    const question = analyseQuestion("use config config, all of it, all at once");
    expect(lookedUp(question)).toEqual(["config", "configur", "cfg"]);
  });

  it("keeps codes and routes", () => {
    expect(analyseQuestion("FST_ERR_CTP 415 on /users/me with v5.1").terms).toEqual(
      expect.arrayContaining(["fsterrctp", "415", "user"]),
    );
  });

  it("takes linear time for a hostile question", () => {
    for (const query of [
      "/a".repeat(20_000),
      "a-".repeat(20_000),
      "compare ".repeat(5000),
      "f0".repeat(20_000),
      "at ".repeat(9000),
      "to ".repeat(9000),
      ", and then".repeat(4000),
    ]) {
      expect(cpuSeconds(() => analyseQuestion(query))).toBeLessThan(1);
    }
  });
});

it("corrects no word that is an English one, whatever else the documentation has", () => {
  expect(analyseQuestion("several shutdwon hooks").words).toEqual(["shutdwon"]);
});
