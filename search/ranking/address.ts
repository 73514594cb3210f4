/** IDs and names that an address of a library may stand for. */
export interface Address {
  /** Possible IDs, such as `owner/name`, the most certain first. */
  readonly ids: readonly string[];
  /** Possible names, the most certain first. */
  readonly names: readonly string[];
}

const schemed = /^[a-z][a-z0-9+.-]{0,12}:\/\/(?:[^/@\s]*@)?([^/\s?#:]+)(?::\d+)?(?:\/([^\s?#]*))?/i;
const withoutScheme = /^([a-z0-9-]+(?:\.[a-z0-9-]+)+)\/([^\s?#]+)/i;
const overSsh = /^[\w.-]+@([\w.-]+):([^\s?#]+)$/;
/** Path segments that come before the name of a package in registries. */
const packageSegments: ReadonlySet<string> = new Set(["package", "packages", "project", "crates", "gems", "gem"]);
/** Sites whose path begins with the name of a package. */
const packageSites: ReadonlySet<string> = new Set(["docs.rs", "hexdocs.pm", "jsr.io", "pkg.go.dev", "deno.land"]);
const gitHosts = /^(?:github\.com|gitlab\.com|bitbucket\.org|codeberg\.org|raw\.githubusercontent\.com|git\.[^/]+)$/i;
/** Labels of host names that do not name a product. */
const commonLabels =
  /^(?:www|docs?|api|dev|developers?|learn|guides?|help|reference|readthedocs|github|gitlab|pages|netlify|vercel)$/i;

/** Reads the address of a repository, a package or a site; undefined for any other text. */
export function readAddress(text: string): Address | undefined {
  const [, host = "", path = ""] = schemed.exec(text) ?? overSsh.exec(text) ?? withoutScheme.exec(text) ?? [];
  if (host === "") return undefined;
  const site = host.toLowerCase().replace(/^www\./, "");
  const segments = path.split("/").filter((segment) => segment !== "");
  const [first = "", second = ""] = segments;

  if (packageSites.has(site) || packageSegments.has(first)) {
    const named = packageSites.has(site) ? segments : segments.slice(1);
    const inner = readAddress(named.join("/"));
    if (inner !== undefined && gitHosts.test(named[0] ?? "")) return inner;
    const owned = named[0]?.startsWith("@") === true || site === "packagist.org";
    const name = named.slice(0, owned ? 2 : 1).join("/");
    return { ids: owned ? [name] : [], names: [name] };
  }
  const repository = second.replace(/\.git$/i, "");
  if (gitHosts.test(site)) return { ids: [`${first}/${repository}`], names: [repository === "" ? first : repository] };

  const labels = site.split(".");
  const domain = labels.slice(0, -1);
  const telling = domain.filter((label) => !commonLabels.test(label));
  const [pages = ""] = labels;
  const ids = [
    ...(/\.(?:github|gitlab)\.io$/.test(site) ? [`${pages}/${first === "" ? site : first}`] : []),
    ...(repository === "" ? [] : [`${first}/${repository}`]),
    `websites/${labels.filter((label) => label !== "docs").join("_")}`,
    `websites/${telling.join("_")}`,
  ];
  const last = /\.git$/i.test(second) ? [repository] : [];
  return { ids, names: [...last, ...telling, telling.join(" "), site] };
}
