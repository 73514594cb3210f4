import { stringify as tomlText } from "smol-toml";
import { entryName, type Agent, type Reach } from "../domain/agents.ts";

/** The configuration of an agent with our entry alone, in the format of its file. */
export function snippetOf({ format, table, entry }: Pick<Agent, "format" | "table" | "entry">, reach: Reach): string {
  const whole = { [table]: { [entryName]: entry(reach) } };
  return format === "json" ? JSON.stringify(whole, null, 2) : tomlText(whole).trim();
}
