import { expect, it } from "vitest";
import { parseFile, versionOf } from "../../../extract/openapi/parse.ts";

const parse = (text: string | Uint8Array): unknown =>
  parseFile(typeof text === "string" ? new TextEncoder().encode(text) : text, "api.yaml");

const bomb = [
  "a0: &a0 [x, x, x, x, x, x, x, x, x, x]",
  ...Array.from({ length: 12 }, (_, at) => `a${at + 1}: &a${at + 1} [${Array(10).fill(`*a${at}`).join(", ")}]`),
].join("\n");

it.each<[string, string | Uint8Array, RegExp]>([
  ["JSON with a comma too many", '{\n  "openapi": "3.1.0",\n}', /at line 3, column 1\./],
  ["JSON that breaks off", '{"openapi": "3.1.0", "info"', /at line 1, column 28\./],
  ["YAML with a wrong indentation", "openapi: 3.1.0\ninfo:\n  title: [a\nb", /at line 4, column 1\./],
  ["YAML that says a thing twice", "openapi: 3.1.0\nopenapi: 3.1.0", /at line 2, column 1\./],
  ["YAML with tags of a language", "openapi: !!js/function x", /at line 1, column 10\./],
  ["a bomb of aliases", bomb, /aliases come to more than 10000000 values at #\/a6\./],
  ["an alias that contains itself", "a: &a\n  b: [*a]", /an alias contains itself at #\/a\/b\/0\./],
  ["JSON that is nested too deep", `\n${"[".repeat(100_000)}`, /nested more than 120 deep at line 2\./],
  ["YAML that is nested too deep", `a: ${"[".repeat(100_000)}`, /exceeded maxDepth/],
  ["aliases that are nested too deep", deepAliases(), /nested more than 120 deep at #\/d/],
  ["a page of HTML", "<!DOCTYPE html><html>", /page of HTML or XML/],
  ["nothing", " \n", /it is empty/],
  ["bytes that are no text", Uint8Array.of(0xff, 0xfe, 0x00), /not UTF-8/],
])("%s is a failure that says where", (_, text, message) => {
  expect(() => parse(text)).toThrow(
    expect.objectContaining({ code: "source_invalid", message: expect.stringMatching(message) }),
  );
});

it("YAML is that of OpenAPI: dates and yes are texts, and merge keys are followed", () => {
  const text = "200: &a { x: 2024-01-01 }\nb: { <<: *a, y: yes, __proto__: 1 }\n";
  const value = parse(text) as { b: object };
  expect(value).toMatchObject({ "200": { x: "2024-01-01" }, b: { x: "2024-01-01", y: "yes" } });
  expect(Object.getPrototypeOf(value.b)).toBe(Object.prototype);
});

it.each([
  [{ swagger: "2.0" }, "2.0"],
  [{ swagger: 2 }, "2.0"],
  [{ openapi: "3.0.3" }, "3.0"],
  [{ openapi: 3.1 }, "3.1"],
  [{ openapi: "3.1.0-rc1" }, "3.1"],
  [{ openapi: "3.2.0" }, "3.2"],
  [{ openapi: "3.3.0" }, "3.2"],
])("%o is read as version %s", (said, version) => {
  expect(versionOf(said, "api.yaml")).toBe(version);
});

it.each([
  [[]],
  [{}],
  [{ swagger: "1.2" }],
  [{ openapi: "2.0" }],
  [{ openapi: "4.0" }],
  [{ openapi: { a: 1 } }],
  ["text"],
  [null],
])("%o is no description", (said) => {
  expect(() => versionOf(said, "api.yaml")).toThrow(/^api\.yaml is no OpenAPI description: .*\.$/);
});

/** An object whose closing bracket js-yaml refuses, and one that it reads. */
const [closedAtKey, closedFurther] = ["info: {\n  title: x\n}\n", "info: {\n  title: x\n }\n"];

it.each([
  ["numbers", "a: [1, 1.10, 0x1F, 0o17, 1e3, .inf, .nan, -0, 007, 12345678901234567890, +1, 1_000, 1.]"],
  ["words and nothing", "a: [~, Null, true, yes, 'no', \"1\", 2024-01-01, 1:30, <<]\nb:\n"],
  ["texts", 'a: |\n  one\n   two\n\nb: >-\n  three\n  four\nc: "\\u00e9\\n"\nd: it\'s\ne: one\n  two # three\n'],
  ["keys", "200: a\n0x10: b\ntrue: c\n~: d\n1.0: e\n'<<': f\n__proto__: { g: 1 }\n? h\n: i\n? j\n"],
  ["aliases", "a: &a [1, &b {c: 2}]\nd: *a\ne: *b\nf: &a 3\ng: *a\nh: &h\ni: *h\n&j j: *j\n*a : 4"],
  [
    "merge keys",
    "a: &a { x: 1, y: 1 }\nb: &b { y: 2, z: 2 }\nc: { w: 0, <<: [*a, *b], z: 3 }\nd:\n  <<: *b\n  <<: { v: 1 }\n",
  ],
  ["tags", "a: !!str 1\nb: !!int '2'\nc: !!map {}\nd: ! 3\ne: !!null ''"],
])("a closing brace in the column of its key changes nothing in %s", (_, rest) => {
  const inOrder = (text: string): string => JSON.stringify(parse(text));
  for (const head of ["", "%YAML 1.1\n---\n"]) {
    const text = `${head}${closedAtKey}${rest}`;
    const well = `${head}${closedFurther}${rest}`;
    expect(parse(text)).toStrictEqual(parse(well));
    expect(inOrder(text)).toBe(inOrder(well));
  }
});

it.each([
  ["says a thing twice", "a: 1\na: 2"],
  ["says a thing twice, as a number and as a text", "1: a\n'1': b"],
  ["has tags of a language", "a: !!js/function x"],
  ["has a wrong indentation", "a: [b\nc"],
  ["has an alias of nothing", "a: *b"],
  ["merges what is no map", "a: { <<: [1] }"],
  ["has keys that are no text", "? [a]\n: b"],
  ["is two documents", "---\na: 1"],
  ["has more aliases than a file may", `a: &a 1\nb: [${"*a, ".repeat(10_001)}]`],
  ["has more merged keys than a file may", `a: &a { x: 1, y: 2 }\nb: [${"{ <<: *a }, ".repeat(5000)}]`],
  ["is nested deeper than a stack", `a: ${"[".repeat(100_000)}${"]".repeat(100_000)}`],
])("YAML with a closing brace in the column of its key that %s is refused for the brace", (_, rest) => {
  expect(() => parse(`${closedAtKey}${rest}`)).toThrow(
    expect.objectContaining({ code: "source_invalid", message: expect.stringMatching(/ at line 3, column 1\./) }),
  );
});

it.each([
  ["a bomb of aliases", bomb, /aliases come to more than 10000000 values at #\/a6\./],
  ["alias that contains itself", "a: &a\n  b: [*a]", /an alias contains itself at #\/a\/b\/0\./],
  ["such alias under a name that was another's", "a: &a 1\nb: &a [*a]", /an alias contains itself at #\/b\/0\./],
  ["aliases that are nested too deep", deepAliases(), /nested more than 120 deep at #\/d/],
])("YAML with a closing brace in the column of its key has no %s either", (_, rest, message) => {
  expect(() => parse(`${closedAtKey}${rest}`)).toThrow(
    expect.objectContaining({ code: "source_invalid", message: expect.stringMatching(message) }),
  );
});

it("all closing braces of a file may be in the columns of their keys", () => {
  const text = Array.from({ length: 200 }, (_, at) => `k${at}: {\n  a: [\n  1\n  ]\n}\nb${at}: |\n  {\n  }\n`).join("");
  const value = parse(text) as Record<string, unknown>;
  expect([Object.keys(value).length, value["k199"], value["b199"]]).toEqual([400, { a: [1] }, "{\n}\n"]);
});

it("a map of many keys takes it no time that grows with their square", () => {
  const keys = Array.from({ length: 50_000 }, (_, at) => `k${at}: ${at}`).join("\n");
  const started = process.threadCpuUsage();
  expect(Object.keys(parse(`${closedAtKey}${keys}`) as object)).toHaveLength(50_001);
  expect(process.threadCpuUsage(started).user / 1000).toBeLessThan(20_000);
});

/** Each alias is only 40 deep. */
function deepAliases(): string {
  const nest = (inner: string): string => "[".repeat(40) + inner + "]".repeat(40);
  return ["x", "*d0", "*d1", "*d2", "*d3"].map((inner, at) => `d${at}: &d${at} ${nest(inner)}`).join("\n");
}

it.each([
  [
    "openapi: 3.0.0\ninfo:\n  title: \"A long\n  title\"\n  version: '1\n\n  2'\n",
    { openapi: "3.0.0", info: { title: "A long title", version: "1\n2" } },
  ],
  ['a: "x\ny: z\n- it\'s"\nb: 1\n', { a: "x y: z - it's", b: 1 }],
  ['a:\n  - "x\n  y"\n  - z\n', { a: ["x y", "z"] }],
])("a quoted text goes on in the column of its parent: %j", (text, expected) => {
  expect(parse(text)).toEqual(expected);
});

it.each(['a: "x\nb: 1\n', 'a: "x\nb: "y"\nc: 1\n', `a: "${"x\n".repeat(3000)}`, `a: "x\ny"z\n`])(
  "a quoted text that does not end is refused where it goes wrong: %j",
  (text) => {
    const started = process.threadCpuUsage();
    expect(() => parse(text)).toThrow(
      expect.objectContaining({ code: "source_invalid", message: expect.stringMatching(/ at line 2, column \d+\./) }),
    );
    expect(process.threadCpuUsage(started).user / 1000).toBeLessThan(5000);
  },
);
