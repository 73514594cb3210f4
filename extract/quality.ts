import type { ExampleBlock, Passage } from "../domain/passage.ts";
import { isTree } from "./left-out.ts";
import { estimateTokens } from "../domain/tokens.ts";

/** Defects of a passage, by checks without a language model. */
export type Defect =
  | "title_missing"
  | "description_missing"
  | "source_missing"
  | "code_missing"
  | "language_missing"
  | "language_odd"
  | "code_tiny"
  | "list_in_code"
  | "citation_in_code"
  | "licence"
  | "directory_tree"
  | "only_install_or_import"
  | "content_missing"
  | "content_tiny"
  | "content_large";

/** Minimum size of code, in estimated tokens. */
const tinyCode = 5;
/** Minimum and maximum size of prose, in estimated tokens. */
const tinyContent = 8;
const largeContent = 850;

const glyph = /^[ \t]*[•●◦▪‣][ \t]/m;
const numbered = /^1\. \S.*\n(?:.*\n){0,3}?2\. \S/m;
const proseLanguages = new Set(["markdown", "mdx", "text", "rst", "asciidoc", "yaml", "mermaid", "diff", "bash"]);
const citation = /\[\d{1,3}\]:? ?https?:\/\/|【\d+|\bet al\.,? \(?\d{4}/;
const licence = /(?:^|\/)(?:licen[cs]e|copying)(?:[.-][^/]*)?$/i;

/**
 * The defects of a passage, by the deterministic checks of upstash/c7score (src/lib/textMetrics.ts) with three exceptions: several code
 * blocks are allowed, as they are alternatives or files that belong together; so is output in code, as it is verbatim; and a block
 * without a language may use the library's, `majority`.
 */
export function defectsOf(passage: Passage, majority = ""): readonly Defect[] {
  const { title, source, blocks } = passage;
  const defects: Defect[] = [];
  if (title.trim() === "") defects.push("title_missing");
  if (source.url === "" && (source.path ?? "") === "") defects.push("source_missing");
  if (licence.test(source.path ?? "")) defects.push("licence");
  const examples = blocks.filter((block) => block.type === "code");
  const prose = blocks.flatMap((block) => (block.type === "prose" ? [block.markdown] : [])).join("\n\n");
  if (examples.length === 0) defects.push(...defectsOfContent(prose));
  for (const example of examples) defects.push(...defectsOfExample(example, majority));
  return [...new Set(defects)];
}

function defectsOfContent(content: string): readonly Defect[] {
  if (content.trim() === "") return ["content_missing"];
  const tokens = estimateTokens(content);
  if (tokens < tinyContent) return ["content_tiny"];
  return tokens > largeContent ? ["content_large"] : [];
}

function* defectsOfExample({ description, codes }: ExampleBlock, majority: string): Generator<Defect> {
  if (description.trim() === "") yield "description_missing";
  const whole = codes.map(({ code }) => code).join("\n");
  if (whole.trim() === "") yield "code_missing";
  else if (estimateTokens(whole) < tinyCode) yield "code_tiny";
  if (codes.length === 1 && isInstallOrImport(whole)) yield "only_install_or_import";
  for (const { code, language } of codes) {
    const shown = language || majority;
    if (shown === "") yield "language_missing";
    else if (/\s|^(?:none|console)$/.test(shown)) yield "language_odd";
    if (!proseLanguages.has(shown) && (glyph.test(code) || numbered.test(code))) yield "list_in_code";
    if (citation.test(code)) yield "citation_in_code";
    if (isTree({ code })) yield "directory_tree";
  }
}

const install =
  /^(?:[$>#]\s*)?(?:sudo )?(?:npm (?:i|install|add)|yarn add|pnpm (?:i|install|add)|bun (?:i|install|add)|deno (?:add|install)|npx (?:nypm|jsr) (?:i|install|add)|(?:python3? -m )?pip3? install|uv (?:add|pip install)|poetry add|pipx install|conda install|cargo (?:add|install)|go (?:get|install)|gem install|bundle add|composer require|dotnet add|brew install|apt(?:-get)? install|dnf install|flutter pub add|dart pub add)\b/;
const load =
  /^(?:import\b(?!\s*\().*|from\s+[\w.]+\s+import\b.*|(?:const|let|var)\s+[\w$\s{},:]{1,200}=\s*(?:await\s+import|require)\s*\([^()]*\);?|require\s*\(?["'][^"']+["']\)?;?|use\s+(?!\s)[\w\\:{}, *]+;|using\s+[\w.]+;|@import\s.+|#include\s*[<"].+)$/;

/** True for a single line that installs or imports something. */
function isInstallOrImport(code: string): boolean {
  const line = code.trim();
  return line !== "" && line.length <= 300 && !line.includes("\n") && (install.test(line) || load.test(line));
}
