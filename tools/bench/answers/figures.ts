import { estimateTokens } from "../../../domain/tokens.ts";
import { parseBlocks } from "./blocks.ts";
import { judgeLeadIns } from "./lead-ins.ts";
import type { LeadIns } from "./lead-ins.ts";
import { plainCode } from "./page.ts";
import type { SourcePage } from "./page.ts";
import { judgePlaces } from "./places.ts";
import type { CodePlaces } from "./places.ts";
import { repeatedLines } from "./repeats.ts";
import type { RepeatedLines } from "./repeats.ts";
import { parseTextAnswer } from "./text-form.ts";
import { tokensOf } from "./tokens.ts";

/** Figures of one answer in the text form. */
export interface TextFigures {
  /** Tokens of all of it, by the tokenizer. */
  readonly tokens: number;
  /** The same as Lectern estimates it. */
  readonly estimate: number;
  /** Of its tokens, those in headings and in lines that name sources. */
  readonly headingTokens: number;
  readonly groups: number;
  readonly passages: number;
  readonly codeBlocks: number;
  /** Lines that say that something was left out. */
  readonly leftOut: number;
  readonly leadIns: LeadIns;
  readonly repeated: RepeatedLines;
  readonly places: CodePlaces;
}

/** Figures of one answer in the JSON form. */
export interface JsonFigures {
  /** Tokens of the body as it is sent, by the tokenizer. */
  readonly tokens: number;
  /** Tokens of its texts and code, by the tokenizer: what is left without the names of fields, addresses and escapes. */
  readonly ownTokens: number;
  /** The tokens that the answer itself names, summed up. */
  readonly estimate: number;
  readonly codeSnippets: number;
  readonly infoSnippets: number;
  readonly repeated: RepeatedLines;
  /** Blocks of code in the prose of the answer that are among its code too. */
  readonly repeatedCode: number;
}

/** The JSON form of an answer, as far as it is judged. */
export interface JsonAnswer {
  readonly codeSnippets: readonly {
    readonly codeTitle: string;
    readonly codeDescription: string;
    readonly codeTokens: number;
    readonly codeList: readonly { readonly code: string }[];
  }[];
  readonly infoSnippets: readonly { readonly content: string; readonly contentTokens: number }[];
}

/** Judges the text form of an answer; `pageAt` reads a page by its address. */
export function judgeText(text: string, pageAt: (url: string) => SourcePage | undefined): TextFigures {
  const answer = parseTextAnswer(text);
  const blocks = answer.groups.flatMap((group) => group.blocks);
  const count = (kind: string): number => blocks.filter((block) => block.kind === kind).length;
  const overhead = blocks.filter(({ kind }) => kind === "title" || kind === "heading" || kind === "provenance");
  return {
    tokens: tokensOf(text),
    estimate: estimateTokens(text),
    headingTokens: overhead.reduce((sum, block) => sum + tokensOf(`${block.text}\n\n`), 0),
    groups: answer.groups.length,
    passages: answer.passages,
    codeBlocks: count("code"),
    leftOut: count("leftOut"),
    leadIns: judgeLeadIns(answer, pageAt),
    repeated: repeatedLines(blocks),
    places: judgePlaces(answer, pageAt),
  };
}

/** Judges the JSON form of an answer. */
export function judgeJson(answer: JsonAnswer): JsonFigures {
  const { codeSnippets, infoSnippets } = answer;
  const codes = codeSnippets.flatMap(({ codeList }) => codeList.map(({ code }) => code));
  const prose = [
    ...codeSnippets.map(({ codeTitle, codeDescription }) => `${codeTitle}\n\n${codeDescription}`),
    ...infoSnippets.map(({ content }) => content),
  ];
  const inProse = infoSnippets.flatMap(({ content }) => parseBlocks(content));
  const known = new Set(codes.map(plainCode));
  const blocks = [
    ...prose.flatMap((text) => parseBlocks(text)),
    ...codes.map((text) => ({ kind: "code", text, indent: 0 }) as const),
  ];
  const estimates = [...codeSnippets.map((one) => one.codeTokens), ...infoSnippets.map((one) => one.contentTokens)];
  return {
    tokens: tokensOf(JSON.stringify(answer)),
    ownTokens: [...prose, ...codes].reduce((sum, text) => sum + tokensOf(text), 0),
    estimate: estimates.reduce((sum, tokens) => sum + tokens, 0),
    codeSnippets: codeSnippets.length,
    infoSnippets: infoSnippets.length,
    repeated: repeatedLines(blocks),
    repeatedCode: inProse.filter(({ kind, text }) => kind === "code" && known.has(plainCode(text))).length,
  };
}
