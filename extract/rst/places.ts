import { placesOf } from "../includes/includable-files.ts";
import type { IncludableFiles } from "../includes/find-file.ts";

/** Maximum number of folders above a page that are searched for the configuration. */
const maxFolders = 8;

/** Candidate paths of the `conf.py` for a page, the nearest first. */
export function confPlaces(path: string): readonly string[] {
  const places: string[] = [];
  for (let folder = path; folder !== "" && places.length < maxFolders;) {
    folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/")));
    places.push(folder === "" ? "conf.py" : `${folder}/conf.py`);
  }
  return places;
}

/** Candidate paths of the page that a reference names, relative to the page or, after a slash, to a folder of `roots`. */
export function docPlaces(path: string, target: string, roots: readonly string[]): readonly string[] {
  if (!/^[^\s\\:<>]{1,200}$/.test(target)) return [];
  const own = /\.\w+$/.exec(path)?.[0] ?? ".rst";
  const from = target.startsWith("/") ? roots.map((root) => (root === "" ? "x" : `${root}/x`)) : [path];
  const name = target.replace(/^\//, "").replace(/\.(?:rst|md)$/, "");
  return [...new Set([own, ".rst", ".md"])]
    .flatMap((ending) => from.flatMap((one) => placesOf(one, name + ending, "page")))
    .slice(0, maxPlaces);
}

/** Markup that only reStructuredText has: a directive, a role, a target, or a link with an underscore. */
const markup =
  /^[ \t]{0,20}\.\.[ \t]{1,4}(?:[\w:.+-]{1,60}::|_[^:\n]{1,200}:)|:[\w:+-]{2,40}:`[^`\n]{1,200}`|`[^`\n]{1,200}`_\b|^[^\s.][^\n]{0,200}::[ \t]*$/m;

/** Whether a text has markup that only reStructuredText has. */
export function hasRstMarks(source: string): boolean {
  return markup.test(source.slice(0, 200_000));
}

/** Whether a path is that of reStructuredText by its ending. */
export function hasRstEnding(path: string): boolean {
  return /\.(?:rst|rest)$/i.test(path);
}

/** Whether a file is a list of HTTP requests, which editors keep under the same ending. */
export function isHttpRequests(path: string, source: string): boolean {
  return (
    /\.rest$/i.test(path) && /^(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)[ \t]+\S/m.test(source) && !hasRstMarks(source)
  );
}

/** Whether a text that other files include may be reStructuredText. */
export function mayBeRst(path: string, source: string): boolean {
  return hasRstEnding(path) || (/\.(?:txt|inc)$/i.test(path) && hasRstMarks(source));
}

/** Whether a text file is reStructuredText: one in a Sphinx project with markup of it. */
export function isRst(
  source: string,
  { path = "", files }: { readonly path?: string; readonly files?: IncludableFiles } = {},
): boolean {
  if (!/\.txt$/i.test(path) || files === undefined || files.size === 0) return false;
  return isInSphinx(path, files) && hasRstMarks(source);
}

/** Whether a page is in a tree of Sphinx: its configuration is among the files. */
export function isInSphinx(path: string, files: IncludableFiles): boolean {
  return confPlaces(path).some((place) => files.get(place) instanceof Uint8Array);
}

/** Names of folders that documentation is in. */
const documents = /^(?:docs?|documentation|source|rst)$/i;
/** Maximum number of candidate paths for a module. */
const maxPlaces = 12;

/** Candidate paths of a Python module for a page, the best first. */
export function pythonPlaces(page: string, module: string): readonly string[] {
  if (!/^\w+(?:\.\w+){0,12}$/.test(module)) return [];
  const steps = page.split("/").slice(0, -1);
  const first = steps.findIndex((step) => documents.test(step));
  const roots = new Set([(first < 0 ? steps.slice(0, -1) : steps.slice(0, first)).join("/"), ""]);
  const inside = module.replaceAll(".", "/");
  return [...roots]
    .flatMap((root) =>
      ["", "src", "lib"].map((folder) => [root, folder, inside].filter((step) => step !== "").join("/")),
    )
    .flatMap((path) => [`${path}.py`, `${path}/__init__.py`])
    .slice(0, maxPlaces);
}

/** Candidate paths of a module that a source file names relative to itself, such as `.app`. */
export function relativePlaces(path: string, module: string): readonly string[] {
  const [, dots = "", name = ""] = /^(\.{1,8})([\w.]*)$/.exec(module) ?? [];
  const steps = path.split("/").slice(0, -dots.length || undefined);
  if (dots === "" || steps.length + dots.length > path.split("/").length) return [];
  const inside = [...steps, ...name.split(".").filter((step) => step !== "")].join("/");
  return name === "" ? [`${inside}/__init__.py`] : [`${inside}.py`, `${inside}/__init__.py`];
}

/** The modules that a dotted name may be in, the longest first, with the rest of the name. */
export function modulesOf(
  name: string,
  module: string,
): readonly { readonly module: string; readonly rest: readonly string[] }[] {
  const all = module === "" || name.startsWith(`${module}.`) ? [name] : [`${module}.${name}`, name];
  return all.flatMap((whole) => {
    const steps = whole.split(".").slice(0, 12);
    const lengths = [0, 1, 2, 3].map((count) => steps.length - count).filter((length) => length > 0);
    return lengths.map((length) => ({ module: steps.slice(0, length).join("."), rest: steps.slice(length) }));
  });
}
