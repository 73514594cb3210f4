import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { BodyFormat, ConfluencePart } from "../../extract/confluence/page.ts";
import { confluencePageType } from "../../extract/formats.ts";
import { extractPage, formatOf } from "../../extract/index.ts";
import type { ExtractedPassage } from "../../extract/page.ts";
import { codeInAdf, codeInStorage, toAdf, toMarkdown, toStorage } from "./confluence-forms.ts";
import { countBlocks, createSampler } from "./confluence-samples.ts";
import { endurance } from "../support/endurance.ts";

const fixtures = join(import.meta.dirname, "..", "fixtures", "confluence");
const root = "https://acme.atlassian.net/wiki";
const read = await formatOf(confluencePageType);

function extract(body: string, format: BodyFormat, more: Partial<ConfluencePart> = {}) {
  const part = {
    title: "Tools",
    above: [],
    format,
    body,
    space: "ENG",
    product: "cloud",
    root,
    links: {},
    included: {},
  };
  const bytes = Buffer.from(JSON.stringify({ ...part, ...more }));
  return extractPage(
    { path: "k", mediaType: confluencePageType, bytes, url: `${root}/spaces/ENG/pages/1/Tools` },
    read,
  );
}

function passagesOf(body: string, format: BodyFormat, more: Partial<ConfluencePart> = {}): readonly ExtractedPassage[] {
  const result = extract(body, format, more);
  return result.outcome === "indexed" ? result.passages : [];
}

function codeOf(passages: readonly ExtractedPassage[]): readonly string[] {
  return passages.flatMap(({ blocks }) =>
    blocks.flatMap((block) => (block.type === "code" ? block.codes.map(({ code }) => code) : [])),
  );
}

/** A passage without its location. In Markdown the checkbox of a task is part of the text before code. */
function said({ title, breadcrumb, blocks }: ExtractedPassage): unknown {
  const bare = blocks.map((block) =>
    block.type === "code"
      ? {
          title: block.title,
          description: block.description.replaceAll(/\[[ x]\] /g, ""),
          codes: block.codes.map(({ code, language, file }) => ({ code, language, file })),
        }
      : // Two lists one after the other are one in Markdown.
        block.markdown.replace(/\n+(?=[ >]*(?:-|\d+\.) )/g, "\n"),
  );
  return { title, breadcrumb, bare };
}

/** Passages as readable text. */
function shown(passages: readonly ExtractedPassage[]): string {
  return passages
    .map(({ title, breadcrumb, fragment, blocks }) =>
      [
        `== ${breadcrumb.join(" > ")} | ${title} | #${fragment ?? ""}`,
        ...blocks.map((block) =>
          block.type === "code"
            ? block.codes.map(({ code, language, file }) => `-- ${language} ${file ?? ""}\n${code}\n--`).join("\n")
            : block.markdown,
        ),
      ].join("\n"),
    )
    .join("\n\n");
}

const safety = `<p>Keep water at hand wherever there is fire.</p><ac:structured-macro ac:name="excerpt"><ac:parameter ac:name="name">short</ac:parameter><ac:rich-text-body><p>Water at hand, always.</p></ac:rich-text-body></ac:structured-macro><ac:structured-macro ac:name="include"><ac:parameter ac:name=""><ac:link><ri:page ri:content-title="Tools"/></ac:link></ac:parameter></ac:structured-macro>`;

it("reads a page with everything that there is, and says what it lacks", async () => {
  const body = await readFile(join(fixtures, "rich.xml"), "utf8");
  const result = extract(body, "storage", {
    above: ["Home", "Guides"],
    links: { "ENG:Builds": `${root}/spaces/ENG/pages/2/Builds` },
    included: { "ENG:Safety": { title: "Safety", space: "ENG", format: "storage", body: safety } },
  });
  if (result.outcome !== "indexed") throw new Error(result.reason);
  await expect(shown(result.passages)).toMatchFileSnapshot(join(fixtures, "rich.txt"));
  expect(result.subject).toBe("Home / Guides");
  expect(result.notes).toEqual([
    'The page "Tools" of ENG is included in a circle, or too deep.',
    'What it includes from the page "Nowhere" of ENG is missing or restricted.',
  ]);
});

it("reads the same of the Atlas document format", async () => {
  const body = await readFile(join(fixtures, "rich.json"), "utf8");
  const included = { "ENG:Safety": { title: "Safety", space: "ENG", format: "storage", body: safety } } as const;
  await expect(shown(passagesOf(body, "atlas_doc_format", { included }))).toMatchFileSnapshot(
    join(fixtures, "rich-adf.txt"),
  );
});

