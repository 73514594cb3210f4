import { openAsciidoc } from "../../../extract/asciidoc/index.ts";
import { extractPage, formatOf } from "../../../extract/index.ts";
import { mediaTypeOf } from "../../../extract/formats.ts";
import { includesOf } from "../../../extract/includes/index.ts";
import type { PageResult } from "../../../extract/page.ts";
import { createIncludeRefs, resolveIncludes } from "../../../sources/lib/tree/includes.ts";

const encoder = new TextEncoder();

/** Extracts from a page of AsciiDoc in a tree of files, with the files that the tree's reader finds for it. */
export async function read(
  text: string,
  files: Readonly<Record<string, string>> = {},
  path = "docs/page.adoc",
): Promise<PageResult> {
  const contents = new Map(Object.entries({ ...files, [path]: text }).map(([at, one]) => [at, encoder.encode(one)]));
  const bytes = contents.get(path) ?? new Uint8Array();
  const refs = createIncludeRefs();
  refs.add(path, includesOf({ path, bytes }));
  const needed = await resolveIncludes([path], refs, {
    find: async (at) => (contents.has(at) ? { path: at, fingerprint: at } : undefined),
    fetch: async () => undefined,
    async *read(wanted) {
      for (const { path: at } of wanted) yield contents.get(at) ?? null;
    },
  });
  const found = needed(path).flatMap(({ path: at }) => {
    const content = contents.get(at);
    return content === undefined ? [] : [[at, content] as const];
  });
  const page = { path, mediaType: mediaTypeOf(path), bytes, files: new Map(found) };
  return extractPage(page, await formatOf(page.mediaType, page));
}

/** The blocks of a page, one text each: its lines, then its heading, prose or code. */
export async function blocksOf(text: string): Promise<string> {
  const document = (await openAsciidoc({ path: "docs/page.adoc", mediaType: "", bytes: encoder.encode(text) }))();
  if ("code" in document) return document.reason;
  const shown = document.blocks.map((block) => {
    const at = block.lines.join("-");
    if (block.type === "heading") return `${at} ${"#".repeat(block.level)} ${block.text} {#${block.id ?? ""}}`;
    if (block.type !== "code") return block.markdown === "" ? [] : `${at} ${block.markdown}`;
    const { language, file = "", label = "", tab, code } = block;
    const names = [language, file, label, tab === undefined ? "" : `tab ${tab.group}.${tab.tab} ${tab.label}`];
    return `${at} \`\`\`${names.filter(Boolean).join(", ")}\n${code}\n\`\`\``;
  });
  return [...shown.flat(), ...Array.from(document.footnotes, ([name, note]) => `[^${name}]: ${note}`)].join("\n");
}
