const mark = /\[\^([^\]\s[]{1,100})\]/g;

/** Labels of the footnotes that a text refers to, without duplicates. */
export function footnotesIn(markdown: string): readonly string[] {
  if (!markdown.includes("[^")) return [];
  return [...new Set([...markdown.matchAll(mark)].map(([, name = ""]) => name))];
}
