import { oneLine } from "../domain/one-line.ts";
import { screenText } from "./screen/index.ts";

/** The beginning of a text, in one line. */
export function toLine(text: string): string {
  return oneLine(text.slice(0, 10_000));
}

/** True for a text that tries to command the agents who get to read it. `forAgents`: it is advice to them by its nature. */
export function isCommanding(text: string, forAgents = false): boolean {
  return screenText(text, { addressed: forAgents }).length > 0;
}
