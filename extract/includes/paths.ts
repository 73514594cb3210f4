/** From which folders a tool takes the paths that its pages write. */
export type Base =
  /** The page's own folder. */
  | "page"
  /** The folder of the site's configuration, which often is the one above its documents: MkDocs, Docusaurus. */
  | "project"
  /** The folder of the documents: VitePress, Mintlify. */
  | "documents";

/** Maximum length of a path, in characters. */
const maxPathLength = 500;
/** Maximum number of places that are looked at for one include. */
const maxPlaces = 12;
/** Names of folders that hold a site's documents. */
const documentFolders = new Set(["docs", "doc", "documentation", "content", "src", "pages", "website", "site"]);

/**
 * The paths in the tree that an include may mean, the best first. None where it leaves the tree, is an address or a path
 * that no tool would read. A path is taken as it is written: nothing in it is decoded.
 */
export function placesOf(page: string, written: string, base: Base): readonly string[] {
  if (written.length > maxPathLength || /[\p{Cc}\\\uFFFD]|^[a-z][\w+.-]*:/iu.test(written)) return [];
  const folder = page.slice(0, Math.max(0, page.lastIndexOf("/")));
  const folders = base === "page" ? [folder] : ordered(folder, base);
  const relative = base === "page" ? written : written.replace(/^\/+/, "");
  const places = new Set(folders.map((from) => join(from, relative)));
  return [...places].filter((place) => place !== null).slice(0, maxPlaces) as string[];
}

/** The folders that a page lies in, the most likely one first. */
function ordered(folder: string, base: Exclude<Base, "page">): readonly string[] {
  const above = [folder];
  for (let at = folder; at !== ""; above.push(at)) at = at.slice(0, Math.max(0, at.lastIndexOf("/")));
  const documents = above.find((one) => documentFolders.has(one.slice(one.lastIndexOf("/") + 1))) ?? "";
  const project = above[above.indexOf(documents) + 1] ?? "";
  return [...(base === "project" ? [project, documents] : [documents, ""]), ...above];
}

/** A path from a folder, without `.` and `..`; null where it leaves the tree or names no file. */
function join(folder: string, written: string): string | null {
  if (written.startsWith("/")) return null;
  const steps = folder === "" ? [] : folder.split("/");
  for (const step of written.split("/")) {
    if (step === "..") {
      if (steps.pop() === undefined) return null;
    } else if (step !== "." && step !== "") steps.push(step);
  }
  const last = steps.at(-1);
  return last === undefined || written.endsWith("/") || last === ".git" || steps[0] === ".git" ? null : steps.join("/");
}

/** True for a path whose text is read as a page is, so that it may include more. */
export function mayInclude(path: string): boolean {
  return /\.(?:md|mdx|markdown|mdown|mkd|txt|inc|snippet|qmd|rmd)$/i.test(path);
}
