/**
 * Counts steps of JavaScript instead of time, so that growth can be measured on a busy machine: entries of code blocks (V8's
 * precise coverage), backtracks of regular expressions (V8's counter), and characters that string methods scan. It is an
 * approximation: the cost of a block and other built-in functions are not counted. Needs a process of its own, with
 * `--allow-natives-syntax`.
 */
import { RegExpParser, visitRegExpAST } from "@eslint-community/regexpp";
import { Session } from "node:inspector";
import { runInThisContext } from "node:vm";

/** The steps of some work, and its slow regular expressions. */
export interface Steps {
  readonly total: number;
  /** Expressions with more than `perCharacter` backtracks per character, with their number of backtracks. */
  readonly slow: ReadonlyMap<string, number>;
}

/** Maximum backtracks of our expressions per character of the text. */
const perCharacter = 600;

/** Maximum backtracks of an expression of a dependency; then it does not match. */
const foreignLimit = 1 << 18;

interface Counted {
  /** Whether to count the blocks of the file at this URL. */
  readonly isCounted: (url: string) => boolean;
  /** Whether to count this regular expression; others only get a limit. */
  readonly isOwn: (source: string) => boolean;
}

type Limited = (source: string, flags: string, limit: number) => RegExp;

const exec: (this: RegExp, text: string) => RegExpExecArray | null = Reflect.get(RegExp.prototype, "exec");

/** Starts counting in this process, irreversibly. */
export function startCounting({ isCounted, isOwn }: Counted): (work: () => void) => Steps {
  // As a string, as only V8 parses this syntax.
  const call = "(source, flags, limit) => %NewRegExpWithBacktrackLimit(source, flags, limit)";
  const limited = runInThisContext(call) as Limited;
  const limitedForms = new Map<string, RegExp[]>();
  let scanned = 0;
  let slow = new Map<string, number>();
  let counting = false;

  /**
   * The expression with a limit of 2^power backtracks, and an alternative that always matches at the end of the text: it returns null
   * only at the limit. Power 0: the limit of foreign expressions, without the alternative.
   */
  const limitedForm = (expression: RegExp, power: number): RegExp => {
    const key = `${expression.flags}/${expression.source}`;
    const known = limitedForms.get(key) ?? [];
    limitedForms.set(key, known);
    return (known[power] ??=
      power === 0
        ? limited(expression.source, expression.flags, foreignLimit)
        : limited(
            `(?:${countable(expression)})|${isBound(expression) ? "" : "(?![^])"}`,
            expression.flags,
            (2 ** power) | 0,
          ));
  };
  const backtracks = (expression: RegExp, text: string): number => {
    if (expression.sticky || ((expression.global || expression.sticky) && expression.lastIndex > text.length)) return 0;
    const most = perCharacter * (text.length + 100);
    for (let power = 6; ; power++) {
      const counted = limitedForm(expression, power);
      counted.lastIndex = expression.lastIndex;
      const match = exec.call(counted, text);
      if (match !== null || power === 28 || 2 ** power > 2 * most) return power === 6 ? 0 : 2 ** power;
    }
  };
  RegExp.prototype.exec = function (text: string) {
    if (!counting) return exec.call(this, text);
    const subject = String(text);
    if (!isOwn(this.source)) {
      const foreign = limitedForm(this, 0);
      foreign.lastIndex = this.lastIndex;
      const match = exec.call(foreign, subject);
      this.lastIndex = foreign.lastIndex;
      return match;
    }
    const from = this.global || this.sticky ? this.lastIndex : 0;
    counting = false;
    const count = backtracks(this, subject);
    counting = true;
    if (count > perCharacter * (subject.length + 100))
      slow.set(String(this), Math.max(count, slow.get(String(this)) ?? 0));
    const match = exec.call(this, subject);
    if (match !== null) scanned += count + match.index + match[0].length - from;
    // A bound expression is tried at one position only.
    else scanned += count + (isBound(this) ? 1 : subject.length - from);
    return match;
  };
  const scans: Partial<Record<string, (text: string, result: unknown, args: readonly unknown[]) => number>> = {
    indexOf: (text, result, [, from]) => (result === -1 ? text.length : Number(result)) - Number(from ?? 0),
    includes: (text, result) => (result === true ? 1 : text.length),
    lastIndexOf: (text, result, [, from]) =>
      Math.min(text.length, Number(from ?? Infinity)) - Math.max(0, Number(result)),
    toLowerCase: (text) => text.length,
    toUpperCase: (text) => text.length,
    normalize: (text) => text.length,
    trim: (text, result) => text.length - String(result).length,
    trimEnd: (text, result) => text.length - String(result).length,
    trimStart: (text, result) => text.length - String(result).length,
    split: (text) => text.length,
    replaceAll: (text) => text.length,
  };
  for (const [name, cost] of Object.entries(scans)) {
    const original = Reflect.get(String.prototype, name) as (...args: unknown[]) => unknown;
    Reflect.set(String.prototype, name, function (this: string, ...args: unknown[]) {
      const result = original.apply(this, args);
      if (counting) scanned += cost?.(String(this), result, args) ?? 0;
      return result;
    });
  }
  const session = new Session();
  session.connect();
  session.post("Profiler.enable");
  session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  const blocks = (): number => {
    let sum = 0;
    session.post("Profiler.takePreciseCoverage", (error, answer) => {
      if (error) throw error;
      for (const { url, functions } of answer.result)
        if (isCounted(url)) for (const { ranges } of functions) for (const { count } of ranges) sum += count;
    });
    return sum;
  };
  return (work) => {
    blocks();
    scanned = 0;
    slow = new Map();
    counting = true;
    try {
      work();
    } finally {
      counting = false;
    }
    return { total: blocks() + scanned, slow };
  };
}

/** Whether an expression can match at one position only. */
function isBound({ source, sticky, multiline }: RegExp): boolean {
  return sticky || (source.startsWith("^") && !multiline && !source.includes("|"));
}

/**
 * The expression with an empty lookahead after every repeated element: V8 does not count loops over single characters, and this
 * keeps it from optimizing to them.
 */
function countable({ source, unicode, unicodeSets }: RegExp): string {
  const marks: { readonly at: number; readonly text: string }[] = [];
  const pattern = new RegExpParser().parsePattern(source, 0, source.length, {
    unicode: unicode || unicodeSets,
    unicodeSets,
  });
  visitRegExpAST(pattern, {
    onQuantifierEnter({ element }) {
      if (element.type !== "Assertion")
        marks.push({ at: element.start, text: "(?:" }, { at: element.end, text: "(?=))" });
    },
  });
  let text = source;
  for (const { at, text: mark } of marks.toSorted((one, other) => other.at - one.at))
    text = text.slice(0, at) + mark + text.slice(at);
  return text;
}
