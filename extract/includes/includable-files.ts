/** The folder that a tool resolves paths against. */
export type Base =
  /** The page's own folder. */
  | "page"
  /** The folder of the site's configuration, often the parent of its documents: MkDocs, Docusaurus. */
  | "project"
  /** The folder of the documents: VitePress, Mintlify. */
  | "documents";

/** Maximum length of a path, in characters. */
const maxPathLength = 500;
/** Maximum number of candidate paths for one include. */
const maxPlaces = 12;
/** Names of folders that hold a site's documents. */
const documentFolders = new Set(["docs", "doc", "documentation", "content", "src", "pages", "website", "site"]);

/**
 * The paths in the tree that an include may mean, the best first. Empty for a path that leaves the tree, an address, or a path that no
 * tool would read. Nothing in a path is decoded.
 */
export function placesOf(page: string, written: string, base: Base): readonly string[] {
  if (written.length > maxPathLength || /[\p{Cc}\\\uFFFD]|^[a-z][\w+.-]*:/iu.test(written)) return [];
  const folder = page.slice(0, Math.max(0, page.lastIndexOf("/")));
  const folders = base === "page" ? [folder] : ordered(folder, base);
  const relative = base === "page" ? written : written.replace(/^\/+/, "");
  const places = new Set(folders.flatMap((from) => join(from, relative) ?? []));
  return [...places].slice(0, maxPlaces);
}

/** The folders above a page, the most likely one first. */
function ordered(folder: string, base: Exclude<Base, "page">): readonly string[] {
  const above = [folder];
  for (let at = folder; at !== ""; above.push(at)) at = at.slice(0, Math.max(0, at.lastIndexOf("/")));
  const documents = above.find((one) => documentFolders.has(one.slice(one.lastIndexOf("/") + 1))) ?? "";
  const project = above[above.indexOf(documents) + 1] ?? "";
  return [...(base === "project" ? [project, documents] : [documents, ""]), ...above];
}

/** Resolves a path against a folder; null if it leaves the tree or names no file. */
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

/** True for a file that is read as a page, so it may have includes itself. */
export function mayInclude(path: string): boolean {
  return /\.(?:md|mdx|markdown|mdown|mkd|txt|inc|snippet|qmd|rmd|markdoc|mdoc)$/i.test(path);
}

/**
 * Extensions of files that documentation may include, lower-case: text, code, markup, data and settings. Pages are untrusted, and every
 * reader of the library sees what they include, so anything else is refused.
 */
const endings: ReadonlySet<string> = new Set(
  [
    "md mdx markdown mdown mkd mkdn qmd rmd markdoc mdoc myst rst rest adoc asciidoc asc txt text inc snippet tpl tmpl j2 jinja jinja2 tex",
    "js mjs cjs jsx ts mts cts tsx vue svelte astro coffee html htm xhtml css scss sass less styl hbs mustache ejs erb pug liquid twig njk",
    "py pyi pyx pxd pxi pyf ipy rb rbs rake php phtml pl pm t lua r jl dart swift m mm go rs zig nim v d c h cc cpp cxx hh hpp hxx ino cu cl",
    "java kt kts scala sc sbt groovy gradle clj cljs cljc edn cs csx vb fs fsx fsi ex exs eex heex leex erl hrl hs lhs elm ml mli re res",
    "lisp el scm rkt f f90 f95 f03 f08 for pas ada adb ads cob asm s wat sol move cairo vy vhd vhdl sv svh cr hx gd gleam purs idr lean tcl",
    "sh bash zsh fish ksh ps1 psm1 psd1 bat cmd awk sed nix cmake mk make build bazel bzl star just dockerfile containerfile",
    "json json5 jsonc jsonl ndjson geojson yaml yml toml xml xsd xsl xslt wsdl svg csv tsv ini cfg conf properties plist lock",
    "sql psql graphql gql proto thrift avsc prisma hcl tf bicep rego cue dhall jsonnet libsonnet pkl ron kdl ttl sparql cypher",
    "mmd mermaid puml plantuml dot diff patch log out http rest csproj fsproj vbproj sln props targets nuspec podspec gemspec cabal",
  ].flatMap((line) => line.split(" ")),
);

/** Extensions of CSS dialects. */
const dialects = /^[a-z]{1,6}css$/;

/** Names of files without an extension, lower-case. */
const names: ReadonlySet<string> = new Set(
  (
    "readme license licence copying notice authors contributors changelog changes history news todo version makefile gnumakefile dockerfile containerfile " +
    "jenkinsfile vagrantfile procfile gemfile rakefile guardfile podfile fastfile brewfile justfile tiltfile caddyfile earthfile build workspace pipfile"
  ).split(" "),
);

/** Variants of such files, such as Dockerfile.dev. */
const variants = /^(?:dockerfile|containerfile|makefile|jenkinsfile)\.[a-z]+$/;

/** Hidden folders in which documentation tools and projects keep public files. */
const shownFolders: ReadonlySet<string> = new Set([".gitbook", ".github", ".snippets", ".vitepress", ".vuepress"]);

/** Names of files with keys and passwords, in any format. */
const secrets =
  /^(?:credentials?|secrets|passwords?|passwd|shadow|htpasswd|kubeconfig|client[-_]?secrets?\b.{0,100}|service[-_]?accounts?\b.{0,100}|(?:id|ssh_host)_(?:rsa|dsa|ecdsa|ed25519)\b.{0,100}|.{0,100}[-_.](?:credentials|secrets|private[-_]?key))\.?(?:json5?c?|ya?ml|toml|ini|cfg|conf|properties|csv|txt|xml|plist|env|enc)?$/;

/** Beginnings of private keys: PEM and OpenPGP (RFC 7468, RFC 9580 section 6.2), PuTTY, age. */
const privateKey = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY|PuTTY-User-Key-File-\d|AGE-SECRET-KEY-1/;

/** Why pages may not include a file, as the end of a sentence that begins with its path; undefined if they may. */
export function whyRefused(path: string): string | undefined {
  const steps = path.split("/");
  const name = (steps.pop() ?? "").toLowerCase();
  if (name.startsWith(".") || steps.some((step) => step.startsWith(".") && !shownFolders.has(step)))
    return "is hidden, so that it is not shown";
  if (secrets.test(name)) return "is named like a file with keys or passwords";
  const dot = name.lastIndexOf(".");
  const ending = name.slice(dot + 1);
  const isKnown = dot < 0 ? names.has(name) : endings.has(ending) || dialects.test(ending) || variants.test(name);
  return isKnown ? undefined : "has no format that documentation includes";
}

/** True for text with a private key. */
export function holdsKey(text: string): boolean {
  return privateKey.test(text);
}
