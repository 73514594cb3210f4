import type { GitHost, SourceSpec } from "./source.ts";

/** The address at which a Git host shows a file at a commit. For an unknown host: `<repository>/blob/<commit>/<path>`. */
export function repositoryPageUrl(host: GitHost, repositoryUrl: string, commit: string, path: string): string {
  const repository = repositoryUrl.replace(/\/+$/, "").replace(/\.git$/, "");
  const encoded = path.split("/").map(encodeURIComponent).join("/");
  const between = { github: "blob", gitlab: "-/blob", bitbucket: "src", git: "blob" }[host];
  return `${repository}/${between}/${commit}/${encoded}`;
}

/** The address of some lines of a page: the page's own, with the line anchor that its host understands. */
export function linesUrl(source: SourceSpec, pageUrl: string, lines: readonly [number, number]): string {
  if (source.kind !== "git") return `${pageUrl}#L${lines[0]}-L${lines[1]}`;
  const [first, last] = lines;
  const anchor = {
    github: `L${first}-L${last}`,
    gitlab: `L${first}-${last}`,
    bitbucket: `lines-${first}:${last}`,
    git: `L${first}-L${last}`,
  }[source.host];
  return `${pageUrl}#${anchor}`;
}
