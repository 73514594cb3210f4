import type { Lines } from "../blocks.ts";
import type { Attributes } from "../markdown/attributes.ts";

/** The first argument of a tag, a word or quoted; "" if it is an attribute. */
export function firstWord(text: string): string {
  const [, , quoted, bare = ""] = /^(?:(["'])(.{1,500}?)\1|([^\s="'%]{1,500})(?![=\w]))/.exec(text) ?? [];
  return quoted ?? bare;
}

/** The attributes of a tag or shortcode. */
export function attributesOf(text: string): Attributes {
  const attributes: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [, name = "", , quoted, bare] of text.matchAll(
    /(?<![\w-])([A-Za-z][\w-]{0,40})\s{0,5}=\s{0,5}(?:(["'])((?:(?!\2)[^\\]|\\.){0,500})\2|\{?["'`]?([^\s"'`{}<>]{1,200}))/g,
  ))
    attributes[name] ??= quoted ?? bare ?? "";
  return attributes;
}

/** Parses `1,3-5`. The last line of a range may be Infinity. */
export function toRanges(text: string): readonly Lines[] {
  return text.split(",").flatMap((part) => (/\d/.test(part) ? [toDashRange(part)] : []));
}

/** Parses `1,3:5`. */
export function toColonRanges(text: string): readonly Lines[] {
  return toRanges(text.replaceAll(":", "-"));
}

/** Parses `3`, `3-5`, `3-` or `-5`. */
export function toDashRange(text: string): Lines {
  const [, from = "", dash = "", to = ""] = /^\s*(\d*)\s*(-?)\s*(\d*)/.exec(text) ?? [];
  return toRange(from, dash === "" ? from : to);
}

/** A range by its written bounds; "" for the first or last line. */
export function toRange(from: string, to: string): Lines {
  const first = Math.max(1, Number(from === "" ? 1 : from));
  const last = to === "" || Number(to) < 0 ? Infinity : Number(to);
  return [first, last];
}
