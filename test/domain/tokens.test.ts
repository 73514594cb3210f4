import { describe, expect, it } from "vitest";
import { estimateTokens } from "../../domain/tokens.ts";

describe("the estimate of tokens", () => {
  // Counts of the o200k encoding, by gpt-tokenizer.
  it.each([
    [
      "Install the package with npm, then import it in the file where you want to use it. The default export is a function that takes the options described below.",
      32,
    ],
    [
      'import { createServer } from "node:http";\n\nconst server = createServer((request, response) => {\n  response.writeHead(200, { "content-type": "text/plain" });\n  response.end("ok");\n});\n\nserver.listen(8080);\n',
      52,
    ],
    [
      'def parse(path: str) -> dict[str, int]:\n    """Reads a file."""\n    with open(path, encoding="utf-8") as file:\n        return {line.strip(): len(line) for line in file if line.strip()}\n',
      49,
    ],
    [
      "| Option | Type | Default | Description |\n|--------|------|---------|-------------|\n| `retries` | `number` | `3` | How often a request is sent again |\n| `timeout` | `number` | `10000` | Milliseconds until a request is given up |\n",
      63,
    ],
    [
      'services:\n  database:\n    image: postgres:17\n    environment:\n      POSTGRES_PASSWORD: example\n    ports:\n      - "5432:5432"\n    volumes:\n      - data:/var/lib/postgresql/data\n',
      47,
    ],
    [
      "The getHTTPResponseCode function of HttpClientFactory returns internationalization settings for 1234567890 requests since 2024-01-15 10:30.",
      34,
    ],
    [
      "const MAX_RETRIES = 1000000;\nconst DEFAULT_TIMEOUT_MILLISECONDS = 30000;\nif (a !== b && (c >>> 2) === 0) { return [[1, 2], [3, 4]]; }\n",
      52,
    ],
    ["安装软件包后,可以在项目的配置文件中启用该插件。默认情况下,它会处理源目录中的所有文件。", 29],
  ])("of %j is near %i", (text, counted) => {
    expect(Math.abs(estimateTokens(text) - counted)).toBeLessThanOrEqual(Math.max(2, counted * 0.15));
  });

  it("is 0 for empty text, and grows with the text", () => {
    expect(estimateTokens("")).toBe(0);
    expect(estimateTokens("word ".repeat(2000))).toBeGreaterThan(estimateTokens("word ".repeat(1000)));
  });
});
