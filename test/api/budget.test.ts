import fc from "fast-check";
import { expect, it } from "vitest";
import { fit } from "../../api/answer/fitting.ts";
import { renderText } from "../../api/answer/text.ts";
import { renderJson } from "../../api/answer/json.ts";
import { tokensOf } from "../../tools/bench/answers/tokens.ts";
import type { Passage, PassageBlock } from "../../domain/passage.ts";
import { estimateTokens } from "../../domain/tokens.ts";
import { runs } from "../support/endurance.ts";

const joined = (
  items: readonly string[],
  separator: string,
  [from, to]: readonly [number, number],
): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...items), { minLength: from, maxLength: to }).map((chosen) => chosen.join(separator));
const repeated = (one: fc.Arbitrary<string>, separator: string, maxLength: number): fc.Arbitrary<string> =>
  fc.array(one, { minLength: 1, maxLength }).map((lines) => lines.join(separator));

const english =
  "the a to of and is in option server returns when request with default value file package configuration used if not for each it".split(
    " ",
  );
const chinese =
  "安装 配置 文件 服务器 默认 情况 下 请求 使用 可以 插件 选项 返回 如果 的 了 在 是 并且 异步 函数 数据库 ， 。 、 组件 依赖".split(
    " ",
  );
const names =
  "getUserName maxRetries onClose HTTPServer parse_args MAX_SIZE createServer x i fooBarBaz __init__ useState".split(
    " ",
  );
const punctuation = [
  "(",
  ")",
  ".",
  " = ",
  "=>",
  "{",
  "}",
  ";\n  ",
  ", ",
  "[0]",
  ' "text"',
  "'a'",
  " !== ",
  "`${x}`",
  "\\n",
  "\n",
];
const hex = fc.stringMatching(/^[0-9a-f]{32,64}$/);

const prose = repeated(
  fc.oneof(
    joined(english, " ", [5, 60]),
    joined(chinese, "", [10, 80]),
    repeated(
      hex.map(
        (digits) => `- https://example.com/docs/v2/guide?id=${digits.slice(0, 12)}&page=2#${digits.slice(12, 20)}`,
      ),
      "\n",
      8,
    ),
    repeated(
      fc
        .tuple(joined(names, "", [1, 1]), joined(english, " ", [2, 12]))
        .map(([name, text]) => `| \`${name}\` | ${text} |`),
      "\n",
      15,
    ).map((rows) => `| Name | Description |\n|------|-------------|\n${rows}`),
    joined(["✅ ", "🎉", "❌ no", "⚠️ ", "→", "done ", "🚀 "], " ", [3, 15]),
  ),
  "\n\n",
  6,
);
const code = fc.oneof(
  fc
    .array(fc.tuple(fc.constantFrom(...names), fc.constantFrom(...punctuation)), { minLength: 5, maxLength: 120 })
    .map((parts) => parts.flat().join("")),
  // Minified.
  joined(
    [
      "!function(e,t){",
      "var n=t(3),",
      "r=e.exports;",
      "return n?o:i",
      "}",
      "(0,a.b)(c)",
      "void 0===s&&",
      "for(;u<l;u++)",
      "f[d]=",
      "h.p,",
      "x3",
    ],
    "",
    [10, 150],
  ),
  repeated(hex, "\n", 12),
  joined(
    ['{"id":1,', '"name":"a",', '"list":[1,2,3],', "\n    ", '"ok":true}', "<a href='#'>", "\t- key: value\n"],
    "",
    [5, 60],
  ),
);

const passages = fc
  .array(
    fc.tuple(
      fc.array(
        fc.oneof(
          prose.map((markdown) => ({ markdown })),
          code.map((text) => ({ text })),
        ),
        { minLength: 1, maxLength: 5 },
      ),
      fc.nat(4),
    ),
    { minLength: 1, maxLength: 14 },
  )
  .map((all) => all.map(([blocks, page], at) => passageOf(at, page, blocks)));

function passageOf(at: number, page: number, texts: readonly ({ markdown: string } | { text: string })[]): Passage {
  const url = `https://git.example.com/acme/widgets/blob/0123456789abcdef/docs/page-${page}.md`;
  const lines = [at * 100 + 1, at * 100 + 60] as const;
  const blocks = texts.map((one): PassageBlock => {
    if ("markdown" in one) return { type: "prose", markdown: one.markdown };
    return {
      type: "code",
      title: "Example",
      description: "How it is used",
      codes: [{ language: "js", code: one.text }],
      url,
    };
  });
  return {
    id: String(at),
    title: "Usage",
    breadcrumb: ["Widgets", "Usage"],
    blocks,
    page: { title: "Widgets", url },
    source: {
      path: `docs/page-${page}.md`,
      url: `${url}#L${lines[0]}-L${lines[1]}`,
      lines,
      revision: "0123456789abcdef",
    },
    tokens: texts.reduce((sum, one) => sum + estimateTokens("markdown" in one ? one.markdown : one.text) + 4, 0),
  };
}

const forms = {
  text: (all: readonly Passage[], budget: number) =>
    fit(all, budget, {
      render: (chosen) => renderText(chosen, ({ page }, [from, to]) => `${page.url}#L${from}-L${to}`),
      sent: (text) => text,
    }),
  JSON: (all: readonly Passage[], budget: number) =>
    JSON.stringify(fit(all, budget, { render: (chosen) => renderJson(chosen), sent: (body) => JSON.stringify(body) })),
};

it.each(Object.entries(forms))(
  "an answer in the %s form is within its budget, as a tokenizer counts it",
  (_form, answer) => {
    const used: number[] = [];
    fc.assert(
      fc.property(passages, fc.constantFrom(200, 500, 1000, 5000), (all, budget) => {
        const tokens = tokensOf(answer(all, budget));
        expect(tokens).toBeLessThanOrEqual(budget);
        if (all.reduce((sum, passage) => sum + passage.tokens, 0) > 2 * budget) used.push(tokens / budget);
      }),
      { seed: 1, numRuns: runs({ short: 300, long: 5000 }) },
    );
    // Only the first passage is cut, and short examples have more overhead in the JSON form.
    expect(used.reduce((sum, share) => sum + share, 0) / used.length).toBeGreaterThan(0.55);
  },
);
