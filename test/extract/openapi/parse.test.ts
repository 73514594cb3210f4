import { expect, it } from "vitest";
import { parseFile } from "../../../extract/openapi/parse.ts";
import { versionOf } from "../../../extract/openapi/version.ts";

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

/** Each alias is only 40 deep. */
function deepAliases(): string {
  const nest = (inner: string): string => "[".repeat(40) + inner + "]".repeat(40);
  return ["x", "*d0", "*d1", "*d2", "*d3"].map((inner, at) => `d${at}: &d${at} ${nest(inner)}`).join("\n");
}
