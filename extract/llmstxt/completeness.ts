/** Share of the listed pages that an llms-full.txt has to hold to stand for all of them. */
const completeShare = 0.9;

/**
 * Whether an llms-full.txt stands for the pages that an llms.txt lists: by the addresses of its pages, or by their number if it
 * names none.
 */
export function isComplete(listed: readonly string[], urls: readonly string[]): boolean {
  if (listed.length === 0) return urls.length > 0;
  const bare = new Set(urls.map(bareAddress));
  const found = listed.filter((url) => bare.has(bareAddress(url))).length;
  return found >= listed.length * completeShare || (bare.size <= 1 && urls.length >= listed.length);
}

/** An address without what two ways to write it differ in. */
function bareAddress(address: string): string {
  const { host, pathname } = new URL(address);
  const path = pathname.replace(/(?:\/index(?:\.html)?)?(?:\.mdx?)?$/i, "").replace(/\.html$/i, "");
  return `${host}${path.replace(/(?<!\/)\/+$/, "")}`;
}
