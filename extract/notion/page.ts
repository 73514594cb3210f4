/** A stretch of text that is written in one way. */
export interface Span {
  readonly text: string;
  readonly href?: string;
  /** Letters of what it is: bold, italic, struck through, code, and math for an equation. */
  readonly marks?: string;
}

/** A block of a page, with what is read of it: nothing of it changes unless its page does. */
export interface NotionBlock {
  /** 32 digits, without dashes. */
  readonly id: string;
  readonly type: string;
  readonly text?: readonly Span[];
  readonly caption?: readonly Span[];
  /** Of code: what it is called there. */
  readonly language?: string;
  readonly checked?: boolean;
  /** Of an item with a number: that which its list begins with. */
  readonly start?: number;
  /** The emoji of a callout. */
  readonly icon?: string;
  readonly cells?: readonly (readonly Span[])[];
  /** Of a table: its first row, or first column, has names. */
  readonly headed?: boolean;
  /** Of something elsewhere: an address that does not expire. */
  readonly url?: string;
  readonly name?: string;
  readonly children?: readonly NotionBlock[];
}

/** A property of a row, or of the rows of a database: its name, and what it says. */
export interface NotionProperty {
  readonly name: string;
  readonly text: string;
}

/** A page, a row, or what a database says of itself; as JSON in `notionPageType`. */
export interface NotionPage {
  readonly title: string;
  readonly description: readonly Span[];
  readonly properties: readonly NotionProperty[];
  readonly blocks: readonly NotionBlock[];
  /** What of it could not be read, in sentences. */
  readonly warnings: readonly string[];
}

/** An object of an answer, of which any field may be missing or something else. */
export type Raw = Readonly<Record<string, unknown>>;

/** What should be an object; an empty one where it is not. */
export function objectOf(value: unknown): Raw {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Raw) : {};
}

/** What should be a list; an empty one where it is not. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** What should be a text, without NUL characters; "" where it is not. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value.replaceAll("\0", "") : "";
}

/** An id without its dashes, in lower case; "" for anything else. */
export function idOf(value: unknown): string {
  const bare = textOf(value).replaceAll("-", "").toLowerCase();
  return /^[\da-f]{32}$/.test(bare) ? bare : "";
}

const marks: readonly (readonly [name: string, letter: string])[] = [
  ["bold", "b"],
  ["italic", "i"],
  ["strikethrough", "s"],
  ["code", "c"],
];

/** The spans of a rich text, neighbours of one kind joined. */
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

/** A block without its children, as it is kept. Addresses of files that Notion keeps expire, and are left out. */
export function blockOf(value: unknown): NotionBlock {
  const raw = objectOf(value);
  const type = textOf(raw["type"]);
  const content = objectOf(raw[type]);
  const text = spansOf(content["rich_text"] ?? (type === "meeting_notes" ? content["title"] : undefined));
  const caption = spansOf(content["caption"]);
  const expression = textOf(content["expression"]);
  const emoji = textOf(objectOf(content["icon"])["emoji"]);
  const external = textOf(objectOf(content["external"])["url"]);
  const url = external === "" ? textOf(content["url"]) : external;
  const name = textOf(content["name"]);
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

/** A number that a list of Markdown may begin with (CommonMark 0.31, section 5.2). */
function isListStart(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value < 1e9;
}
