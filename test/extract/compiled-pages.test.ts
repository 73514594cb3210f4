import { expect, it } from "vitest";
import type { SourceSpec } from "../../domain/kinds/index.ts";
import { createFinisher, summarise } from "../../extract/finish.ts";
import { toPageLines, toLines } from "../../extract/passage-lines.ts";
import { extract } from "./extract.ts";

const spec: SourceSpec = {
  kind: "git",
  host: "github",
  url: "https://git.example.com/acme/widgets",
  branch: null,
  selection: { folders: [], excludeFolders: null, excludeFiles: null },
  skipVersionFiltering: false,
};

/** The paths of the passages that are served, and of those that replace the others. */
function served(pages: Readonly<Record<string, string>>) {
  const finisher = createFinisher();
  const lines: string[] = [];
  for (const [path, text] of Object.entries(pages)) {
    const result = extract(path, text);
    if (result.outcome === "skipped") continue;
    const found = toLines({ path, url: path }, result, { spec, revision: "abc" });
    lines.push(...found.map(({ line }) => `${path} ${(JSON.parse(line) as { title: string }).title}`));
    finisher.take(summarise(path, result), toPageLines(found).fingerprints);
  }
  const { folds } = finisher.finish();
  const folded = new Set(folds.map(({ line }) => line));
  return {
    stay: lines.filter((_, line) => !folded.has(line)),
    into: folds.map(({ line, into }) => `${lines[line] ?? ""} > ${lines[into] ?? ""}`),
  };
}

const words = (name: string): string => `${name} is told here in a text of some length. `.repeat(14);
const section = (name: string, link = "#a"): string => `## ${name}\n\n${words(name)} See [more](${link}).\n\n`;
const chapter = (name: string, link?: string): string =>
  ["one", "two", "three", "four"].map((part) => section(`${name} ${part}`, link)).join("");
const names = ["Alpha", "Beta", "Gamma", "Delta"];
const chapters = Object.fromEntries(
  names.map((name) => [`book/${name.toLowerCase()}.md`, `# ${name}\n\n${chapter(name)}`]),
);
/** Links of a page that has it all lead to itself. */
const whole = names.map((name) => `# ${name}\n\n${chapter(name, `#${name}`)}`).join("");

it("gives way to its parts, whatever it is called, wherever its links lead", () => {
  for (const path of ["book/a.md", "book/print.md", "zz.md"]) {
    const { stay } = served({ ...chapters, [path]: `# The book\n\n${whole}` });
    expect(stay.filter((line) => line.startsWith(path))).toEqual([]);
    expect(stay).toHaveLength(16);
  }
});

it("keeps what it says of its own", () => {
  const { stay } = served({
    ...chapters,
    "all.md": `# The book\n\n${section("Preface")}${whole}${section("Colophon")}`,
  });
  expect(stay.filter((line) => line.startsWith("all.md"))).toEqual(["all.md Preface", "all.md Colophon"]);
});

it("stays where its parts are not here, or only one or two are", () => {
  expect(served({ "all.md": `# The book\n\n${whole}`, "a.md": "# A\n\nAnother page.\n" }).into).toEqual([]);
  const two = Object.fromEntries(Object.entries(chapters).slice(0, 2));
  expect(
    served({ ...two, "all.md": `# The book\n\n${whole}` }).stay.filter((line) => line.startsWith("all")),
  ).toHaveLength(16);
});

it("gives way where there are two of its kind, into what is served", () => {
  const { stay, into } = served({ ...chapters, "all.md": `# All\n\n${whole}`, "print.md": `# Print\n\n${whole}` });
  expect(stay.every((line) => line.startsWith("book/"))).toBe(true);
  expect(into.every((line) => stay.some((kept) => line.endsWith(`> ${kept}`)))).toBe(true);
});
