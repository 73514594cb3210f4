import { codesOf, isServed } from "../../../domain/passage.ts";
import type { Passage } from "../../../domain/passage.ts";
import type { CollectedLibrary } from "./collect.ts";
import { codeFaults } from "./code-faults.ts";
import { linkFaults } from "./link-faults.ts";
import { copyFaults } from "./copy-faults.ts";
import { pageFaults } from "./page-faults.ts";
import { proseOf, whereOf } from "./fault-kinds.ts";
import type { Fault, FaultKind, ServedPage } from "./fault-kinds.ts";
import { titleFaults } from "./title-faults.ts";

/** All faults of a library that patterns can see, in the order of its pages. */
export function faultsOf(library: CollectedLibrary): readonly Fault[] {
  const pages = library.pages.map((page) => ({ page, passages: page.passages.filter(isServed) }));
  return [
    ...pages.flatMap(({ passages }) => passages.flatMap((passage) => [...proseFaults(passage)])),
    ...pages.flatMap((page) => [...codeFaults(page, library.manifest.language)]),
    ...spellings(pages),
    ...pages.flatMap((page) => [...titleFaults(page)]),
    ...linkFaults(pages),
    ...pageFaults(pages),
    ...copyFaults(library),
  ];
}

/** Patterns over prose and titles, code taken out. */
const patterns: readonly (readonly [FaultKind, RegExp])[] = [
  ["component", /(?<![\w\\])<\/?[A-Z][\w.]*(?:\s[^<>]*)?\/?>/g],
  ["html", /(?<!\\)<\/?[a-z][\w-]*(?:\s[a-z][^<>]*)?\/?>/g],
  ["shortcode", /\{\{\\?[<%][^}]*\}\}/g],
  ["entity", /&(?:#\d{2,6}|#x[\da-f]{2,6}|[a-z]{2,10});/gi],
  ["anchor", /\\?\{\\?#[\w:.-]+\\?\}|(?<![\w\]!])\\?\[\\?#[\w-]+\\?\](?![([])|\[\]\([^)]*\)/g],
  ["variable", /\{\{[^{}<%#]+\}\}/g],
  ["expression", /(?<![\w$`\\{])\{[A-Za-z_$][\w$]*(?:\.[\w$]+)*\}(?!\})/g],
  ["directive", /^[ \t]*:::.*$|\{%[^%]*%\}/gm],
  ["esm", /^(?:import [\w{*].* from ["'].*|export (?:const|default|function) .*)$|<!--|\{\/\*/gm],
  ["include", /\{\{\s?#\w*include.*\}\}|^<<< \S.*$|--8<-- .*|@include: .*/gm],
  ["matter", /^(?:---|\+\+\+)\n[a-z_]+\s?[:=].*/gi],
];

function* proseFaults(passage: Passage): Generator<Fault> {
  const prose = proseOf(passage).map(withoutCode);
  const texts = [...prose, withoutCode([...passage.breadcrumb, passage.title].join("\n"))];
  for (const [kind, pattern] of patterns)
    // Headings are text: what is written as code there has no ticks.
    for (const text of kind === "component" || kind === "html" ? prose.map(withoutHeadings) : texts) {
      for (const [found] of text.matchAll(pattern)) {
        // An address in angle brackets is a link.
        if (kind === "expression" && !(passage.source.path ?? "").endsWith(".mdx")) continue;
        if (kind === "html" && /^<(?:https?|mailto)/.test(found)) continue;
        yield { kind, where: whereOf(passage), text: found };
      }
    }
}

/** Prose without blocks and spans of code, and without addresses. */
function withoutCode(markdown: string): string {
  return markdown
    .replace(/^([ \t>]*)(`{3,}|~{3,})[^\n]*\n[\s\S]*?\n[ \t>]*\2[`~]*[ \t]*$/gm, "$1")
    .replace(/(?<!`)(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g, "CODE")
    .replace(/\]\((?:<[^<>]*>|[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?:\s+"[^"]*")?\)/g, "](ADDRESS)");
}

function withoutHeadings(markdown: string): string {
  return markdown.replace(/^#{1,6} .*$/gm, "");
}

/** Names of one language, of which a library should use one. */
const spelled: readonly (readonly string[])[] = [
  ["javascript", "js", "mjs", "cjs"],
  ["typescript", "ts", "mts"],
  ["bash", "sh", "shell", "zsh", "console", "terminal", "shellscript", "shell-session"],
  ["yaml", "yml"],
  ["markdown", "md"],
  ["python", "py"],
  ["rust", "rs"],
  ["go", "golang"],
  ["text", "txt", "plaintext", "plain"],
  ["dockerfile", "docker"],
  ["html", "htm"],
  ["csharp", "cs", "c#"],
  ["cpp", "c++"],
  ["powershell", "ps1", "pwsh"],
];

function* spellings(pages: readonly ServedPage[]): Generator<Fault> {
  const used = new Map<string, string>();
  for (const { passages } of pages)
    for (const passage of passages)
      for (const { language } of codesOf(passage)) {
        const names = spelled.find((one) => one.includes(language));
        const [name = ""] = names ?? [];
        const first = used.get(name);
        if (names === undefined) continue;
        if (first === undefined) used.set(name, language);
        else if (first !== language) yield { kind: "spelling", where: whereOf(passage), text: `${first}, ${language}` };
      }
}
