import { frontMatterOf, textOf } from "./blocks.ts";
import { whereOf } from "./fault-kinds.ts";
import type { Fault, ServedPage } from "./fault-kinds.ts";

const lastWord =
  /(?:^|\s)(?:the|an?|to|of|and|or|with|for|by|is|are|that|which|from|as|if|when|this|these|your|its)[`*_]*$|[,:;]$/i;
const pronoun = /^(?:to )?(?:\w+ ){1,2}(?:so|this|these)$/i;

/** Titles that do not say what stands under them. */
export function* titleFaults({ page, passages }: ServedPage): Generator<Fault> {
  const text = textOf(page.input.bytes);
  const own = titleIn(text);
  const name = page.input.path.split("/").at(-1) ?? "";
  const headings = headingsIn(text);
  for (const passage of passages) {
    const where = whereOf(passage);
    const examples = passage.blocks.flatMap((block) => (block.type === "code" ? [block.title] : []));
    for (const title of new Set([passage.title, ...examples])) {
      if (/(?:…|(?<!\w)\.\.\.)$/.test(title)) yield { kind: "cutTitle", where, text: title };
      // What a heading of the page says is the author's.
      else if (!headings.has(title.toLowerCase()) && isHalf(title)) yield { kind: "halfTitle", where, text: title };
    }
    const listed = passage.title
      .slice(passage.title.startsWith(`${passage.breadcrumb.at(-1) ?? ""}: `) ? passage.title.indexOf(": ") + 2 : 0)
      .split(", ")
      .filter((part) => headings.has(part.toLowerCase()));
    if (listed.length > 2 && !headings.has(passage.title.toLowerCase()))
      yield { kind: "listTitle", where, text: passage.title };
    const isFile = [name, name.replace(/\.[^.]*$/, "")].includes(passage.page.title);
    if (isFile && own !== "" && own.toLowerCase() !== passage.page.title.toLowerCase())
      yield { kind: "fileTitle", where, text: `${passage.page.title}, and the page says ${own}` };
  }
}

function isHalf(title: string): boolean {
  const last = title.split(": ").at(-1) ?? "";
  return lastWord.test(title) || pronoun.test(last);
}

/** What the page calls itself in front matter, else in its first heading of level 1; "" where it does not. */
function titleIn(text: string): string {
  const matter = frontMatterOf(text);
  const title = /^title\s?[:=][ \t]*["']?(.+?)["']?[ \t]*$/m.exec(matter)?.[1] ?? "";
  const body = text.slice(matter.length).replace(/^ {0,3}(`{3,}|~{3,})[\s\S]*?^ {0,3}\1/gm, "");
  return title || (/^# +(\S.*)$/m.exec(body)?.[1] ?? "");
}

/** Lines of Markdown that are headings, in lower case and without markup. */
function headingsIn(text: string): ReadonlySet<string> {
  const found = text.matchAll(/^ {0,3}#{1,6}[ \t]+(.+?)[ \t#]*(?:\{#.*\})?$/gm);
  return new Set(
    [...found].map(([, heading = ""]) =>
      heading
        .replace(/[`*\\]/g, "")
        .trim()
        .toLowerCase(),
    ),
  );
}
