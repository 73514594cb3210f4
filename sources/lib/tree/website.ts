import { screenText } from "../../../extract/screen/index.ts";

/** Reads a file of a tree; null: it is too large; undefined: there is none. */
type ReadFile = (path: string) => Promise<Uint8Array | null | undefined>;

const homepage = /^[ \t]{0,8}"homepage":[ \t]{0,9}"(https?:[^\s"]{1,200})"/m;

/** Files at the root of a tree that may name its website, the likeliest first, and how the address is found in each. */
const files: readonly (readonly [path: string, addresses: (text: string) => readonly (string | undefined)[]])[] = [
  ["mkdocs.yml", (text) => [/^site_url:[ \t]{0,9}["']?(https?:[^\s"'#]{1,200})/m.exec(text)?.[1]]],
  ["pyproject.toml", (text) => fieldsOf(text, ["documentation", "docs", "homepage"])],
  ["Cargo.toml", (text) => fieldsOf(text, ["documentation", "homepage"])],
  ["package.json", (text) => [homepage.exec(text)?.[1]]],
  ["composer.json", (text) => [homepage.exec(text)?.[1]]],
];

/** The files that may name a website. */
export const websiteFiles: readonly string[] = files.map(([path]) => path);

/** Largest size of such a file, in bytes. */
const maxBytes = 200_000;

/** Hosts of repositories and packages, which are not the website of a library. */
const otherHosts = /(?:^|\.)(?:github|gitlab|bitbucket|npmjs|packagist|crates|pypi|codeberg)\.(?:com|org|io)$/;

/** The website that a tree names; undefined where it names none. */
export async function websiteOf(read: ReadFile): Promise<string | undefined> {
  for (const [path, addresses] of files) {
    const bytes = await read(path);
    if (!bytes || bytes.length > maxBytes) continue;
    const found = addresses(new TextDecoder().decode(bytes)).find((address = "") => isWebsite(address));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The addresses in these fields of TOML. */
function fieldsOf(text: string, names: readonly string[]): readonly (string | undefined)[] {
  const fields = [
    ...text.matchAll(/^"?(documentation|docs|homepage)"?[ \t]{0,9}=[ \t]{0,9}"(https?:[^\s"]{1,200})"/gim),
  ];
  return names.map((name) => fields.find(([, field = ""]) => field.toLowerCase() === name)?.[2]);
}

/** Whether an address may be shown as a library's website: it has no host of repositories, no credentials and no instructions to agents. */
export function isWebsite(address: string): boolean {
  if (!/^https?:\/\/\S{1,200}$/.test(address) || !URL.canParse(address) || screenText(address).length > 0) return false;
  const { hostname, username, password } = new URL(address);
  return !otherHosts.test(hostname) && username === "" && password === "";
}
