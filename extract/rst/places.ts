import type { IncludableFiles } from "../includes/index.ts";

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

/** Markup that only reStructuredText has: a directive, a role, a target, or a link with an underscore. */
const markup =
  /^[ \t]{0,20}\.\.[ \t]{1,4}(?:[\w:.+-]{1,60}::|_[^:\n]{1,200}:)|:[\w:+-]{2,40}:`[^`\n]{1,200}`|`[^`\n]{1,200}`_\b|^[^\s.][^\n]{0,200}::[ \t]*$/m;

/** Whether a text file is reStructuredText: one in a Sphinx project with markup of it. */
export function isRst(
  source: string,
  { path = "", files }: { readonly path?: string; readonly files?: IncludableFiles } = {},
): boolean {
  if (!/\.txt$/i.test(path) || files === undefined || files.size === 0) return false;
  return (
    confPlaces(path).some((place) => files.get(place) instanceof Uint8Array) && markup.test(source.slice(0, 200_000))
  );
}
