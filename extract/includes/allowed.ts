/**
 * Which files of a tree documentation may include: code, markup, data and settings that are shown to readers. The pages that name
 * them are not trusted, and every reader of the library sees them: what is not on these lists is refused.
 */

/** Endings of file names, lower-case: text for people, code, markup, data, settings. */
const endings: ReadonlySet<string> = new Set(
  [
    "md mdx markdown mdown mkd mkdn qmd rmd myst rst rest adoc asciidoc asc txt text inc snippet tpl tmpl j2 jinja jinja2 tex",
    "js mjs cjs jsx ts mts cts tsx vue svelte astro coffee html htm xhtml css scss sass less styl hbs mustache ejs erb pug liquid twig njk",
    "py pyi pyx ipy rb rbs rake php phtml pl pm t lua r jl dart swift m mm go rs zig nim v d c h cc cpp cxx hh hpp hxx ino cu cl",
    "java kt kts scala sc sbt groovy gradle clj cljs cljc edn cs csx vb fs fsx fsi ex exs eex heex leex erl hrl hs lhs elm ml mli re res",
    "lisp el scm rkt f f90 f95 for pas ada adb ads cob asm s wat sol move cairo vy vhd vhdl sv svh cr hx gd gleam purs idr lean tcl",
    "sh bash zsh fish ksh ps1 psm1 psd1 bat cmd awk sed nix cmake mk make bazel bzl star just dockerfile containerfile",
    "json json5 jsonc jsonl ndjson geojson yaml yml toml xml xsd xsl xslt wsdl svg csv tsv ini cfg conf properties plist lock",
    "sql psql graphql gql proto thrift avsc prisma hcl tf bicep rego cue dhall jsonnet libsonnet pkl ron kdl ttl sparql cypher",
    "mmd mermaid puml plantuml dot diff patch log out http rest csproj fsproj vbproj sln props targets nuspec podspec gemspec cabal",
  ].flatMap((line) => line.split(" ")),
);

/** Dialects of CSS, whose endings say so. */
const dialects = /^[a-z]{1,6}css$/;

/** Names of files without an ending, lower-case. */
const names: ReadonlySet<string> = new Set(
  (
    "readme license licence copying notice authors contributors changelog changes history news todo version makefile gnumakefile dockerfile containerfile " +
    "jenkinsfile vagrantfile procfile gemfile rakefile guardfile podfile fastfile brewfile justfile tiltfile caddyfile earthfile build workspace pipfile"
  ).split(" "),
);

/** Files of which there are several, such as Dockerfile.dev. */
const variants = /^(?:dockerfile|containerfile|makefile|jenkinsfile)\.[a-z]+$/;

/** Hidden folders in which tools for documentation keep parts of pages, or projects what they show of themselves. */
const shownFolders: ReadonlySet<string> = new Set([".gitbook", ".github", ".snippets", ".vitepress", ".vuepress"]);

/** Names of what holds keys and passwords, whatever its format. */
const secrets =
  /^(?:credentials?|secrets|passwords?|passwd|shadow|htpasswd|kubeconfig|client[-_]?secrets?\b.{0,100}|service[-_]?accounts?\b.{0,100}|(?:id|ssh_host)_(?:rsa|dsa|ecdsa|ed25519)\b.{0,100}|.{0,100}[-_.](?:credentials|secrets|private[-_]?key))\.?(?:json5?c?|ya?ml|toml|ini|cfg|conf|properties|csv|txt|xml|plist|env|enc)?$/;

/** What a private key begins with: PEM and OpenPGP (RFC 7468, RFC 9580 section 6.2), PuTTY, age. */
const privateKey = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY|PuTTY-User-Key-File-\d|AGE-SECRET-KEY-1/;

/** Why no page may include what lies at a path: the end of a sentence that begins with the path. Undefined where one may. */
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

/** True for text that holds a private key. */
export function holdsKey(text: string): boolean {
  return privateKey.test(text);
}
