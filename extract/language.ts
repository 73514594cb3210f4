import { looksLike } from "./language-by-shape.ts";
import { jsonOf } from "./json.ts";

/** Aliases of each language by its canonical name, the main name in most highlighters. "text" means no language. */
const names = {
  bash: "console shell sh zsh terminal shell-session shellsession sh-session shell-script shellscript bash-session cmdline command-line commandline console-session package-install",
  javascript: "js cjs mjs node nodejs ecmascript es6 javascript-react",
  jsx: "javascriptreact",
  typescript: "ts mts cts",
  tsx: "typescriptreact",
  python:
    "py py3 python3 python2 pycon pycon3 python-repl python-console ipython ipython3 pyi testcode doctest jupyter-execute",
  ruby: "rb irb erb-ruby",
  rust: "rs",
  go: "golang",
  csharp: "cs c# dotnet",
  fsharp: "fs f#",
  cpp: "c++ cc cxx hpp h++",
  objectivec: "objc objective-c obj-c",
  kotlin: "kt kts",
  powershell: "ps ps1 pwsh posh",
  batch: "bat cmd dosbatch winbatch",
  yaml: "yml docker-compose",
  json: "json-object",
  jsonc: "json-with-comments json5c",
  markdown: "md mkd mkdown",
  rst: "restructuredtext rest-text eval-rst",
  html: "htm xhtml html5",
  xml: "xsl xsd rss plist svg wsdl",
  dockerfile: "docker",
  makefile: "make mk mf",
  elixir: "ex exs iex",
  erlang: "erl",
  haskell: "hs ghci",
  perl: "pl pm",
  swift: "swiftui",
  scala: "sc sbt",
  clojure: "clj cljs cljc edn",
  graphql: "gql",
  terraform: "tf",
  protobuf: "proto protocol-buffers",
  viml: "vim vimscript",
  latex: "tex",
  ini: "cfg conf dosini",
  properties: "java-properties",
  dotenv: "env",
  solidity: "sol",
  postgresql: "pgsql postgres",
  http: "https",
  csv: "csv-table",
  text: "txt plain plaintext plain-text none nohighlight no-highlight raw ascii output pt pytb parsed-literal command-output testoutput",
};

const canonical: ReadonlyMap<string, string> = keysByWord(names);

