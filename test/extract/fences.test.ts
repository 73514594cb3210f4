import { describe, expect, it } from "vitest";
import { closesFence, fenceAround, readFenceLine } from "../../extract/markdown/fences.ts";

describe("a line", () => {
  it.each([
    ["```js title", { marker: "```", info: "js title" }],
    ["\t~~~~", { marker: "~~~~", info: "" }],
    ["~~~ a`b", { marker: "~~~", info: " a`b" }],
    ["```js\r", { marker: "```", info: "js\r" }],
    ["```js``` is code", undefined],
    ["``", undefined],
    ["> ```", undefined],
  ])("%j opens a fence, or none", (line, fence) => {
    expect(readFenceLine(line)).toEqual(fence);
  });

  it.each([
    ["```", "```", true],
    ["`````", "```", true],
    ["``", "```", false],
    ["~~~", "```", false],
    ["```js", "```", false],
  ])("%j closes a fence of %j: %j", (line, marker, closes) => {
    expect(closesFence(line, marker)).toBe(closes);
  });
});

it("is put around code that has fences in it", () => {
  expect(fenceAround("a()")).toBe("```");
  expect(fenceAround("````md\n```\n````")).toBe("`````");
});
