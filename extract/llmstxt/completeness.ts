/** Minimum share of the listed pages that a complete llms-full.txt has. */
const completeShare = 0.9;

/** The pages of an llms-full.txt. */
interface FullFile {
  readonly resource: string;
  readonly urls: readonly string[];
}

/**
 * Whether an llms-full.txt stands for the pages that an llms.txt lists: by the addresses of its pages, or by their number if it
 * names none.
 */
export function isComplete(listed: readonly string[], { resource, urls }: FullFile): boolean {
  if (listed.length === 0) return urls.length > 0;
  const bare = new Set(urls.map(bareAddress));
  const found = listed.filter((url) => bare.has(bareAddress(url))).length;
  return (
    found >= listed.length * completeShare || (!hasOwnAddresses({ resource, urls }) && urls.length >= listed.length)
  );
}

/** Whether pages of an llms-full.txt have addresses of their own, and not only that of the file with fragments. */
export function hasOwnAddresses({ resource, urls }: FullFile): boolean {
  const own = bareAddress(resource);
  return urls.some((url) => bareAddress(url) !== own);
}

/** Listed pages that an llms-full.txt lacks, by the addresses of its pages. */
export function missingFrom(listed: readonly string[], { urls }: FullFile): string[] {
  const bare = new Set(urls.map(bareAddress));
  return listed.filter((url) => !bare.has(bareAddress(url)));
}

/** An address in the form that is the same for all ways to write it. */
function bareAddress(address: string): string {
  const { host, pathname } = new URL(address);
  const path = pathname.replace(/(?:\/index(?:\.html)?)?(?:\.mdx?)?$/i, "").replace(/\.html$/i, "");
  return `${host}${path.replace(/(?<!\/)\/+$/, "")}`;
}
