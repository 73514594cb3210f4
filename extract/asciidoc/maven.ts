import { treeRoot } from "./resources.ts";

const entry = /<([\w.-]{1,100})>([^<]{0,2000})<\/\1>/g;
/** Maximum number of references in one value, and of values in a file. */
const maxSteps = 10;
const maxValues = 2000;

/** The attributes that a pom.xml sets for Asciidoctor, with its own properties in them. `path` is its path in the tree. */
export function mavenAttributes(path: string, xml: string): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>();
  if (!xml.includes("asciidoctor")) return attributes;
  const text = xml.replace(/<!--[^]*?(?:-->|$)/g, "");
  const folder = path.slice(0, Math.max(0, path.lastIndexOf("/")));
  const base = folder === "" ? treeRoot : `${treeRoot}/${folder}`;
  const properties = new Map([
    ["basedir", base],
    ["project.basedir", base],
  ]);
  for (const block of blocksOf(text, "properties"))
    for (const [, name = "", value = ""] of block.matchAll(entry))
      if (properties.size < maxValues && !properties.has(name)) properties.set(name, value.trim());
  const resolve = (value: string): string | undefined => {
    let resolved = value;
    for (let step = 0; step < maxSteps && resolved.includes("${"); step++)
      resolved = resolved.replace(/\$\{([\w.-]{1,100})\}/, (whole, name: string) => properties.get(name) ?? whole);
    return resolved.includes("${") || resolved.length > 2000 ? undefined : resolved;
  };
  for (const block of blocksOf(text, "attributes")) {
    for (const [, name = "", value = ""] of block.matchAll(entry)) {
      const resolved = resolve(value.trim());
      if (resolved !== undefined && attributes.size < maxValues) attributes.set(name.toLowerCase(), resolved);
    }
  }
  return attributes;
}

function blocksOf(xml: string, name: string): string[] {
  const blocks: string[] = [];
  const [opening, closing] = [`<${name}>`, `</${name}>`];
  for (let at = xml.indexOf(opening); at >= 0; at = xml.indexOf(opening, at)) {
    const end = xml.indexOf(closing, at);
    if (end < 0) break;
    blocks.push(xml.slice(at + opening.length, end));
    at = end;
  }
  return blocks;
}
