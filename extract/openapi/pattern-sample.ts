import { RegExpParser, visitRegExpAST, type AST } from "@eslint-community/regexpp";

/** Maximum length of a pattern, and of a text that is made for one or matched, in characters. */
const maxPattern = 300;
const maxSample = 300;
/** Candidates for a class or a dot. The first that fits is used. */
const candidates = "a1A0-_ ./:@#,;+*!?()[]{}<>=&%$'\"|~^\\`é".split("");

/** No text can be made for a part of the pattern, such as a backreference. */
class Unwritable extends Error {}

/** Number of repetitions beyond which a pattern may be slow. `maxMany` such quantifiers may follow each other, but not be nested. */
const many = 20;
const maxMany = 3;

/** True if a text matches a pattern of JSON Schema; false for an invalid pattern, or one that may be slow. */
export function isMatch(pattern: string, text: string): boolean {
  const parsed = parse(pattern);
  return parsed !== undefined && text.length <= maxSample && isQuick(parsed.tree) && parsed.expression.test(text);
}

/** A short text that matches a pattern of JSON Schema (ECMA-262); undefined if none can be made. */
export function textMatching(pattern: string, minLength = 0): string | undefined {
  const parsed = parse(pattern);
  if (parsed === undefined) return undefined;
  const { tree, expression } = parsed;
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

/** Parses a pattern with the flag `u`, or without if it has needless escapes such as `\-`, which are errors with it. */
function parse(pattern: string) {
  if (pattern.length > maxPattern) return undefined;
  for (const flags of ["u", ""]) {
    try {
      // Both parsers have to accept it, as the engine has limits of its own.
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

/** The elements of the first alternative, which is the one used, without the assertions at both ends. */
function withoutEnds({ alternatives }: AST.Pattern): readonly AST.Element[] {
  const elements = alternatives[0]?.elements ?? [];
  const isEnd = (element: AST.Element | undefined, kind: string): boolean =>
    element?.type === "Assertion" && element.kind === kind;
  return elements.slice(isEnd(elements[0], "start") ? 1 : 0, isEnd(elements.at(-1), "end") ? -1 : elements.length);
}

/** True for an element that certainly matches its text, as it has no assertion or backreference in it. */
function isWrittenWhole(element: AST.Element): boolean {
  if (element.type === "Quantifier") return isWrittenWhole(element.element);
  if (element.type === "Group" || element.type === "CapturingGroup")
    return (element.alternatives[0]?.elements ?? []).every(isWrittenWhole);
  return element.type === "Character" || element.type === "CharacterClass" || element.type === "CharacterSet";
}

/** True for a pattern that backtracks little. */
function isQuick(pattern: AST.Pattern): boolean {
  let count = 0;
  let inside = 0;
  let quick = true;
  visitRegExpAST(pattern, {
    onQuantifierEnter({ max }) {
      if (max <= many) return;
      count++;
      if (inside > 0 || count > maxMany) quick = false;
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

/** The text of the first alternative; `more`: maximum number of repetitions beyond the minimum. */
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
    // Assertions add no text; the whole text is tested in the end.
    case "Assertion":
      return "";
    default:
      throw new Unwritable();
  }
}

function ofClass(element: AST.CharacterClass | AST.CharacterSet, flags: string): string {
  const members: string[] = [];
  if (element.type === "CharacterClass" && !element.negate) {
    for (const one of element.elements) {
      if (one.type === "Character") members.push(String.fromCodePoint(one.value));
      if (one.type === "CharacterClassRange") members.push(String.fromCodePoint(one.min.value));
    }
  }
  const test = new RegExp(`^${element.raw}$`, flags);
  const char = [...candidates, ...members].find((one) => test.test(one));
  if (char === undefined) throw new Unwritable();
  return char;
}
