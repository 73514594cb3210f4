import { expect, it } from "vitest";
import { createFolding, readPart } from "../../activities/parts.ts";
import { isServed, linesOf, readPassage } from "../../domain/passage.ts";
import { setup } from "./website-setup.ts";

const name = (number: number): string => `part${"abcdefghijklmnopqrstuvwxyz".charAt(number % 26)}${number}`;
const paths = (count: number): string[] => Array.from({ length: count }, (_, number) => `/${name(number)}`);

/** A page of a site whose menus and footers have markup that says nothing. */
function page(
  number: number,
  count: number,
  body: string,
  footer = "The Anvil Works of Lower Smithy, since 1902.",
): string {
  const items = paths(count).map((path, at) =>
    at === number ? `<li><b>${path}</b></li>` : `<li><a href="${path}">${path}</a></li>`,
  );
  return `<!doctype html><html><head><title>${name(number)}</title></head><body>
<div class="a1"><div>Version 7 is out.</div><div><a href="/">Acme</a> <a href="/blog">Blog</a></div><ul>${items.join("")}</ul></div>
<div class="a2"><h1>${name(number)}</h1>${body}<div><a href="${paths(count)[number - 1] ?? ""}">Back to ${number - 1}</a></div></div>
<div class="a3"><div><h4>Community</h4><ul><li><a href="https://chat.example.com">Chat</a></li><li><a href="/terms">Terms</a></li></ul></div>
<div>${footer}</div></div></body></html>`;
}

const own = (number: number): string =>
  `<p>Here ${name(number)} is told in a paragraph that is long enough to be one of documentation and has its own words.</p>`;
const code = (text: string): string => `<pre><code class="language-js">${text}</code></pre>`;

/** Indexes a site of these pages; `served` are the texts of all served passages by page, as the index gets them. */
async function site(pages: readonly string[]) {
  const all = Object.fromEntries(paths(pages.length).map((path, number) => [path, pages[number] ?? ""]));
  const made = await setup({ "/": `<a href="${paths(pages.length)[0]}">one</a>`, ...all }, { etags: true });
  const index = async () => {
    const { manifest, unchanged } = await made.index("/", { maxDepth: 20 });
    const fold = createFolding(manifest);
    const served: Record<string, string> = {};
    let passages = 0;
    for (const part of manifest.parts)
      for (const passage of Array.from(linesOf(Buffer.from(fold(await readPart(made.blobs, part)))), readPassage)) {
        if (!isServed(passage)) continue;
        passages += 1;
        const key = new URL(passage.page.url).pathname;
        served[key] = `${served[key] ?? ""}${passage.title}\n${JSON.stringify(passage.blocks)}\n`;
      }
    expect(passages).toBe(manifest.counts.passages);
    return { served, manifest, unchanged, text: Object.values(served).join("\n") };
  };
  return { ...made, index };
}

it("leaves menus and footers out that most pages repeat, whatever their markup, and says so", async () => {
  const pages = Array.from({ length: 12 }, (_, number) =>
    page(number, 12, `${own(number)}<h2>Use</h2>${code(`use(${number});`)}<p>After ${number} all is well.</p>`),
  );
  const { index } = await site(pages);
  const { served, text, manifest } = await index();
  expect(text).not.toMatch(/Lower Smithy|Community|Chat|Terms|Blog|Version 7|\[\/part/);
  for (const [number, path] of paths(12).entries()) {
    expect(served[path]).toContain(`Here ${name(number)} is told`);
    expect(served[path]).toContain(`use(${number});`);
    expect(served[path]).toContain(`After ${number} all is well.`);
  }
  expect(manifest.notes).toContainEqual(expect.stringMatching(/^Menus, footers .* left out of \d+ passages\.$/));
});

it("keeps what pages repeat as content: texts of some pages, code, tables, and once a closing text of all", async () => {
  const count = 20;
  const table = "<table><tr><th>Code</th><th>Meaning</th></tr><tr><td>401</td><td>No key</td></tr></table>";
  const pages = Array.from({ length: count }, (_, number) =>
    page(
      number,
      count,
      `<p>Each request has a key.</p>${own(number)}${number % 3 === 0 ? "" : '<p>Extends <a href="/base">Component</a></p>'}
<h2>Use of ${number}</h2><p>The same words introduce the call on each page:</p>${code("connect();")}<p>Its words: ${name(number)}.</p>
<h2>Errors</h2><p>A call without a key fails.</p>${number % 3 === 0 ? "" : "<p>It needs the scope of admins.</p>"}${table}`,
    ),
  );
  const { index } = await site(pages);
  const { served, text } = await index();
  expect(text).not.toMatch(/Lower Smithy|Community/);
  const holders = (words: string): number => Object.values(served).filter((one) => one.includes(words)).length;
  expect(holders("Each request has a key.")).toBe(count);
  expect(holders("The same words introduce the call")).toBe(count);
  expect(holders("connect();")).toBe(count);
  expect(holders("| 401 | No key |")).toBe(count);
  expect(holders("A call without a key fails.")).toBe(count);
  expect(holders("It needs the scope of admins.")).toBe(13);
  expect(holders("Extends [Component]")).toBe(13);
});

it("keeps the closing text of all pages once where no menu tells that it is none of the content", async () => {
  const pages = Array.from(
    { length: 9 },
    (_, number) =>
      `<h1>${name(number)}</h1>${own(number)}<a href="${paths(9)[number + 1] ?? "/"}">Next</a><div>Call us at any time of the day.</div>`,
  );
  const { served } = await (await site(pages)).index();
  expect(Object.keys(served)).toHaveLength(9);
  expect(Object.values(served).filter((text) => text.includes("Call us"))).toHaveLength(1);
});

it("keeps the types that most pages of an API end with", async () => {
  const base = (kind: string, type: string): string =>
    `<div>${kind} <a href="https://api.example.com/${type}">${type}</a></div>`;
  const supers = `<h2>Supertypes</h2>${base("class", "Objects")}${base("trait", "Serializable")}<div>trait Matchable</div>`;
  const pages = Array.from(
    { length: 12 },
    (_, number) =>
      `<h1>${name(number)}</h1>${own(number)}${number % 3 === 0 ? "" : supers}<a href="${paths(12)[number + 1] ?? "/"}">Next</a>`,
  );
  const { text } = await (await site(pages)).index();
  for (const words of ["class [Objects]", "trait [Serializable]", "trait Matchable"])
    expect(text.split(words)).toHaveLength(9);
});

it("leaves a site of few pages as it is", async () => {
  const { index } = await site(Array.from({ length: 4 }, (_, number) => page(number, 4, own(number))));
  const { served, manifest } = await index();
  for (const path of paths(4)) expect(served[path]).toContain("Lower Smithy");
  expect(manifest.cuts).toBeUndefined();
});

it("decides again at each refresh, also about pages that have not changed, and finds the same without a change", async () => {
  const pages = Array.from({ length: 8 }, (_, number) => page(number, 8, own(number)));
  const made = await site(pages);
  const first = await made.index();
  expect(first.text).not.toContain("Lower Smithy");
  const again = await made.index();
  expect(again).toMatchObject({ unchanged: true, served: first.served });
  expect(again.manifest.cuts).toEqual(first.manifest.cuts);
  for (const [number, path] of paths(8).entries())
    if (number > 2) made.site.pages.set(path, page(number, 8, own(number), `A smith says ${number}.`));
  const { served } = await made.index();
  for (const [number, path] of paths(8).entries())
    expect(served[path]).toContain(number > 2 ? `A smith says ${number}.` : "Lower Smithy");
});
