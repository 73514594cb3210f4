import type { Field } from "./fields.ts";
import type { Parameter } from "./part.ts";
import { itemMarkdown } from "./prose-text.ts";

/** Maximum length of one meaning in a list, in characters: the first with which all meanings together are within `maxList`. */
const maxMeanings = [2500, 1200, 600, 240] as const;
const maxList = 4000;

/** Fields as a list in Markdown; "" for none. */
export function fieldList(fields: readonly Field[]): string {
  const length = meaningLength(fields);
  return fields.map((field) => item(field, [field.type, field.required ? "required" : ""], length)).join("\n");
}

/** Parameters as a list in Markdown, with where each is sent; "" for none. */
export function parameterList(parameters: readonly Parameter[]): string {
  const length = meaningLength(parameters);
  return parameters
    .map((parameter) => {
      const { in: place, type, required, example } = parameter;
      const shown = inline("example", example === null ? undefined : JSON.stringify(example));
      return item(parameter, [place, type, required ? "required" : "optional", shown], length);
    })
    .join("\n");
}

/** Names of fields in one line, those of the outermost only; "" for none. */
export function fieldNames(fields: readonly Field[]): string {
  const names = fields.map(({ name }) => name).filter((name) => !name.replace(/^(?:\[\]\.?)+/, "").includes("."));
  return names.map((name) => `\`${name.replace(/^(?:\[\]\.?)+/, "")}\``).join(", ");
}

/** Maximum length of one meaning in a list of these fields: many long ones would leave no room for the rest of the page. */
function meaningLength(fields: readonly Field[]): number {
  const lengths = fields.map(({ meaning = "" }) => meaning.length);
  const fits = (most: number): boolean => lengths.reduce((sum, length) => sum + Math.min(length, most), 0) <= maxList;
  return maxMeanings.find(fits) ?? maxMeanings.at(-1) ?? 0;
}

function item(field: Field, about: readonly string[], maxMeaning: number): string {
  const { name, default: standard, allowed, deprecated, meaning = "" } = field;
  const facts = [...about, inline("default", standard), allowed ?? "", deprecated === true ? "deprecated" : ""].filter(
    (fact) => fact !== "",
  );
  const words = itemMarkdown(meaning, maxMeaning);
  return `- \`${name.replaceAll("`", "'")}\`${facts.length > 0 ? ` (${facts.join(", ")})` : ""}${words === "" ? "" : `: ${words}`}`.replace(
    /: \n/,
    ":\n",
  );
}

function inline(label: string, value: string | undefined): string {
  if (value === undefined || value === "" || value.length > 80) return "";
  return `${label} \`${value.replaceAll("`", "'").replace(/^"(.*)"$/, "$1")}\``;
}
