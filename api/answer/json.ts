import type * as z from "zod";
import { isSourceCode } from "../../domain/addresses.ts";
import { headingsOf } from "../../domain/markdown.ts";
import type { CodeBlock, ExampleBlock, Passage } from "../../domain/passage.ts";
import { splitPassage } from "../../domain/snippets.ts";
import { estimateTokens } from "../../domain/tokens.ts";
import type { contextSchema } from "../schemas/reading.ts";

type Snippets = Pick<z.infer<typeof contextSchema>, "codeSnippets" | "infoSnippets">;
type CodeSnippet = Snippets["codeSnippets"][0];
type InfoSnippet = Snippets["infoSnippets"][0];

/** The JSON form of passages, best first: examples with the prose that explains them, and all other prose. */
export function renderJson(passages: readonly Passage[]): Snippets {
  const split = passages.map((passage) => ({ passage, ...splitPassage(passage) }));
  return {
    codeSnippets: split.flatMap(({ passage, examples }) =>
      examples.map(({ example, description }) => codeSnippet(passage, example, description)),
    ),
    infoSnippets: split.flatMap(({ passage: { source, breadcrumb, page }, prose }) => {
      if (prose === "") return [];
      const headings = [page.title, ...headingsOf(breadcrumb, page.title)].filter((heading) => heading !== "");
      return [infoSnippet(source.url, headings.join(" > "), prose)];
    }),
  };
}

/** Prose as an item of the JSON form. */
export function infoSnippet(pageId: string, breadcrumb: string, content: string): InfoSnippet {
  return { pageId, breadcrumb, content, contentTokens: estimateTokens(content) };
}

function codeSnippet({ title, page, source }: Passage, example: ExampleBlock, explanation: string): CodeSnippet {
  const { codes } = example;
  const marks = codes.flatMap((code) => code.marks ?? []).join(" ");
  const description = [explanation, marks].filter((text) => text !== "").join("\n\n");
  return {
    codeTitle: example.title || title,
    codeDescription: description,
    codeLanguage: codes[0]?.language ?? "",
    codeTokens: estimateTokens([example.title, description, ...codes.map(({ code }) => code)].join("\n")),
    codeId: example.url,
    pageTitle: page.title,
    codeList: codes.map(toCode),
    ...includedFrom(example, source.path),
  };
}

/** The file from which all code of an example is, if that is one file of sources: one that the page includes, or the page itself. */
function includedFrom(
  { codes }: ExampleBlock,
  page: string | undefined,
): Pick<CodeSnippet, "isDynamic" | "sourceFile"> {
  const files = new Set(codes.flatMap(({ sources }) => (sources ?? [{ path: page }]).map(({ path }) => path)));
  const [sourceFile] = files;
  if (files.size !== 1 || sourceFile === undefined) return {};
  return sourceFile === page && !isSourceCode(page) ? {} : { isDynamic: true, sourceFile };
}

function toCode({ language, code, file, label, sources, madeFrom }: CodeBlock): CodeSnippet["codeList"][0] {
  return {
    language,
    code,
    ...(file !== undefined && { file }),
    ...(label !== undefined && { label }),
    ...(sources && { sources: sources.map(({ url }) => url) }),
    ...(madeFrom !== undefined && { madeFrom }),
  };
}
