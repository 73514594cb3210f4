import { placesOf } from "../includes/includable-files.ts";

/** The prefix of the root of the tree in attributes such as `docdir`, which no path has. */
export const treeRoot = "/{}";

/** The place of a file in an Antora component: the component's folder, its module, and its path in the family's folder. */
interface AntoraPlace {
  readonly root: string;
  readonly module: string;
  readonly family: string;
  readonly relative: string;
}

/** The place of a file in a component of Antora (docs.antora.org, "Standard File and Directory Set"); undefined outside of one. */
export function antoraPlace(path: string): AntoraPlace | undefined {
  const [, root = "", module, family, relative] =
    /^(?:(.*)\/)?modules\/([^/]+)\/(pages|partials|examples|attachments|images)\/(.+)$/.exec(path) ?? [];
  return module === undefined || family === undefined || relative === undefined
    ? undefined
    : { root, module, family, relative };
}

/** True for a menu of Antora: a file of a module outside of its folders, with nothing but a list. */
export function isNavigation(path: string, text: string): boolean {
  return /(?:^|\/)modules\/[^/]+\/[^/]+$/.test(path) && !/^[^\s*./:i]/m.test(text) && /^\*+ /m.test(text);
}

/** `module:family$path`, with the version and component that may precede the module (docs.antora.org, "Resource ID Coordinates"), and slashes before the path. */
const resource =
  /^([^@:$]{1,80}@)?(?:([^:$@]{0,80}):)?(?:([^:$@]{0,80}):)?(?:(page|partial|example|attachment|image)\$)?\/{0,9}([^$]*)$/;

/**
 * The paths in the tree that a resource ID of Antora on a page may mean, none for one of another version; `component` is the name of the
 * page's component, `family` the one that is meant without a prefix. undefined for a path that is no such ID.
 */
export function resourcePlaces(
  page: string,
  written: string,
  component?: string,
  family?: "page",
): readonly string[] | undefined {
  const from = antoraPlace(page);
  const [, version, one, two, prefix, path = ""] = resource.exec(written) ?? [];
  const named = prefix ?? family;
  if (from === undefined || named === undefined || path === "") return undefined;
  if (prefix === undefined && one === undefined && path.startsWith(".")) return undefined;
  const isOther = two !== undefined && one !== component;
  // Folders of components are beside each other, and often have their names.
  const beside = `${from.root.slice(0, from.root.lastIndexOf("/") + 1)}${one ?? ""}`;
  const root = isOther ? beside : from.root;
  if (version !== undefined || (isOther && (component === undefined || one === ""))) return [];
  const module = two ?? one ?? from.module;
  const base = at(root, `modules/${module === "" ? "ROOT" : module}`);
  const folder = from.relative.slice(0, from.relative.lastIndexOf("/") + 1);
  const relative = path.startsWith("./") ? folder + path.slice(2) : path;
  // Older components keep them in a folder of the pages.
  const folders = [`${named}s`, ...(named === "page" ? [] : [`pages/_${named}s`])];
  const places = folders.flatMap((name) => placesOf(`${base}/${name}/x`, relative, "page"));
  // A folder of examples is often a link to the sources of the component; links are not followed.
  const linked = named === "example" && path.includes("/") ? path.slice(path.indexOf("/") + 1) : "";
  return linked === "" ? places : [...places, ...placesOf(at(root, "src/x"), linked, "page")];
}

/** The path of a file in a folder; "" is the root. */
export function at(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`;
}
