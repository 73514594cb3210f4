import { listOf, objectOf } from "../json.ts";
import { collapsed } from "../tree/write-inline.ts";

/** A run of text with the same formatting. */
export interface Span {
  readonly text: string;
  readonly href?: string;
  /** Letters of its formatting: `b`old, `i`talic, `s`trikethrough, `c`ode, and `m`ath for an equation. */
  readonly marks?: string;
}

/** A block of a page, reduced to the fields that are read and change only with the page. */
export interface NotionBlock {
  /** 32 digits, without dashes. */
  readonly id: string;
  readonly type: string;
  readonly text?: readonly Span[];
  readonly caption?: readonly Span[];
  /** Of code: Notion's name of its language. */
  readonly language?: string;
  readonly checked?: boolean;
  /** Of a numbered item: the first number of its list. */
  readonly start?: number;
  /** The emoji of a callout. */
  readonly icon?: string;
  readonly cells?: readonly (readonly Span[])[];
  /** Of a table: its first row is a header. */
  readonly headed?: boolean;
  /** Of linked content: an address that does not expire. */
  readonly url?: string;
  readonly name?: string;
  readonly children?: readonly NotionBlock[];
}

/** A property of a row, or of a database's rows. */
export interface NotionProperty {
  readonly name: string;
  readonly text: string;
}

/** A page, a row, or the description of a database; as JSON in `notionPageType`. */
export interface NotionPage {
  readonly title: string;
  readonly description: readonly Span[];
  readonly properties: readonly NotionProperty[];
  readonly blocks: readonly NotionBlock[];
  /** Sentences about parts that could not be read. */
  readonly warnings: readonly string[];
}

/** The value if it is a string, without NUL characters; else "". */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value.replaceAll("\0", "") : "";
}

/** An ID without dashes, in lower case; "" for anything else. */
export function idOf(value: unknown): string {
  const bare = textOf(value).replaceAll("-", "").toLowerCase();
  return /^[\da-f]{32}$/.test(bare) ? bare : "";
}

/** A rich text without any markup, on one line. */
export function plainOf(spans: readonly Span[]): string {
  return collapsed(verbatimOf(spans)).trim();
}

/** A rich text verbatim, without markup. */
export function verbatimOf(spans: readonly Span[]): string {
  return spans.map(({ text }) => text).join("");
}

const marks: readonly (readonly [name: string, letter: string])[] = [
  ["bold", "b"],
  ["italic", "i"],
  ["strikethrough", "s"],
  ["code", "c"],
];

/** The spans of a rich text, with equally formatted neighbours joined. */
export function spansOf(value: unknown): readonly Span[] {
  const spans: Span[] = [];
  for (const one of listOf(value).map(objectOf)) {
    const expression = textOf(objectOf(one["equation"])["expression"]);
    const isMath = one["type"] === "equation";
    const content = textOf(objectOf(one["text"])["content"]);
    const text = isMath ? expression : textOf(one["plain_text"]) || content;
    if (text === "") continue;
    const annotations = objectOf(one["annotations"]);
    const letters = marks.flatMap(([name, letter]) => (annotations[name] === true ? [letter] : [])).join("");
    const span: Span = {
      text,
      ...(textOf(one["href"]) !== "" && { href: textOf(one["href"]) }),
      ...((isMath || letters !== "") && { marks: isMath ? "m" : letters }),
    };
    const last = spans.at(-1);
    if (last !== undefined && !isMath && last.href === span.href && last.marks === span.marks)
      spans[spans.length - 1] = { ...last, text: last.text + span.text };
    else spans.push(span);
  }
  return spans;
}

/** Reads a block without its children. Addresses of files at Notion expire, so they are left out. */
export function blockOf(value: unknown): NotionBlock {
  const raw = objectOf(value);
  const type = textOf(raw["type"]);
  const content = objectOf(raw[type]);
  const text = spansOf(content["rich_text"] ?? content["title"]);
  const caption = spansOf(content["caption"]);
  const expression = textOf(content["expression"]);
  const emoji = textOf(objectOf(content["icon"])["emoji"]);
  const external = textOf(objectOf(content["external"])["url"]);
  const page = type.startsWith("child_") ? idOf(raw["id"]) : idOf(content["page_id"] ?? content["database_id"]);
  const url = external || textOf(content["url"]) || (page === "" ? "" : `/${page}`);
  const name = textOf(content["name"]) || textOf(content["title"]);
  const start = content["list_start_index"];
  return {
    id: idOf(raw["id"]),
    type,
    ...(text.length > 0 && { text }),
    ...(expression !== "" && { text: [{ text: expression, marks: "m" }] }),
    ...(caption.length > 0 && { caption }),
    ...(type === "code" && { language: textOf(content["language"]) }),
    ...(isListStart(start) && { start }),
    ...(type === "to_do" && { checked: content["checked"] === true }),
    ...(emoji !== "" && { icon: emoji }),
    ...(type === "table_row" && { cells: listOf(content["cells"]).map(spansOf) }),
    ...(type === "table" && { headed: content["has_column_header"] === true }),
    ...(url !== "" && { url }),
    ...(name !== "" && { name }),
  };
}

/** True for a valid first number of a Markdown list (CommonMark 0.31, section 5.2). */
function isListStart(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value < 1e9;
}
