/**
 * Counts the steps of JavaScript instead of its time, so that growth can be measured on a busy machine: how often each
 * block of code is entered (V8's precise coverage), how often regular expressions backtrack (V8's own counter), and how many
 * characters the engine's functions for texts look at. It is a proxy: what a block costs, and the engine's other
 * functions, are not counted. To be run by a process of its own, with `--allow-natives-syntax`.
 */
import { RegExpParser, visitRegExpAST } from "@eslint-community/regexpp";
import { Session } from "node:inspector";
import { runInThisContext } from "node:vm";

/** The steps of some work, and the expressions that took more than their share. */
export interface Steps {
  readonly total: number;
  /** Expressions that backtracked more often than `perCharacter` times for each character, with how often. */
  readonly slow: ReadonlyMap<string, number>;
}

/** So often may an expression backtrack for each character of its text: the bounds that expressions have. */
const perCharacter = 600;

/** So often may an expression of somebody else's backtrack; then it finds nothing. */
const foreignLimit = 1 << 18;

/** What is counted. */
interface Counted {
  /** Blocks of the file at this address. */
  readonly isCounted: (url: string) => boolean;
  /** This regular expression; others are not counted, and given up where they take too long. */
  readonly isOwn: (source: string) => boolean;
}

type Limited = (source: string, flags: string, limit: number) => RegExp;

const exec: (this: RegExp, text: string) => RegExpExecArray | null = Reflect.get(RegExp.prototype, "exec");

/** Starts counting in this process. There is no way back. */
export function startCounting({ isCounted, isOwn }: Counted): (work: () => void) => Steps {
  // No parser but V8's own reads this.
  const call = "(source, flags, limit) => %NewRegExpWithBacktrackLimit(source, flags, limit)";
  const limited = runInThisContext(call) as Limited;
  const twins = new Map<string, RegExp[]>();
  let scanned = 0;
  let slow = new Map<string, number>();
  let counting = false;

  /**
   * The expression with a limit, and one more alternative, which always holds, at the end of the text: only one that is given up
   * finds nothing. Power 0: without that alternative.
   */
  const twin = (expression: RegExp, power: number): RegExp => {
    const key = `${expression.flags}/${expression.source}`;
    const known = twins.get(key) ?? [];
    twins.set(key, known);
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
      const counted = twin(expression, power);
      counted.lastIndex = expression.lastIndex;
      const found = exec.call(counted, text);
      if (found !== null || power === 28 || 2 ** power > 2 * most) return power === 6 ? 0 : 2 ** power;
    }
  };
  RegExp.prototype.exec = function (text: string) {
    if (!counting) return exec.call(this, text);
    const subject = String(text);
    if (!isOwn(this.source)) {
      const foreign = twin(this, 0);
      foreign.lastIndex = this.lastIndex;
      const found = exec.call(foreign, subject);
      this.lastIndex = foreign.lastIndex;
      return found;
    }
    const from = this.global || this.sticky ? this.lastIndex : 0;
    counting = false;
    const count = backtracks(this, subject);
    counting = true;
    if (count > perCharacter * (subject.length + 100))
      slow.set(String(this), Math.max(count, slow.get(String(this)) ?? 0));
    const found = exec.call(this, subject);
    if (found !== null) scanned += count + found.index + found[0].length - from;
    // What can only stand in one place is not looked for elsewhere.
    else scanned += count + (isBound(this) ? 1 : subject.length - from);
    return found;
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

/** True for an expression that can only match where it begins to look. */
function isBound({ source, sticky, multiline }: RegExp): boolean {
  return sticky || (source.startsWith("^") && !multiline && !source.includes("|"));
}

/**
 * The expression with a look ahead for nothing behind whatever is repeated: V8 turns loops over single characters into
 * ones that it does not count, and this keeps it from that.
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
