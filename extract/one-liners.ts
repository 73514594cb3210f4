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
