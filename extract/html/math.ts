import type { Element } from "domhandler";

/** Placeholder until the formulas' reader is merged. */
export function mathOf(_element: Element): string | undefined {
  return undefined;
}
