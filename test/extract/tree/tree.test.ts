import { expect, it } from "vitest";
import { runs } from "../../support/endurance.ts";
import { cannotSay, formats, generate, nodesOf, wordPattern, type Format, type Node } from "./document.ts";
import { fault, passagesOf, said, shrink, sourceOf } from "./reading.ts";

/** What a format says otherwise than Markdown: addresses with brackets or without, delimiters of TeX, marks as a set for each word. */
const saidOtherwise: Readonly<Record<Format, readonly string[]>> = {
  markdown: [],
  mdx: ["autolink"],
  html: ["autolink", "math", "formula"],
  confluence: ["autolink"],
  adf: ["autolink", "nested"],
  notion: ["autolink", "nested"],
};

const count = runs({ short: 300, long: 5000 });

/** A document in a format, with what is served of it. */
function shown(format: Format, nodes: readonly Node[], variant: number): string {
  const source = sourceOf(format, nodes, variant);
  const served = JSON.stringify(said(passagesOf(format, source)), null, 1);
  return `--- ${format}, form ${variant}\n${source}\n--- served\n${served}`;
}

/** The smallest documents with the first kinds of faults; "" without. */
function faults(
  names: readonly Format[],
  without: readonly string[],
  faultOf: (nodes: readonly Node[], variant: number) => string,
): string {
  const smallest = new Map<string, string>();
  let failed = 0;
  for (let seed = 0; seed < count; seed += 1) {
    const [nodes, variant] = [generate(seed, names, without), seed % 3];
    if (faultOf(nodes, variant) === "") continue;
    failed += 1;
    if (failed > 8) continue;
    const least = shrink(nodes, (some) => faultOf(some, variant));
    const what = faultOf(least, variant);
    smallest.set(
      what.replace(wordPattern, "…"),
      `=== seed ${seed}: ${what}\n${names.map((name) => shown(name, least, variant)).join("\n")}`,
    );
  }
  return failed === 0 ? "" : `${failed} of ${count} documents\n\n${[...smallest.values()].join("\n\n")}`;
}

it.each(formats)("serves every node in every nesting as its source says it: %s", (format) => {
  const found = faults([format], [], (nodes, variant) => fault(format, nodes, variant));
  expect(found === "", found).toBe(true);
});

it.each(formats.slice(1))("gives the same passages of Markdown and %s", (format) => {
  const names = ["markdown", format] as const;
  const found = faults(names, saidOtherwise[format], (nodes, variant) => {
    const [one, other] = names.map((name) => JSON.stringify(said(passagesOf(name, sourceOf(name, nodes, variant)))));
    return one === other ? "" : "the passages differ";
  });
  expect(found === "", found).toBe(true);
});

it.each(formats)("has documents with every node that can be said: %s", (format) => {
  const all = Array.from({ length: 100 }, (_, seed) => generate(seed, [format])).flat();
  for (const kind of "em del sup sub kbd image math note definitions tabs caption formula figure callout".split(" "))
    expect(nodesOf(all, kind).length > 0, kind).toBe(!cannotSay[format].includes(kind));
});
