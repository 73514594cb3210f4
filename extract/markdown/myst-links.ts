import { isLanguage } from "../language.ts";

/** Finds a title; undefined if it is not known. */
type TitleOf = (name: string) => string | undefined;

/** Where titles of what links lead to are looked up. */
export interface LinkTitles {
  /** The title at a label of the page, or at the fragment of a heading after a number sign. */
  readonly sectionAt: TitleOf;
  /** The title of another page, by its name in a reference. */
  readonly pageAt: TitleOf;
}

const marks =
  /^[ \t]{0,20}(?:`{3,}|~{3,}|:{3,})\{([a-z][\w:+.-]{0,40})\}|^\([^\s()]{1,100}\)=|(?<![\w`])\{[a-z][\w:+-]{1,30}\}`/gm;

/** Whether a page has a directive, target or role of MyST; chunks of programs are none. */
export function hasMystMarks(source: string): boolean {
  for (const [, name] of source.matchAll(marks)) if (name === undefined || !isLanguage(name)) return true;
  return false;
}

/** Code spans, and links without a text. */
const bare = /(?<!`)`+[^`\n]{1,500}`+|(?<!!)\[\]\(<?([^()\s<>]{1,200})>?\)/g;
const address = /^(?:[a-z][\w+.-]{1,20}:|\/\/)/i;
const file = /\.(?:md|markdown|rst|ipynb|txt|html?)$/;
const object = /^[A-Za-z_]\w*(?:\.\w+)*$/;

/** Gives links of MyST without a text (MyST-Parser, "Cross-references") the title of what they lead to, or what their target says. */
export function fillLinks(text: string, titles: LinkTitles): string {
  return text.replace(bare, (whole: string, target: string | undefined) => {
    if (target === undefined || address.test(target)) return whole;
    const [page = "", label = ""] = target.split("#", 2);
    if (page === "") return titles.sectionAt(label) ?? titles.sectionAt(`#${label}`) ?? wordsOf(label);
    const title = titles.pageAt(page);
    if (file.test(page)) return `[${escaped(title ?? wordsOf(page.replace(file, "")))}](${target})`;
    const found = titles.sectionAt(page) ?? title;
    return found ?? (object.test(page) ? `\`${page}\`` : wordsOf(page));
  });
}

/** The last part of a path or label, as words. */
function wordsOf(name: string): string {
  const last = name.split(/[/:]/).findLast((part) => part !== "") ?? "";
  return last.replace(/[-_]+/g, " ").trim();
}

function escaped(text: string): string {
  return text.replace(/[[\]]/g, "\\$&");
}
