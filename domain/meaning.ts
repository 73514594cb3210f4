import type { Passage } from "./passage.ts";

/** Maximum number of characters of a passage's prose, and of each of its titles. */
const maxProse = 420;
const maxTitle = 300;

/** The text of a passage that is embedded: its titles and the first 420 characters of its prose. */
export function meaningText({ page, breadcrumb, title, blocks }: Passage): string {
  const titles = [...new Set([page.title, ...breadcrumb, title])].map((one) => one.slice(0, maxTitle));
  let text = "";
  for (const block of blocks)
    if (block.type === "prose" && text.length < 2 * maxProse) text += ` ${block.markdown.slice(0, 2 * maxProse)}`;
  return `${titles.join(" > ")}. ${text.replace(/\s+/g, " ").trim().slice(0, maxProse)}`;
}

/** A vector quantised to signed bytes: its greatest value becomes 127. */
export function signedBytes(vector: ArrayLike<number>): Int8Array {
  let greatest = 0;
  for (let at = 0; at < vector.length; at++) greatest = Math.max(greatest, Math.abs(vector[at] ?? 0));
  const share = 127 / (greatest || 1);
  const bytes = new Int8Array(vector.length);
  for (let at = 0; at < vector.length; at++) bytes[at] = Math.round((vector[at] ?? 0) * share);
  return bytes;
}