it.each([
  ["an element that is never closed", "<p>Words that are long enough to be read <b>by anybody"],
  ["elements that cross", "<p>Words that are <b>long <i>enough</b> to</i> be read by anybody.</p>"],
  ["a macro without a body", `<p>Words that are long enough to be read.</p><ac:structured-macro ac:name="code"/>`],
])("reads %s", (_name, body) => {
  expect(extract(body, "storage")).toMatchObject({ outcome: "indexed" });
});

it.runIf(endurance)("includes no more than anybody reads", () => {
  const include = `<ac:structured-macro ac:name="include"><ac:parameter ac:name=""><ac:link><ri:page ri:content-title="Long"/></ac:link></ac:parameter></ac:structured-macro>`;
  const long = { title: "Long", space: "ENG", format: "storage", body: `<p>${"Words. ".repeat(100_000)}</p>` } as const;
  const result = extract(include.repeat(500), "storage", { included: { "ENG:Long": long } });
  expect(result.notes).toEqual(["It includes more text than the limit; the rest is left out."]);
});

it.runIf(endurance)("reads a list of very many items, and code behind them", () => {
  const items = "<li>An item.</li>".repeat(150_000);
  const code = `<ac:structured-macro ac:name="code"><ac:plain-text-body><![CDATA[last();]]></ac:plain-text-body></ac:structured-macro>`;
  expect(codeOf(passagesOf(`<ul>${items}<li>Words that lead to code: ${code}</li></ul>`, "storage"))).toEqual([
    "last();",
  ]);
});

it("reads panels of unknown types as notes, also those named like members of an object", () => {
  const panel = (type: string) => ({
    type: "panel",
    attrs: { panelType: type },
    content: [
      { type: "paragraph", content: [{ type: "text", text: "Configure the proxy before the first request." }] },
    ],
  });
  const proseOf = (type: string) =>
    passagesOf(JSON.stringify({ type: "doc", content: [panel(type)] }), "atlas_doc_format").map(({ blocks }) => blocks);
  expect(proseOf("note")).not.toEqual([]);
  for (const type of ["constructor", "toString", "custom"]) expect(proseOf(type)).toEqual(proseOf("note"));
});

it("refuses what is nested too deep, in both formats", () => {
  const deep = "<div>".repeat(5000) + "x";
  expect(extract(deep, "storage")).toMatchObject({ outcome: "skipped", code: "too_large" });
  const nodes = `{"type":"blockquote","content":[`.repeat(3000) + "]}".repeat(3000);
  expect(extract(`{"type":"doc","content":[${nodes}]}`, "atlas_doc_format")).toMatchObject({ outcome: "skipped" });
});

const pages = Array.from({ length: 60 }, (_, seed) => createSampler(seed + 1).page(18));

describe("blocks of every type, in each other", () => {
  it("are counted", () => {
    expect(pages.reduce((sum, page) => sum + countBlocks(page), 0)).toBeGreaterThan(2000);
  });

  it.each([
    ["storage", toStorage, codeInStorage],
    ["atlas_doc_format", toAdf, codeInAdf],
  ] as const)("keep their code in %s", (format, write, find) => {
    let [all, exact] = [0, 0];
    for (const page of pages) {
      const source = write(page);
      const found = [...codeOf(passagesOf(source, format))];
      for (const code of find(source)) {
        all += 1;
        const at = found.indexOf(code);
        if (at < 0) continue;
        found.splice(at, 1);
        exact += 1;
      }
    }
    expect(all).toBeGreaterThan(500);
    expect(exact / all).toBeGreaterThanOrEqual(0.995);
  });

  it("give the passages that their Markdown gives", async () => {
    const markdown = await formatOf("text/markdown");
    for (const page of pages) {
      const bytes = Buffer.from(`# Tools\n\n${toMarkdown(page)}\n`);
      const other = extractPage({ path: "tools.md", mediaType: "text/markdown", bytes }, markdown);
      const wanted = other.outcome === "indexed" ? other.passages : [];
      expect(passagesOf(toStorage(page), "storage").map(said)).toEqual(wanted.map(said));
    }
  });

  it("give the same in both formats", () => {
    for (const page of pages) {
      const untitled = JSON.parse(JSON.stringify(page), (key, value: unknown) =>
        key === "title" && typeof value === "string" && value.startsWith("file") ? "" : value,
      ) as typeof page;
      expect(passagesOf(toAdf(untitled), "atlas_doc_format").map(said)).toEqual(
        passagesOf(toStorage(untitled), "storage").map(said),
      );
    }
  });
});
