import { screenText } from "../../extract/screen/index.ts";

/** Reads a file of a tree: what it holds; null: more than is read; undefined: there is none. */
type ReadFile = (path: string) => Promise<Uint8Array | null | undefined>;

/** Files at the root of a tree that may name its website, and how the address stands in each; the likeliest first. */
const places: readonly (readonly [path: string, addresses: (text: string) => readonly (string | undefined)[]])[] = [
  ["mkdocs.yml", (text) => [/^site_url:[ \t]{0,9}["']?(https?:[^\s"'#]{1,200})/m.exec(text)?.[1]]],
  ["pyproject.toml", (text) => fieldsOf(text, ["documentation", "docs", "homepage"])],
  ["Cargo.toml", (text) => fieldsOf(text, ["documentation", "homepage"])],
  ["package.json", (text) => [/^[ \t]{0,8}"homepage":[ \t]{0,9}"(https?:[^\s"]{1,200})"/m.exec(text)?.[1]]],
  ["composer.json", (text) => [/^[ \t]{0,8}"homepage":[ \t]{0,9}"(https?:[^\s"]{1,200})"/m.exec(text)?.[1]]],
];

/** The files that may name a website. */
export const websiteFiles: readonly string[] = places.map(([path]) => path);

/** Larger files are not looked into, in bytes. */
const maxBytes = 200_000;

/** Hosts that show the repository itself, packages or badges: no website of a library. */
const otherHosts = /(?:^|\.)(?:github|gitlab|bitbucket|npmjs|packagist|crates|pypi|codeberg)\.(?:com|org|io)$/;

/** The website that a tree names; undefined where it names none. */
export async function websiteOf(read: ReadFile): Promise<string | undefined> {
  for (const [path, addresses] of places) {
    const bytes = await read(path);
    if (!bytes || bytes.length > maxBytes) continue;
    const found = addresses(new TextDecoder().decode(bytes)).find((address = "") => isWebsite(address));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The addresses of these fields of TOML, in their order. */
function fieldsOf(text: string, names: readonly string[]): readonly (string | undefined)[] {
  const fields = [
    ...text.matchAll(/^"?(documentation|docs|homepage)"?[ \t]{0,9}=[ \t]{0,9}"(https?:[^\s"]{1,200})"/gim),
  ];
  return names.map((name) => fields.find(([, field = ""]) => field.toLowerCase() === name)?.[2]);
}

/** Whether an address may be told as a library's website: no host of repositories, no credentials, no order to its reader. */
export function isWebsite(address: string): boolean {
  if (!/^https?:\/\/\S{1,200}$/.test(address) || !URL.canParse(address) || screenText(address).length > 0) return false;
  const { hostname, username, password } = new URL(address);
  return !otherHosts.test(hostname) && username === "" && password === "";
}