/** The canonical name of a language, lower-case; "" if the word cannot be a language. */
export function toLanguage(name: string): string {
  const lower = name.trim().toLowerCase();
  if (!/^[a-z][a-z0-9+#._-]{0,29}$/.test(lower)) return "";
  return canonical.get(lower) ?? lower;
}

/** Languages by file extension, where the extension is no alias. */
const endings: ReadonlyMap<string, string> = new Map([
  ["h", "c"],
  ["m", "objectivec"],
  ["csproj", "xml"],
  ["gradle", "groovy"],
]);
const known = new Set([
  ...Object.keys(names),
  ...(
    "c css scss sass less java json json5 jsonl toml sql php lua r julia dart vue svelte astro groovy nim zig csv " +
    "mdx diff patch nginx fish nix proto hcl cue rego prisma svg"
  ).split(" "),
]);

/** True for a name or alias of a language. */
export function isLanguage(word: string): boolean {
  const lower = word.toLowerCase();
  return known.has(lower) || canonical.has(lower);
}

/** The language of a kernel of Jupyter by its name, such as `python3`, `C++17` or `ir`; "" if the word cannot be a language. */
export function languageOfKernel(kernel: string): string {
  if (kernel === "ir") return "r";
  const bare = kernel
    .slice(0, 100)
    .toLowerCase()
    .replace(/(?<![\d.])\d[\d.]*$/, "")
    .replace(/[-_]$/, "");
  return isLanguage(kernel) || !isLanguage(bare) ? toLanguage(kernel) : toLanguage(bare);
}

/** The language of a file by its name; "" if unknown. */
export function languageOfFile(file: string): string {
  const name = (file.split(/[\\/]/).at(-1) ?? "").toLowerCase();
  if (/^dockerfile\b/.test(name)) return "dockerfile";
  if (name === "makefile") return "makefile";
  if (/^\.env\b/.test(name)) return "dotenv";
  if (/^\.(?:babel|eslint|prettier|swc)rc$/.test(name)) return "json";
  const ending = /\.([a-z0-9]+)$/.exec(name)?.[1];
  if (ending === undefined) return "";
  const language = endings.get(ending) ?? toLanguage(ending);
  return known.has(language) ? language : "";
}

/** Maximum length of code parsed as JSON, in characters. */
const maxJsonLength = 20_000;
const interpreters: readonly (readonly [RegExp, string])[] = [
  [/^#!.*\b(?:ba|z|da|k)?sh\b/, "bash"],
  [/^#!.*\bpython/, "python"],
  [/^#!.*\b(?:node|bun|deno)\b/, "javascript"],
  [/^#!.*\bruby\b/, "ruby"],
  [/^#!.*\bperl\b/, "perl"],
];

/** Prompts of interactive programs. */
const prompts: readonly (readonly [RegExp, string])[] = [
  [/^>>> \S/, "python"],
  [/^iex(?:\(\d+\))?> ?\S/, "elixir"],
  [/^irb(?:\(main\))?[\d:]*> ?\S/, "ruby"],
  [/^(?:redis|127\.0\.0\.1:\d+)> ?\S/, "redis"],
  [/^(?:(?:mysql|mariadb(?: \[\w{1,30}\])?|sqlite)>|\w{1,30}=[#>]) \S/i, "sql"],
  [/^In \[\d{1,4}\]: \S/, "python"],
  [/^julia> \S/, "julia"],
  [/^scala> \S/, "scala"],
  [/^(?:ghci|Prelude)> \S/, "haskell"],
  [/^(?:\[\d+\] )?pry(?:\(\w+\))?> \S/, "ruby"],
  [/^PS [A-Z]:\\[^>\n]{0,100}> ?\S/, "powershell"],
  [/^[A-Z]:\\[^>\n]{0,100}> ?\S/, "batch"],
  [/^(?:[\w.-]{1,40}@[\w.-]{1,60}[: ][^\s$#]{0,80}[$#]|[❯➜]) \S/, "bash"],
];

/** Beginnings of shell commands. */
const commands =
  /^(?:sudo |npm (?:i|install|run|init|create|exec|publish|login|ci|test|start) ?|npx |bunx |uvx |yarn (?:add|dlx|install|run|create|workspace) |pnpm (?:add|install|dlx|run|exec|create) ?|bun (?:add|install|run|create|x|test) |uv (?:add|run|pip|sync|tool|venv|init|lock) ?|poetry (?:add|install|run) ?|pipx? |pip3 install |hatch (?:run|env|python|test|build|new|version|shell|fmt|dep|config|publish|self) |conda (?:install|create|activate) |brew |apt(?:-get)? |dnf |yum |apk add |pacman -|cargo (?:add|install|run|build|test|new) ?|rustup |go (?:get|install|run|mod|build|test) |git [a-z-]{2,20}(?: |$)|docker(?:-compose| compose)? [a-z]{2,12} |podman [a-z]{2,12} |kubectl [a-z]{3,14} |helm (?:install|upgrade|repo|uninstall|template) |terraform [a-z]{3,12}|curl (?:-|["']?https?:)|wget |python3? (?:-m |[\w./-]{1,80}\.py\b)|node (?:--?[a-z]|[\w./-]{1,80}\.[cm]?[jt]s\b)|deno (?:run|add|task|install|test) |gem install |bundle (?:add|install|exec) |composer (?:require|install|create-project) |php artisan |dotnet (?:add|new|run|build|tool) |mkdir (?:-p )?[\w./~-]{1,100}(?:$| &&)|cd [\w./~-]{1,100}(?:$| &&)|chmod |export [A-Z_][A-Z0-9_]{0,60}=|\.\/[\w.-]{1,60} \S|[A-Z_][A-Z0-9_]{1,60}=\S{0,100} [a-z][\w./-]{0,60}(?: |$))/;

/**
 * The language that code shows by itself, by cheap rules that are rarely wrong: an interpreter line, a prompt, a command, valid JSON,
 * the shape of its lines. "text" for no language, "" if unknown.
 */
export function guessLanguage(code: string): string {
  const start = code.slice(0, 300).trimStart();
  if (start.startsWith("#!")) return interpreters.find(([pattern]) => pattern.test(start))?.[1] ?? "";
  if (/^\$ [\w./~-]/.test(start)) return "bash";
  const prompt = prompts.find(([pattern]) => pattern.test(start));
  if (prompt !== undefined) return prompt[1];
  // A program's name and version are its output.
  if (commands.test(start) && !/^\S+ \S+ v\d/.test(start)) return "bash";
  if (/^<\?php\b/.test(start)) return "php";
  if (/^<\?xml\b/.test(start)) return "xml";
  if (/^<!doctype html/i.test(start)) return "html";
  if (/^(?:diff --git |--- a\/)/.test(start)) return "diff";
  if (/^[[{]/.test(start) && code.length <= maxJsonLength && isJson(code)) return "json";
  return looksLike(code);
}

function isJson(code: string): boolean {
  const trimmed = code.trimEnd();
  if (!trimmed.endsWith("}") && !trimmed.endsWith("]")) return false;
  if (!/^\s*(?:\{\s*["}]|\[\s*(?:["{[\]\d-]|true|false|null))/.test(code)) return false;
  return jsonOf(code) !== undefined;
}

/** Languages that do not predict the language of unlabelled blocks around them. */
const neutral = new Set(
  ["", "text", "diff", "mermaid", "markdown", "rst", "math", "latex"].concat(
    // Unlabelled data and settings are recognised by their text.
    "json jsonc json5 jsonl yaml toml ini dotenv properties http csv abnf ebnf bnf regex".split(" "),
  ),
);

/** Counts languages, except neutral ones, and finds the majority. */
export function createLanguageCount() {
  const counts = new Map<string, number>();
  let total = 0;
  return {
    add(language: string, count = 1): void {
      if (neutral.has(language)) return;
      total += count;
      counts.set(language, (counts.get(language) ?? 0) + count);
    },
    /** The language of more than half; "" without. Independent of the order of the additions. */
    majority(): string {
      for (const [language, count] of counts) if (count * 2 > total) return language;
      return "";
    },
  };
}

/** Maps each word of a table of space-separated words to its key; for a duplicate word the last key wins. */
export function keysByWord<Key extends string>(table: Readonly<Record<Key, string>>): ReadonlyMap<string, Key> {
  const entries = Object.entries(table) as [Key, string][];
  return new Map(entries.flatMap(([key, words]) => words.split(" ").map((word) => [word, key] as const)));
}
