import type { IncludeRef } from "../includes/find-file.ts";
import { includePlaces } from "./include.ts";
import { confPlaces, docPlaces, modulesOf, pythonPlaces, relativePlaces } from "./places.ts";

/** Maximum number of directives of a page that refer to files. */
const maxRefs = 1000;

const directive =
  /^[ \t]{0,60}(?:\.\. (?:\|[^|\n]{1,80}\| )?(literalinclude|include)::[ \t]+([^\s(]{1,300})|(?:\.\. |[`~:]{3,20}\{)((?:py:)?(?:current)?module|auto(?!summary)[a-z_]{3,30})(?:::|\})[ \t]+([^\s(]{1,300})|:?(?:file|diff):[ \t]+(\S{1,300})|(\.\. autosummary::|[`~:]{3,20}\{autosummary\})[^\n]*)/gm;
/** An entry of `autosummary`; those of MyST are not indented. */
const entry = /^([ \t]*)[~!]?([\w.]{1,200})[ \t]*$/;

/** A reference to a page, or a link of MyST to one, without a text, which shows the page's title. */
const page =
  /(?::doc:|\{doc\})`([^`<>\s]{1,200})`|(?<!!)\[\]\(<?((?:[^()\s<>#:]{0,200}\/)?[^()\s<>#:/.]{1,100}(?:\.md|\.rst)?)(?:#[^()\s<>]{0,200})?>?\)/g;
/** Maximum number of pages whose titles are looked up. */
const maxPages = 50;

/** The folders that the configuration may be in. */
function rootsOf(conf: readonly string[]): readonly string[] {
  return conf.slice(0, 4).map((one) => one.slice(0, Math.max(0, one.lastIndexOf("/"))));
}

/** True for Markdown with directives that are read as reStructuredText, or references to pages. */
export function hasRstParts(source: string): boolean {
  return /[`~:]{3}\{(?:eval-rst|csv-table|(?:py:)?(?:auto|(?:current)?module))|\{doc\}`|(?<!!)\[\]\(<?[^()\s<>#:]{1,200}[#>)]/.test(
    source,
  );
}

/**
 * The files that a page of reStructuredText may refer to: those that it includes, the configuration, and the sources of what autodoc shows.
 * Samples of directives in code count too, as they do no harm here.
 */
export function rstRefs(path: string, source: string): IncludeRef[] {
  const refs = new Map<string, IncludeRef>();
  const add = (places: readonly string[]): void => {
    if (places.length > 0) refs.set(places.join("\n"), { places });
  };
  const addName = (name: string, current: string): void => {
    for (const { module: dotted } of modulesOf(name, current)) add(pythonPlaces(path, dotted));
  };
  const conf = confPlaces(path);
  add(conf);
  let module = "";
  let count = 0;
  for (const match of source.matchAll(directive)) {
    if (++count > maxRefs) break;
    const [, , included = "", name = "", argument = "", file = included, summary] = match;
    if (summary !== undefined) {
      for (const line of source
        .slice(match.index + match[0].length, match.index + 20_000)
        .split("\n")
        .slice(1, 300)) {
        const [, indent = "", own] = entry.exec(line) ?? [];
        if (own !== undefined && (indent !== "" || !summary.startsWith("."))) addName(own, module);
        else if (/^[^\s:]/.test(line)) break;
      }
    } else if (file !== "") addFile(file);
    else if (name.endsWith("module") && !name.startsWith("auto")) module = argument;
    else if (name === "automodule") {
      module = argument;
      add(pythonPlaces(path, argument));
    } else addName(argument, module);
  }
  const pages = new Set<string>();
  for (const [, target = "", linked = target] of source.matchAll(page)) if (pages.size < maxPages) pages.add(linked);
  const titles = [...pages].map((target) => ({ places: docPlaces(path, target, rootsOf(conf)), isLeaf: true }));
  return [...refs.values(), ...titles];

  function addFile(written: string): void {
    // The folder of the configuration is not known yet.
    const roots = written.startsWith("/") ? rootsOf(conf) : [""];
    add([...new Set(roots.flatMap((root) => includePlaces(path, written, root)))].slice(0, 12));
  }
}

/** Maximum number of modules that a package takes names from. */
const maxModules = 40;

const imported = /^[ \t]{0,20}from[ \t]+(\.{1,3}[\w.]{0,200})[ \t]+import[ \t]+(\([^)]{0,4000}\)|[^\n(]{1,500})/gm;

/** The modules that a package's `__init__.py` takes names from, or any other module the classes that its own extend. */
export function moduleRefs(path: string, source: string): IncludeRef[] {
  const text = source.slice(0, 500_000);
  const isPackage = path.endsWith("__init__.py");
  const bases = new Set(
    [...text.matchAll(/^class[ \t]+\w+\(([^)]{1,300})\)/gm)].flatMap(([, list = ""]) => list.match(/\w+/g) ?? []),
  );
  const modules = [...text.matchAll(imported)]
    .filter(([, , names = ""]) => isPackage || (names.match(/\w+/g) ?? []).some((name) => bases.has(name)))
    .slice(0, maxModules);
  return modules.flatMap(([, module = ""]) => {
    const places = relativePlaces(path, module);
    return places.length === 0 ? [] : [{ places }];
  });
}
