import type { Located } from "./located.ts";

/** Address of a place: its file's, `#`, and the pointer as a fragment (RFC 6901, section 6). */
export function addressOf({ file, pointer }: Pick<Located, "file" | "pointer">): string {
  const path = treePath(file) ?? (URL.canParse(file) ? undefined : file);
  const name = path === undefined ? file : path.split("/").map(encodeURIComponent).join("/");
  return `${name}#${pointer.split("/").map(encodeURIComponent).join("/")}`;
}

/** Address of the file that a reference leads to, without its fragment; null if that is relative, and its own file has no address. */
export function resolveAddress(ref: string, file: string): string | null {
  const url = URL.canParse(file) ? URL.parse(ref, file) : URL.parse(ref);
  if (url === null) return null;
  url.hash = "";
  return url.href;
}

/** Files of a tree have addresses of an own scheme, so that references between them are resolved like URLs. */
const treeScheme = "tree:/";

/** Address of the file at a path of a tree. */
export function treeAddress(path: string): string {
  return `${treeScheme}${path.split("/").map(encodeURIComponent).join("/")}`;
}

/** Path of the file at such an address; undefined for any other address, and for a path that leaves the tree. */
export function treePath(address: string): string | undefined {
  if (!address.startsWith(treeScheme)) return undefined;
  try {
    const steps = address.slice(treeScheme.length).split("/").map(decodeURIComponent);
    return steps.every((step) => !/^\.{0,2}$|[/\\]/.test(step)) ? steps.join("/") : undefined;
  } catch {
    return undefined;
  }
}
