import { analyse } from "./analyse-text.ts";
import { languageOfNameWord, languagesIn } from "./languages.ts";
import { distinct, foldName, idsOf, lastOf, nameWords, shortName } from "./names.ts";
import { analyseQuestion } from "./analyse-question.ts";

/** Possible IDs and names of a library, from an address. */
interface Address {
  /** Possible IDs, such as `owner/name`, the most certain first. */
  readonly ids: readonly string[];
  /** Possible names, the most certain first. */
  readonly names: readonly string[];
}

const schemed = /^[a-z][a-z0-9+.-]{0,12}:\/\/(?:[^/@\s]*@)?([^/\s?#:]+)(?::\d+)?(?:\/([^\s?#]*))?/i;
const withoutScheme = /^([a-z0-9-]+(?:\.[a-z0-9-]+)+)\/([^\s?#]+)/i;
const overSsh = /^[\w.-]+@([\w.-]+):([^\s?#]+)$/;
/** Path segments before the name of a package in registries. */
const packageSegments: ReadonlySet<string> = new Set(["package", "packages", "project", "crates", "gems", "gem"]);
/** Sites whose path begins with the name of a package. */
const packageSites: ReadonlySet<string> = new Set(["docs.rs", "hexdocs.pm", "jsr.io", "pkg.go.dev", "deno.land"]);
const gitHosts = /^(?:github\.com|gitlab\.com|bitbucket\.org|codeberg\.org|raw\.githubusercontent\.com|git\.[^/]+)$/i;
/** Labels of host names that do not name a product. */
const commonLabels =
  /^(?:www|docs?|api|dev|developers?|learn|guides?|help|reference|readthedocs|github|gitlab|pages|netlify|vercel)$/i;

/** Reads the address of a repository, a package or a site; undefined for any other text. */
function readAddress(text: string): Address | undefined {
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

/**
 * Folded nicknames of libraries, abbreviations and import names, with their meanings, the most common first. Only those in general
 * use that no spelling rule finds.
 */
const nicknames: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    bs4: "beautifulsoup4 beautifulsoup",
    cv2: "opencv opencvpython",
    drf: "djangorestframework",
    ef: "entityframework efcore",
    es: "elasticsearch",
    gcp: "googlecloud",
    gh: "github",
    hf: "huggingface",
    k8s: "kubernetes",
    mui: "materialui",
    np: "numpy",
    otel: "opentelemetry",
    pd: "pandas",
    pg: "postgresql postgres nodepostgres",
    pil: "pillow",
    plt: "matplotlib",
    postgres: "postgresql",
    psql: "postgresql",
    r3f: "reactthreefiber",
    rhf: "reacthookform",
    rn: "reactnative",
    ror: "rubyonrails rails",
    rtk: "reduxtoolkit",
    rtl: "reacttestinglibrary",
    sklearn: "scikitlearn",
    tf: "terraform tensorflow",
    ts: "typescript",
    wp: "wordpress",
  }).map(([short, long]) => [short, long.split(" ")]),
);

/** A text that names a library, with its possible meanings. Everything is folded. */
export interface RequestedName {
  /** Possible IDs. */
  readonly ids: readonly string[];
  /** Names that the whole text may be, the most certain first. */
  readonly names: readonly string[];
  /** Its last part, if it begins with an owner or a scope; else "". */
  readonly owned: string;
  /** That owner or scope, or "". */
  readonly owner: string;
  /** Its words without versions and filler words. */
  readonly words: readonly string[];
  /** Names that runs of its words may spell, with the share of its words in each. */
  readonly runs: ReadonlyMap<string, number>;
  /** Its analysed terms; and those that are neither a language nor often left out. */
  readonly terms: readonly string[];
  readonly core: readonly string[];
  /** Languages that it names. */
  readonly languages: ReadonlySet<string>;
}

/** What a search asks for besides the library's name. */
export interface RequestedTopics {
  readonly terms: readonly string[];
  /** The folded words of the question. */
  readonly words: readonly string[];
  readonly languages: ReadonlySet<string>;
}

/** Maximum characters and words of a name that are read, and maximum words that spell a name together. */
const maxNameLength = 200;
const maxWords = 12;
const maxRunLength = 5;

/** Filler words, which do not say which library is meant. */
const filler: ReadonlySet<string> = new Set(
  `a an and about context doc docs documentation documents find for framework from get github guide how i in is it
  latest library libraries lib manual me module need npm of official on package please reference show stable the to
  tutorial up use using v version want website what with`.split(/\s+/),
);

/** Words that people leave out of a product's name, or add to it. */
const soft: ReadonlySet<string> = new Set(
  "api apis binding bindings client clients driver for in library lib official of package sdk sdks the wrapper".split(
    " ",
  ),
);

const ecosystem =
  /^(?:pkg:)?(?:npm|pypi|pip|cargo|crates|gem|rubygems|composer|nuget|maven|golang|hex|pub|jsr)[:/](?=.)/i;
const typings = /^@types\/(?=.)/;
/** A version after a name: name@1.2, name@latest, name==1.2, name^1. */
const finalVersion =
  /(?<=[^\s@=<>~^!])(?:@(?=[\dv^~=<>*]|(?:latest|next|canary|beta|alpha|rc|stable|lts)$)|[=<>~!]=|[<>^~](?=\d)).*$/i;
const version = /^[v^~=<>]*\d+(?:[.x*]\S*)?$/i;
const topDomain = /(?<=[^.\s])\.(?:com|org|net|io|app|ai|sh|co)$/i;
const finalDigits = /(?<=\p{L}{2})\d{1,2}$/u;
const genericSuffix = /(?<=.{3})(?:project|framework|lang|library|hq|python|binary)$/u;

/** Whether people leave a word out of a product's name, or add it. */
export function isSoft(word: string): boolean {
  return soft.has(word) || filler.has(word) || version.test(word);
}

/** Reads a name: as written, as an ID, address or package, and without version, digits and filler words. */
export function readName(text: string): RequestedName {
  const written = text.normalize("NFKC").trim().slice(0, maxNameLength).replace(ecosystem, "").replace(typings, "");
  const address = readAddress(written);
  const tokens = (address?.names[0] ?? written).split(/\s+/).map((token) => token.replace(finalVersion, ""));
  const bare = tokens.filter((token) => !version.test(token) && !filler.has(foldName(token)));
  const kept = bare.length > 0 ? bare : tokens;
  const path = kept.length === 1 ? /^@?([^/]+)\/(?:.*\/)?([^/]+)$/u.exec(kept[0] ?? "") : null;
  const words = kept.flatMap(nameWords).slice(0, maxWords);
  const glued = foldName(kept.join(""));
  const terms = termsOf(kept.map((token) => (path === null ? token : lastOf(token))));
  const core = termsOf(words.filter((word) => !isSoft(word) && languageOfNameWord(word) === undefined));
  const names = distinct([
    foldName(written),
    foldName(tokens.join("")),
    glued,
    ...(address?.names ?? []).map(foldName),
    foldName(written.replace(topDomain, "")),
    words.map((word) => nicknames.get(word)?.[0] ?? word).join(""),
    ...(nicknames.get(glued) ?? []),
    glued.replace(finalDigits, ""),
    glued.replace(genericSuffix, ""),
  ]);
  return {
    ids: distinct(
      [written, ...(address?.ids ?? [])].flatMap((id) => [...idsOf(id), ...idsOf(id.replace(finalVersion, ""))]),
    ),
    names,
    owned: foldName(path?.[2] ?? ""),
    owner: foldName(path?.[1] ?? ""),
    words,
    runs: runsOf(words),
    terms,
    core: core.length > 0 ? core : terms,
    languages: languagesIn(written, words),
  };
}

/** Reads the question besides the name. */
export function readTopics(query: string, name: RequestedName): RequestedTopics {
  const words = nameWords(query);
  return {
    terms: analyseQuestion(query).terms,
    words,
    languages: new Set([...languagesIn(query, words), ...name.languages]),
  };
}

function termsOf(words: readonly string[]): readonly string[] {
  return distinct(analyse(words.join(" ")));
}

/** The names with and without a final `js` and the like. */
export function spellingsOf(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.flatMap((name) => [name, `${name}js`, shortName(name) ?? name]));
}

/** Names that runs of words may spell, with their share of the words. Runs of words that people leave out do not count. */
function runsOf(words: readonly string[]): ReadonlyMap<string, number> {
  const runs = new Map<string, number>();
  const add = (name: string, share: number) => {
    if (name.length > 1 && share > (runs.get(name) ?? 0)) runs.set(name, share);
  };
  for (let at = 0; at < words.length; at++) {
    for (let length = 1; length <= maxRunLength && at + length <= words.length; length++) {
      const run = words.slice(at, at + length);
      if (run.every((word) => soft.has(word))) continue;
      const share = length / words.length;
      const name = run.join("");
      add(name, share);
      for (const long of nicknames.get(name) ?? []) add(long, share);
      add(name.replace(finalDigits, ""), 0.9 * share);
    }
  }
  return runs;
}
