import type { Document } from "../blocks.ts";
import { readElements } from "../html/read-elements.ts";
import { parseFrontMatter, type FrontMatter } from "./front-matter.ts";
import { createTitleFinder } from "./labels.ts";
import { splitLines } from "./lines.ts";
import { fillLinks, hasMystMarks } from "./myst-links.ts";
import { parseMarkdown, type Dialect } from "./parser.ts";
import { readShortcodes } from "./shortcodes.ts";
import { readTemplates } from "./templates.ts";
import { labelMark, pageMark, type ValueOf } from "./variables.ts";
import { anchorRemover, inlineSource } from "./inline-source.ts";
import type { PartReader } from "./rst-parts.ts";
import { toElements } from "./to-elements.ts";

/** Why a text is not read as a document. */
export interface Refused {
  readonly code: "draft" | "empty" | "not_documentation" | "too_large" | "unreadable";
  readonly reason: string;
}

/**
 * Reads Markdown (CommonMark 0.31 with tables, front matter and admonitions) or MDX into blocks. `siteValueOf` has the values of
 * names in double braces that the page does not define, `rst` reads its parts in reStructuredText.
 */
export function readMarkdown(
  source: string,
  dialect: Dialect,
  siteValueOf: ValueOf = () => undefined,
  rst?: PartReader,
): Document | Refused {
  const frontMatter = parseFrontMatter(source);
  const loops = loopVariablesIn(source);
  const titleOf = createTitleFinder(source);
  const matter = {
    ...frontMatter,
    valueOf: (name: string, isBraced = false) =>
      name.startsWith(labelMark)
        ? titleOf(name.slice(labelMark.length))
        : name.startsWith(pageMark)
          ? rst?.titleOf(name.slice(pageMark.length))
          : (frontMatter.valueOf(name) ??
            (isBraced ? (loops.has(name.split(".", 1)[0] ?? "") ? "" : siteValueOf(name)) : undefined)),
  };
  if (matter.hidden) return { code: "draft", reason: "The page's front matter marks it as a draft or as unlisted." };
  const text = source.slice(matter.end);
  const titles = { sectionAt: titleOf, pageAt: (name: string) => rst?.titleOf(name) };
  const isMyst = source.includes("[](") && (rst?.isSphinx === true || hasMystMarks(source));
  const prepare = (part: string): string => (isMyst && part.includes("[](") ? fillLinks(part, titles) : part);
  return readBody(source, matter, text, { dialect, rst, prepare });
}

/** The loop variables of Liquid and Jinja, which have no value of their own. */
function loopVariablesIn(source: string): ReadonlySet<string> {
  if (!source.includes("{%")) return new Set();
  return new Set(
    [...source.matchAll(/\{%-?[ \t]{0,5}(?:for|tablerow)[ \t]{1,5}(\w{1,40})[ \t]/g)].map(([, name = ""]) => name),
  );
}

function readBody(
  source: string,
  matter: FrontMatter,
  text: string,
  {
    dialect,
    rst,
    prepare,
  }: { readonly dialect: Dialect; readonly rst: PartReader | undefined; prepare(part: string): string },
): Document | Refused {
  const body = readShortcodes(readTemplates(text), matter.valueOf);
  const lines = splitLines(source.slice(0, matter.end) + body);
  const parsed = parseMarkdown(body, lines.starts.length, dialect);
  if (parsed === null)
    return { code: "too_large", reason: "The page has more blocks, or deeper nested ones, than are parsed." };
  const { tokens, inline, isDefined } = parsed;
  const withoutAnchor = anchorRemover(
    tokens.flatMap(({ type }, at) => (type === "heading_open" ? [tokens[at + 1]?.content ?? ""] : [])),
  );
  const { root, dropped } = toElements(tokens, {
    lines,
    offset: lines.starts.indexOf(matter.end),
    kernel: matter.kernel,
    rst,
    inline: (part, isHeading) =>
      inline(
        inlineSource(prepare(isHeading ? withoutAnchor(part) : part), dialect === "mdx", matter.valueOf, isDefined),
      ),
  });
  const { title, description } = matter;
  const warnings = rst?.finish() ?? [];
  return {
    ...readElements(root, [root], { isMarkdown: true }),
    title,
    description,
    dropped,
    ...(warnings.length > 0 && { warnings }),
  };
}
