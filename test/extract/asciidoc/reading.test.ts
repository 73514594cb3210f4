import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openAsciidoc } from "../../../extract/asciidoc/index.ts";
import { codesOf, proseOf } from "../extract.ts";
import { blocksOf, read } from "./reading.ts";

const intro = "= A\n\nThis page has a paragraph of its own that is served in any case.\n\n";

it("reads each kind of block at its lines", async () => {
  const page = readFileSync(join(import.meta.dirname, "rich.adoc"), "utf8");
  await expect(`${await blocksOf(page)}\n`).toMatchFileSnapshot("rich.txt");
});

it("gives code byte for byte, without callouts and with what the reader is shown", async () => {
  const code = "if (a < b && c > d) { // &amp; <x>\n\treturn `*no*` {attr} -- 'x'...;\n}";
  const page = `${intro}:attr: wrong\n\n[source,js]\n----\n${code} // <1>\n----\n<1> Text of the callout.\n`;
  const result = await read(page);
  expect(codesOf(result)).toMatchObject([{ language: "javascript", code, lines: [8, 12] }]);
  expect(proseOf(result).join("\n")).toContain("1. Text of the callout.");
});

describe("titles of blocks", () => {
  const title = "Opening a List[Door] from the outside, with the key in the left hand (cross platform)";
  const shown = `**${title}**`;

  it("of code stand before it, whole, and names of files are its file", async () => {
    const page = `${intro}.A List[Door]\n|===\n|a|b\n|===\n\n.${title}\n[source,js]\n----\nopen()\n----\n\n* Item\n+\n.Short one\n----\nshut()\n----\n\n.a/b.js\n----\nrun()\n----\n`;
    const result = await read(page);
    const text = proseOf(result).join("\n");
    for (const one of [shown, "**Short one**", "**A List[Door]**"]) expect(text.split(one), one).toHaveLength(2);
    expect(text).not.toContain("b.js");
    expect(codesOf(result)).toMatchObject([{ code: "open()" }, { code: "shut()" }, { code: "run()", file: "a/b.js" }]);
  });

  it("of groups of tabs stand before them", async () => {
    const tabs = "[tabs]\n====\nA::\n+\n----\na()\n----\nB::\n+\n----\nb()\n----\n====\n";
    const result = await read(`${intro}.${title}\n${tabs}`);
    expect(proseOf(result).join("\n")).toContain(shown);
    expect(codesOf(result)).toMatchObject([{ label: "A" }, { label: "B" }]);
  });
});

it("shows the title of the page that a cross reference without text leads to", async () => {
  const page = `${intro}See xref:guide.adoc[] and xref:ops:setup.adoc#run[] and xref:gone.adoc[].\n`;
  const files = {
    "docs/modules/ROOT/pages/guide.adoc": "// c\n= Guide of {x}\n",
    "docs/modules/ops/pages/setup.adoc": "= Set up\n",
  };
  const text = proseOf(await read(page, files, "docs/modules/ROOT/pages/deep/a.adoc")).join("\n");
  expect(text).toContain("[Guide of {x}](../guide.adoc)");
  expect(text).toContain("[Set up](../../../ops/pages/setup.adoc#run)");
  expect(text).toContain("[gone.adoc](../gone.adoc)");
});

it("does not take signatures for documents", async () => {
  const signature = `-----BEGIN PGP SIGNATURE-----\n\n${"iQEzBAABCAAdFiEE words of it ".repeat(9)}\n-----END PGP SIGNATURE-----\n`;
  expect(await read(signature, {}, "docs/a.asc")).toMatchObject({ outcome: "skipped", code: "no_snippets" });
});

it("is not read without its package, and the outcome says what to install", async () => {
  const page = { path: "a.adoc", mediaType: "text/asciidoc", bytes: new TextEncoder().encode(intro) };
  const absent = openAsciidoc(page, () => import("not-installed-anywhere" as "@asciidoctor/core"));
  await expect(absent).rejects.toMatchObject({
    code: "service_unavailable",
    message: expect.stringContaining("npm install @asciidoctor/core@4") as string,
  });
});

it("does not serve menus of Antora, but other files of a folder for modules", async () => {
  const menu = ".Guide\n* xref:a.adoc[A page of the guide]\n** xref:b.adoc[]\n* More words that are served elsewhere\n";
  expect(await read(menu, {}, "modules/ROOT/main-nav.adoc")).toMatchObject({ outcome: "skipped" });
  expect(await read(`${intro}${menu}`, {}, "modules/core/README.adoc")).toMatchObject({ outcome: "indexed" });
});

describe("conditions", () => {
  it("show what holds where they stand, also in code and on one line", async () => {
    const page = `${intro}ifdef::a[]\nNot shown.\nifdef::b[]\nNor this.\nendif::[]\nendif::a[]
:a: 3

ifdef::a,b[]
Shown with one of two.
endif::[]

ifdef::a+b[Not with both.]
ifndef::b[Shown without b.]

ifeval::[{a} >= 3]
Shown by comparison.
endif::[]

----
one
ifdef::b[]
two
endif::[]
\\ifdef::escaped[]
----
`;
    const result = await read(page);
    const text = proseOf(result).join("\n");
    expect(text).not.toMatch(/Not|Nor|endif/);
    for (const shown of ["with one of two", "without b", "by comparison"]) expect(text).toContain(shown);
    expect(codesOf(result).map(({ code }) => code)).toEqual(["one\nifdef::escaped[]"]);
  });
});

it("prints nothing of what Asciidoctor finds wrong", async () => {
  const printed = ["log", "warn", "error"] as const;
  const spies = printed.map((name) => vi.spyOn(console, name));
  onTestFinished(() => void vi.restoreAllMocks());
  const result = await read(`${intro}* a\n+\n----\ncode\n`);
  expect(codesOf(result)).toMatchObject([{ code: "code" }]);
  for (const spy of spies) expect(spy).not.toHaveBeenCalled();
});

describe("hostile pages", () => {
  const pages: Readonly<Record<string, string>> = {
    "another converter": ":backend: docbook5\n:doctype: manpage\n\n",
    "files to read": ":data-uri:\n:allow-uri-read:\n:icons: font\n:docinfo: shared\n\nimage::/etc/passwd[a]\n\n",
    "tags that nothing closes": "++++\n</div><script>x()</script><b>\n++++\n\npass:[<i><table>]\n\n",
    "conditions that nothing ends": "ifdef::asciidoctor[]\nifndef::none[]\n",
    "elements of its own": '+++<adoc-note label="9"></adoc-note>+++ +++<#callout>+++\n\n',
  };
  it.each(Object.entries(pages))("keep their text: %s", async (_title, text) => {
    const result = await read(`= A\n${text}\nThe last paragraph has words enough to be served.\n`);
    const shown = JSON.stringify(result);
    expect(shown).toContain("The last paragraph");
    expect(shown).not.toMatch(/x\(\)|root:/);
  });

  it("are refused if they are nested deeper than is parsed", async () => {
    const page = Array.from({ length: 1500 }, (_, depth) => `${"=".repeat(4 + depth)}`).join("\n");
    expect(await read(page)).toMatchObject({ outcome: "skipped" });
  });
});
