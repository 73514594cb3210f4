/** A JSON object. */
export type Json = Record<string, unknown>;

/** A block in the form of Notion's API: its type, the type's content, and child blocks. */
export interface NewBlock extends Json {
  readonly type: string;
  readonly children?: readonly NewBlock[];
}

/** Default time of edits. */
export const longAgo = "2026-01-05T10:00:00.000Z";

/** A rich text of one span. */
export function rich(content: string, annotations: Json = {}, href: string | null = null): Json[] {
  return [
    {
      type: "text",
      text: { content, link: href === null ? null : { url: href } },
      annotations: {
        bold: false,
        italic: false,
        strikethrough: false,
        underline: false,
        code: false,
        color: "default",
        ...annotations,
      },
      plain_text: content,
      href,
    },
  ];
}

/** A block whose content is a rich text. */
export function textBlock(
  type: string,
  content: string | readonly Json[],
  more: Json = {},
  children?: readonly NewBlock[],
): NewBlock {
  const rich_text = typeof content === "string" ? rich(content) : content;
  return { type, [type]: { rich_text, color: "default", ...more }, ...(children && { children }) };
}

/** A block of code. */
export function codeBlock(code: string, language: string, caption = ""): NewBlock {
  return { type: "code", code: { rich_text: rich(code), caption: caption === "" ? [] : rich(caption), language } };
}
