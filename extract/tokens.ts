/** A word is a run of letters; a capital behind a small letter begins another one. */
type Kind = "small" | "capital" | "digit" | "blank" | "lineEnd" | "mark" | "wide" | "other";

/**
 * What each thing costs, in tokens: fitted by least squares of the relative error to the o200k encoding of
 * gpt-tokenizer over 1,031 files of Markdown, JavaScript, TypeScript, JSON and Python. Of those, half are estimated
 * within 4 %, 95 % within 12 % (Markdown: 9 %); minified code is estimated up to 50 % too low.
 */
const cost = {
  word: 0.935,
  innerWord: 0.896,
  /** Of a word, each letter from the eighth on. */
  lateLetter: 0.226,
  threeDigits: 1.439,
  mark: 0.338,
  runOfMarks: 0.399,
  runOfLineEnds: 0.395,
  indentation: 0.919,
  /** From U+2E80 on: Chinese, Japanese, Korean, emoji; set by hand, as the files have little of them. */
  wide: 0.72,
  other: 0.453,
};

/** The number of tokens that a language model reads a text as, estimated without its vocabulary; at least 1, but for blanks. */
export function estimateTokens(text: string): number {
  let tokens = 0;
  let before: Kind = "other";
  /** How many letters or digits have come since a word or a group of three digits began. */
  let run = 0;
  for (let at = 0; at < text.length; at++) {
    const kind = kindOf(text.charCodeAt(at));
    switch (kind) {
      case "small":
      case "capital":
        run = (before !== "small" && before !== "capital") || (kind === "capital" && before === "small") ? 1 : run + 1;
        if (run > 7) tokens += cost.lateLetter;
        else if (run === 1) tokens += before === "small" ? cost.innerWord : cost.word;
        break;
      case "digit":
        run = before === "digit" && run < 3 ? run + 1 : 1;
        if (run === 1) tokens += cost.threeDigits;
        break;
      case "blank":
        if (before === "lineEnd") tokens += cost.indentation;
        break;
      case "lineEnd":
        if (before !== "lineEnd") tokens += cost.runOfLineEnds;
        break;
      case "mark":
        tokens += before === "mark" ? cost.mark : cost.mark + cost.runOfMarks;
        break;
      default:
        tokens += cost[kind];
    }
    before = kind;
  }
  return Math.ceil(tokens);
}

function kindOf(code: number): Kind {
  if (code >= 0x2e80) return "wide";
  if (code >= 128) return "other";
  if (code >= 97 && code <= 122) return "small";
  if (code >= 65 && code <= 90) return "capital";
  if (code >= 48 && code <= 57) return "digit";
  if (code === 32 || code === 9) return "blank";
  return code === 10 || code === 13 ? "lineEnd" : "mark";
}
