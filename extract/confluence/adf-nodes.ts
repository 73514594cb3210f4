/** A node of the Atlas document format, with what it lacks filled in. */
export interface AdfNode {
  readonly type: string;
  readonly attrs: Readonly<Record<string, unknown>>;
  readonly content: readonly AdfNode[];
  readonly marks: readonly AdfMark[];
  readonly text: string;
}

/** What is said of a text, such as that it is code. */
export interface AdfMark {
  readonly type: string;
  readonly attrs: Readonly<Record<string, unknown>>;
}

/** Deeper nodes are not read. */
const maxDepth = 400;

/** The nodes of a document; null for anything else, or for one that is nested too deep. */
export function parseAdf(source: string): AdfNode | null {
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return null;
    throw error;
  }
  return toNode(value, 0);
}

function toNode(value: unknown, depth: number): AdfNode | null {
  if (!isObject(value) || typeof value["type"] !== "string" || depth > maxDepth) return null;
  const { type, attrs, content, marks, text } = value;
  return {
    type,
    attrs: isObject(attrs) ? attrs : {},
    content: listOf(content).flatMap((child) => toNode(child, depth + 1) ?? []),
    marks: listOf(marks).flatMap((mark) =>
      isObject(mark) && typeof mark["type"] === "string"
        ? [{ type: mark["type"], attrs: isObject(mark["attrs"]) ? mark["attrs"] : {} }]
        : [],
    ),
    text: typeof text === "string" ? text : "",
  };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> & { type?: string } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An attribute that is a text; "" where there is none. */
export function textOf(attrs: Readonly<Record<string, unknown>>, name: string): string {
  const value = Object.hasOwn(attrs, name) ? attrs[name] : undefined;
  return typeof value === "string" ? value : "";
}

/** An attribute that is a number; undefined where there is none. */
export function numberOf(attrs: Readonly<Record<string, unknown>>, name: string): number | undefined {
  const value = Object.hasOwn(attrs, name) ? attrs[name] : undefined;
  return typeof value === "number" ? value : undefined;
}
