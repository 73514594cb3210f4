import { RegExpParser, visitRegExpAST } from "@eslint-community/regexpp";
import type { AST } from "@eslint-community/regexpp";

/** Maximum length of a pattern that is read, and of a text that is written for one or matched, in characters. */
const maxPattern = 300;
const maxSample = 300;
/** What a class or a dot is written as, the first that fits. */
const candidates = "a1A0-_ ./:@#,;+*!?()[]{}<>=&%$'\"|~^\\`é".split("");

/** A part of a pattern that no text is written for, such as a reference back. */
class Unwritable extends Error {}

/** Repetitions beyond which a pattern may take long: a few of them may follow each other, but none may be in another. */
const many = 20;
const maxMany = 3;

/** True if a text matches a pattern of JSON Schema; false for a pattern that cannot be read, or that may take long to try. */
export function isMatch(pattern: string, text: string): boolean {
  const found = parse(pattern);
  return found !== undefined && text.length <= maxSample && isQuick(found.tree) && found.expression.test(text);
}

/** A text that a pattern of JSON Schema (ECMA-262) matches, about the shortest; undefined where none can be written. */
export function matching(pattern: string, minLength = 0): string | undefined {
  const found = parse(pattern);
  if (found === undefined) return undefined;
  const { tree, expression } = found;
  const { flags } = expression;
  try {
    const shortest = ofAlternatives(tree.alternatives, 0, flags);
    const missing = minLength - shortest.length;
    const text = missing > 0 ? ofAlternatives(tree.alternatives, missing, flags) : shortest;
    const isCertain = withoutEnds(tree).every(isWrittenWhole);
    return isCertain || (text.length <= maxSample && isQuick(tree) && expression.test(text)) ? text : undefined;
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
function parse(pattern: string): Parsed | undefined {
  if (pattern.length > maxPattern) return undefined;
  for (const flags of ["u", ""]) {
    try {
      // Both have to read it: the engine has limits of its own.
      const expression = new RegExp(pattern, flags);
      const { source, unicode } = expression;
      const tree = new RegExpParser({ ecmaVersion: 2025 }).parsePattern(source, 0, source.length, { unicode });
      return { tree, expression };
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  return undefined;
}

/** The elements of the first alternative, which is the one written, without the assertions of its two ends. */
function withoutEnds({ alternatives }: AST.Pattern): readonly AST.Element[] {
  const elements = alternatives[0]?.elements ?? [];
  const isEnd = (element: AST.Element | undefined, kind: string): boolean =>
    element?.type === "Assertion" && element.kind === kind;
  return elements.slice(isEnd(elements[0], "start") ? 1 : 0, isEnd(elements.at(-1), "end") ? -1 : elements.length);
}

/** True for an element that matches for certain what is written for it: nothing in it looks beside itself. */
function isWrittenWhole(element: AST.Element): boolean {
  if (element.type === "Quantifier") return isWrittenWhole(element.element);
  if (element.type === "Group" || element.type === "CapturingGroup")
    return (element.alternatives[0]?.elements ?? []).every(isWrittenWhole);
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

/** The text of the first alternative; `more`: how many repetitions beyond the fewest it may have. */
function ofAlternatives([first]: readonly AST.Alternative[], more: number, flags: string): string {
  let left = more;
  let text = "";
  for (const element of first?.elements ?? []) {
    if (text.length > maxSample) throw new Unwritable();
    if (element.type !== "Quantifier") {
      text += ofElement(element, flags);
      continue;
    }
    const repeated = Math.min(element.max, element.min + left);
    left -= repeated - element.min;
    if (repeated > maxSample) throw new Unwritable();
    text += repeated === 0 ? "" : ofElement(element.element, flags).repeat(repeated);
  }
  return text;
}

function ofElement(element: AST.Element, flags: string): string {
  switch (element.type) {
    case "Character":
      return String.fromCodePoint(element.value);
    case "CharacterClass":
    case "CharacterSet":
      return ofClass(element, flags);
    case "CapturingGroup":
    case "Group":
      return ofAlternatives(element.alternatives, 0, flags);
    // What looks ahead, behind or at the edges adds nothing; the whole is tested in the end.
    case "Assertion":
      return "";
    default:
      throw new Unwritable();
  }
}

function ofClass(element: AST.CharacterClass | AST.CharacterSet, flags: string): string {
  const own: string[] = [];
  if (element.type === "CharacterClass" && !element.negate) {
    for (const one of element.elements) {
      if (one.type === "Character") own.push(String.fromCodePoint(one.value));
      if (one.type === "CharacterClassRange") own.push(String.fromCodePoint(one.min.value));
    }
  }
  const test = new RegExp(`^${element.raw}$`, flags);
  const found = [...candidates, ...own].find((one) => test.test(one));
  if (found === undefined) throw new Unwritable();
  return found;
}
