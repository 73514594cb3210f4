import type { CodeGroup } from "./code-group.ts";
import { lastSentences } from "./sentences.ts";

const install =
  /^(?:[$>#]\s*)?(?:sudo )?(?:npm (?:i|install|add)|yarn add|pnpm (?:i|install|add)|bun (?:i|install|add)|deno (?:add|install)|npx (?:nypm|jsr) (?:i|install|add)|(?:python3? -m )?pip3? install|uv (?:add|pip install)|poetry add|pipx install|conda install|cargo (?:add|install)|go (?:get|install)|gem install|bundle add|composer require|dotnet add|brew install|apt(?:-get)? install|dnf install|flutter pub add|dart pub add)\b/;
const load =
  /^(?:import\b(?!\s*\().*|from\s+[\w.]+\s+import\b.*|(?:const|let|var)\s+[\w$\s{},:]{1,200}=\s*(?:await\s+import|require)\s*\([^()]*\);?|require\s*\(?["'][^"']+["']\)?;?|use\s+(?!\s)[\w\\:{}, *]+;|using\s+[\w.]+;|@import\s.+|#include\s*[<"].+)$/;

/** What a line alone is: an installation, an import, or something else. */
export function oneLiner(code: string): "install" | "import" | undefined {
  const line = code.trim();
  if (line === "" || line.length > 300 || line.includes("\n")) return undefined;
  if (install.test(line)) return "install";
  return load.test(line) ? "import" : undefined;
}

/** Maximum length of a lead-in between two alternatives, in characters: "or with yarn:". */
const maxBetweenLength = 60;

/** Joins installations and imports of one line with what follows them under the same heading. */
export function joinOneLiners(groups: readonly CodeGroup[], maxCodes: number): CodeGroup[] {
  const joined: CodeGroup[] = [];
  for (const group of groups) {
    const before = joined.at(-1);
    if (before === undefined || !belongs(before, group) || before.codes.length + group.codes.length > maxCodes) {
      joined.push(group);
      continue;
    }
    before.codes.push(...group.codes);
    before.lines = [before.lines[0], Math.max(before.lines[1], group.lines[1])];
    before.tabs.length = 0;
    if (group.own) {
      before.description = before.own
        ? lastSentences(`${before.description} ${group.description}`, 4, 400)
        : group.description;
      before.own = true;
    }
  }
  return joined;
}

function belongs(before: CodeGroup, next: CodeGroup): boolean {
  const kinds = before.codes.map(({ code }) => oneLiner(code));
  if (kinds.includes(undefined)) return false;
  const nextKinds = next.codes.map(({ code }) => oneLiner(code));
  if (kinds.at(-1) === "install") {
    // Another way to install, or what is done with what was installed.
    return nextKinds.includes("install") ? !next.own || next.description.length <= maxBetweenLength : true;
  }
  return !nextKinds.includes("install");
}
