import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sourceTypeOf } from "../../extract/formats.ts";
import { extractPage, formatOf } from "../../extract/index.ts";
import { codesOf, passagesOf } from "./extract.ts";

const folder = join(import.meta.dirname, "..", "fixtures", "declared");
const names = readdirSync(folder).flatMap((name) => (name.endsWith(".txt") ? name.slice(0, -4) : []));

async function read(path: string, text: string) {
  const mediaType = sourceTypeOf(path) ?? "";
  return extractPage({ path, mediaType, bytes: new TextEncoder().encode(text) }, await formatOf(mediaType));
}

/** The passages of a page as Markdown: prose, and code with its lines. */
function shown(page: Awaited<ReturnType<typeof read>>): string {
  return passagesOf(page)
    .flatMap(({ blocks }) => blocks)
    .map((block) =>
      block.type === "prose"
        ? block.markdown
        : block.codes
            .map(({ language, code }) => `\`\`\`${language} lines ${block.lines.join("-")}\n${code}\n\`\`\``)
            .join("\n"),
    )
    .join("\n\n")
    .concat("\n");
}

describe("the public names of a source", () => {
  it.each(names)("with their comments: %s", async (name) => {
    const text = readFileSync(join(folder, `${name}.txt`), "utf8");
    const page = await read(name, text);
    await expect(shown(page)).toMatchFileSnapshot(join(folder, `${name}.md`));
    const lines = text.split("\n");
    for (const {
      code,
      lines: [first, last],
    } of codesOf(page)) {
      const place = lines.slice(first - 1, last).join("\n");
      for (const line of code.split("\n")) expect(place).toContain(line.trim());
    }
  });
});

describe("hostile sources", () => {
  const most = 300_000;
  const repeated = (text: string): string => text.repeat(Math.ceil(most / text.length));
  const forms: readonly (readonly [path: string, text: string])[] = [
    ["a.java", repeated("public class A { ")],
    ["a.java", `/** ${repeated("<pre>{@code ")} */ public class A {}`],
    ["a.cs", repeated("/// <summary><code>\n")],
    ["a.cs", repeated("namespace A { public class B { ")],
    ["a.rb", repeated("module A\nclass B\n")],
    ["a.rb", repeated("# @param [")],
    ["a.php", `<?php ${repeated("class A { function b() { ")}`],
    ["a.php", `<?php ${repeated("/** @param a $b */ function f() {} ")}`],
    ["a.hpp", repeated("namespace a { template <class T> ")],
    ["a.hpp", repeated("A_B C_D E_F ")],
    ["a.hpp", repeated("int (*(*(")],
    ["a.hpp", repeated("struct A { struct B; ")],
    ["a.ts", repeated("export class A { a() { ")],
    ["a.ts", repeated("/** @param {")],
    ["a.js", repeated("module.exports = exports = ")],
    ["a.js", repeated("exports.a = { b: ")],
  ];
  it.each(forms)("cost little time: %s %#", async (path, text) => {
    const before = process.cpuUsage();
    await read(path, text);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(6000);
  });
});
