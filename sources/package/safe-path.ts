/** Longest path, in characters, and its greatest depth. */
const maxPath = 500;
const maxDepth = 32;

/**
 * A path of an archive without its leading folders, with forward slashes; "" is the root. Null for a path that leaves the archive, or that
 * systems read differently.
 */
export function safePath(path: string, strip: number): string | null {
  if (/[\p{Cc}\p{Zl}\p{Zp}\\]/u.test(path) || /^\/|(?:^|\/)[a-z]:/i.test(path)) return null;
  const segments = path
    .replace(/(?<!\/)\/+$/, "")
    .split("/")
    .filter((segment) => segment !== ".");
  if (segments.length > maxDepth || path.length > maxPath || segments.some((one) => one === "" || one === ".."))
    return null;
  return segments.slice(strip).join("/");
}
