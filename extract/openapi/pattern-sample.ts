import { RegExpParser, visitRegExpAST } from "@eslint-community/regexpp";
import type { AST } from "@eslint-community/regexpp";

/** Longer patterns get no sample, in characters, and no sample is longer. */
const maxPattern = 300;
const maxSample = 300;
/** What a class or a dot is written as, the first that fits. */
const candidates = "a1A0-_ ./:@#,;+*!?()[]{}<>=&%$'\"|~^\\`é".split("");

class Unwritable extends Error {}

/** Repetitions from which a pattern may take long: so many of them may follow each other, and none may be in another. */
const many = 20;
const maxMany = 3;

/** True if a text matches a pattern of JSON Schema; false for a pattern that cannot be read, or that may take long to try. */
export function isMatch(pattern: string, text: string): boolean {
  const found = parsed(pattern);
  return found !== undefined && text.length <= maxSample && isQuick(found.tree) && found.expression.test(text);
}

/** The shortest text, more or less, that a pattern of JSON Schema (ECMA-262) matches; undefined for one that is beyond this. */
export function matching(pattern: string, minLength = 0): string | undefined {
  const key = `${minLength} ${pattern}`;
  if (!known.has(key)) {
    if (known.size >= maxKnown) known.clear();
    known.set(key, findMatching(pattern, minLength));
  }
  return known.get(key);
}

/** Descriptions have few patterns, in many places. */
const known = new Map<string, string | undefined>();
const maxKnown = 200;

function findMatching(pattern: string, minLength: number): string | undefined {
  const found = parsed(pattern);
  if (found === undefined) return undefined;
  const { tree } = found;
  try {
    const shortest = ofAlternatives(tree.alternatives, 0);
    const missing = minLength - shortest.length;
    const text = missing > 0 ? ofAlternatives(tree.alternatives, missing) : shortest;
    return isWholeText(tree) || isMatch(pattern, text) ? text : undefined;
  } catch (error) {
    if (error instanceof Unwritable) return undefined;
    throw error;
  }
}

interface Parsed {
  readonly tree: AST.Pattern;
  readonly expression: RegExp;
}

/** A pattern as it is read; without the flag `u`, with which needless escapes such as `\-` are errors, where it cannot be with it. */
function parsed(pattern: string): Parsed | undefined {
  if (pattern.length > maxPattern) return undefined;
  for (const unicode of [true, false]) {
    try {
      // Both have to read it: the engine has limits of its own.
      const expression = new RegExp(pattern, unicode ? "u" : "");
      const { source } = expression;
      const tree = new RegExpParser({ ecmaVersion: 2025 }).parsePattern(source, 0, source.length, { unicode });
      return { tree, expression };
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  return undefined;
}

/** True for a pattern that a text written by it matches for certain: nothing in it looks beside itself, but for its two ends. */
function isWholeText({ alternatives }: AST.Pattern): boolean {
  const [elements = []] = alternatives.map(({ elements }) => elements);
  const inner = elements.filter(
    (element, at) =>
      !(element.type === "Assertion" && element.kind === "start" && at === 0) &&
      !(element.type === "Assertion" && element.kind === "end" && at === elements.length - 1),
  );
  return inner.every(isPlain);
}

function isPlain(element: AST.Element): boolean {
  if (element.type === "Quantifier") return isPlain(element.element);
  if (element.type === "Group" || element.type === "CapturingGroup")
    return (element.alternatives[0]?.elements ?? []).every(isPlain);
  return element.type === "Character" || element.type === "CharacterClass" || element.type === "CharacterSet";
}

/** True for a pattern that backtracks little. */
function isQuick(pattern: AST.Pattern): boolean {
  let seen = 0;
  let inside = 0;
  let quick = true;
  visitRegExpAST(pattern, {
    onQuantifierEnter({ max }) {
      if (max <= many) return;
      seen++;
      if (inside > 0 || seen > maxMany) quick = false;
      inside++;
    },
    onQuantifierLeave({ max }) {
      if (max > many) inside--;
    },
    onAlternativeEnter({ parent }) {
      if (inside > 0 && parent.alternatives.length > 1) quick = false;
    },
    onBackreferenceEnter() {
      quick = false;
    },
  });
  return quick;
}

function ofAlternatives(alternatives: readonly AST.Alternative[], more: number): string {
  let left = more;
  let text = "";
  for (const element of alternatives[0]?.elements ?? []) {
    if (text.length > maxSample) throw new Unwritable();
    const repeated = element.type === "Quantifier" ? Math.min(element.max, element.min + left) : 0;
    if (element.type === "Quantifier") {
      left -= repeated - element.min;
      if (repeated > maxSample) throw new Unwritable();
      text += repeated === 0 ? "" : ofElement(element.element).repeat(repeated);
    } else text += ofElement(element);
  }
  return text;
}

function ofElement(element: AST.Element): string {
  switch (element.type) {
    case "Character":
      return String.fromCodePoint(element.value);
    case "CharacterClass":
    case "CharacterSet":
      return ofClass(element);
    case "CapturingGroup":
    case "Group":
      return ofAlternatives(element.alternatives, 0);
    // What looks ahead, behind or at the edges adds nothing; the whole is tested in the end.
    case "Assertion":
      return "";
    default:
      throw new Unwritable();
  }
}

function isUnicode(source: string): boolean {
  try {
    return new RegExp(source, "u").unicode;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

function ofClass(element: AST.CharacterClass | AST.CharacterSet): string {
  const own: string[] = [];
  if (element.type === "CharacterClass" && !element.negate) {
    for (const one of element.elements) {
      if (one.type === "Character") own.push(String.fromCodePoint(one.value));
      if (one.type === "CharacterClassRange") own.push(String.fromCodePoint(one.min.value));
    }
  }
  const test = new RegExp(`^${element.raw}$`, isUnicode(element.raw) ? "u" : "");
  const found = [...candidates, ...own].find((one) => test.test(one));
  if (found === undefined) throw new Unwritable();
  return found;
}
