/** Kinds of characters. A word is a run of letters; a capital behind a small letter begins another one. */
const small = 0;
const capital = 1;
const digit = 2;
const blank = 3;
const lineEnd = 4;
const mark = 5;
const wide = 6;
const other = 7;
const kinds = 8;

const asciiKinds = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code >= 97 && code <= 122) return small;
  if (code >= 65 && code <= 90) return capital;
  if (code >= 48 && code <= 57) return digit;
  if (code === 32 || code === 9) return blank;
  return code === 10 || code === 13 ? lineEnd : mark;
});

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

/**
 * What the next character costs depends on the kind of the one before, and on how many letters or digits have come
 * since a word or a group of three digits began: 1 to 7, where 7 stands for more as well, and 0 behind other kinds.
 */
interface Before {
  readonly kind: number;
  readonly run: number;
}

const runs = 8;
const start = other * runs * kinds;

const { states, costs } = createAutomaton();

/** The transition table of a finite automaton: at `(kind * runs + run) * kinds`, plus the kind of the next character, the next state and its cost. */
function createAutomaton() {
  const states = new Uint16Array(kinds * runs * kinds);
  const costs = new Float64Array(kinds * runs * kinds);
  for (let state = 0; state < states.length; state += kinds) {
    const before = { kind: Math.floor(state / kinds / runs), run: (state / kinds) % runs };
    for (let kind = 0; kind < kinds; kind++) {
      const [run, tokens] = read(before, kind);
      states[state + kind] = (kind * runs + run) * kinds;
      costs[state + kind] = tokens;
    }
  }
  return { states, costs };
}

/** The run behind a character of the given kind, and what that character costs. */
function read(before: Before, kind: number): readonly [run: number, tokens: number] {
  switch (kind) {
    case small:
    case capital:
      if (before.kind !== small && before.kind !== capital) return [1, cost.word];
      if (kind === capital && before.kind === small) return [1, cost.innerWord];
      return before.run < 7 ? [before.run + 1, 0] : [7, cost.lateLetter];
    case digit:
      return before.kind === digit && before.run < 3 ? [before.run + 1, 0] : [1, cost.threeDigits];
    case blank:
      return [0, before.kind === lineEnd ? cost.indentation : 0];
    case lineEnd:
      return [0, before.kind === lineEnd ? 0 : cost.runOfLineEnds];
    case mark:
      return [0, before.kind === mark ? cost.mark : cost.mark + cost.runOfMarks];
    default:
      return [0, kind === wide ? cost.wide : cost.other];
  }
}

/** The number of tokens that a language model reads a text as, estimated without its vocabulary; at least 1, but for blanks. */
export function estimateTokens(text: string): number {
  const { length } = text;
  let tokens = 0;
  let state = start;
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    const step = state + (code < 128 ? (asciiKinds[code] ?? mark) : code >= 0x2e80 ? wide : other);
    tokens += costs[step] ?? 0;
    state = states[step] ?? start;
  }
  return Math.ceil(tokens);
}
