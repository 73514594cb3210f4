import { labelOf } from "../schema-fields.ts";
import type { Settings } from "../../answer-types.ts";
import { entriesOf } from "../views/fields.ts";

/** A field of the settings form. Its value is text, and empty means the default. */
export interface SettingField {
  /** Name in the form, and in the body of the change. */
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  /** `lines`: a list, one entry per line; `choice`: one of `choices`. */
  readonly form: "text" | "lines" | "number" | "choice";
  readonly value: string;
  readonly choices?: readonly (readonly [value: string, label: string])[];
  readonly maxLength?: number;
  /** Option of the kind of source, which takes effect with the next refresh. */
  readonly isOption: boolean;
  readonly isWide?: true;
  /** Converts a non-empty text for the body. Invalid text is sent unchanged, and the API refuses it. */
  read(typed: string): unknown;
}

type Option = Settings["options"][number];

const asTyped = (typed: string): unknown => typed;
const number = (typed: string): unknown => (/^\d{1,9}$/.test(typed.trim()) ? Number(typed.trim()) : typed.trim());
const truth = (typed: string): unknown => (typed === "true" ? true : typed === "false" ? false : typed);

/** All changeable settings of a library: the common ones, and the options of its kind from their schemas. */
export function settingFields(settings: Settings): readonly SettingField[] {
  const { title, description, rules, schedule, screen, trustScore, verified, redirect, options } = settings;
  const fromSource = "Empty: taken from the source.";
  const screens = [
    ["", "On"],
    ["off", "Off: no passages are quarantined"],
  ] as const;
  const verdicts = [
    ["", "By trust score"],
    ["true", "Yes"],
    ["false", "No"],
  ] as const;
  return [
    commonField("title", "Title", fromSource, title, { maxLength: 100, isWide: true }),
    commonField("description", "Description", fromSource, description, { maxLength: 500, isWide: true }),
    commonField("rules", "Rules for agents", "One per line. They go with every answer.", rules.join("\n"), {
      form: "lines",
      isWide: true,
      read: entriesOf,
    }),
    commonField(
      "schedule",
      "Days between refreshes",
      "1 to 365, or never. Empty: depends on how often the library is read.",
      schedule,
      { read: number },
    ),
    commonField("trustScore", "Trust score", "0 to 10. Empty: computed from facts about the source.", trustScore, {
      form: "number",
      read: number,
    }),
    commonField("verified", "Verified", "Policies can require verified libraries.", verified, {
      form: "choice",
      choices: verdicts,
      read: truth,
    }),
    commonField(
      "screen",
      "Screening for prompt injection",
      "Turn it off only for libraries about prompt injection. Takes effect with the next refresh.",
      screen,
      { form: "choice", choices: screens },
    ),
    commonField("redirect", "Redirect to", "ID of the library that replaces this one. Empty: none.", redirect, {
      maxLength: 500,
    }),
    ...options.map(optionField),
  ];
}

/** A setting that libraries of all kinds have, by default a text. */
function commonField(
  name: string,
  label: string,
  hint: string,
  value: string | number | boolean | null,
  more: Partial<SettingField> = {},
): SettingField {
  const shown = value === null ? "" : String(value);
  return { form: "text", isOption: false, read: asTyped, name, label, hint, value: shown, ...more };
}

function optionField({ name, description, schema, value }: Option): SettingField {
  const common = {
    name,
    label: name === "openapi" ? "API descriptions" : labelOf(name),
    hint: description.replaceAll("`", ""),
    isOption: true,
  };
  const { type, maxLength } = schema;
  if (type === "array") {
    const entries = Array.isArray(value) ? value.map(String) : [];
    return { ...common, form: "lines", value: entries.join("\n"), read: entriesOf };
  }
  const shown =
    typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "";
  // An option with a default always has a value.
  const byDefault: readonly (readonly [string, string])[] = "default" in schema ? [] : [["", "Default"]];
  if (type === "boolean") {
    const choices = [...byDefault, ["true", "Yes"], ["false", "No"]] as const;
    return { ...common, form: "choice", value: shown, choices, read: truth };
  }
  if (Array.isArray(schema["enum"])) {
    const named = schema["enum"].map((one) => [String(one), String(one)] as const);
    return { ...common, form: "choice", value: shown, choices: [...byDefault, ...named], read: asTyped };
  }
  if (type === "integer" || type === "number") return { ...common, form: "number", value: shown, read: number };
  const limit = typeof maxLength === "number" && { maxLength };
  return { ...common, form: "text", value: shown, ...limit, read: asTyped };
}

/** Normalises line ends and trims, as browsers change them. */
function normal(typed: string): string {
  return typed.replaceAll(/\r\n?/g, "\n").trim();
}

/**
 * The changes of a form: fields whose text differs from the shown one, so that concurrent changes by others stay. Empty becomes null, the
 * default.
 */
export function changesOf(
  fields: readonly SettingField[],
  typed: Readonly<Record<string, string>>,
  shown: Readonly<Record<string, string>>,
): Record<string, unknown> {
  return Object.fromEntries(
    fields.flatMap(({ name, read }) => {
      const [now, before] = [normal(typed[name] ?? ""), normal(shown[name] ?? "")];
      return now === before ? [] : [[name, now === "" ? null : read(now)]];
    }),
  );
}

/** The message of a refused change, split by field; sentences about no field are the `rest`. */
export function problemsOf(
  message: string,
  names: readonly string[],
): { readonly byField: Readonly<Record<string, string>>; readonly rest: string } {
  const byField: Record<string, string> = {};
  const rest: string[] = [];
  for (const sentence of message.split(/(?<=\.) /)) {
    const name = names.find((one) => sentence.startsWith(`${one} `) || sentence.startsWith(`${one}[`));
    if (name === undefined) rest.push(sentence);
    else byField[name] = `${byField[name] === undefined ? "" : `${byField[name]} `}${aboutField(sentence, name)}`;
  }
  return { byField, rest: rest.join(" ") };
}

/** A message for display below its field: "maxPages must be …" becomes "It must be …", "rules[1] must …" becomes "Line 2 must …". */
function aboutField(sentence: string, name: string): string {
  const rest = sentence.slice(name.length);
  const [entry, place] = /^\[(\d{1,6})\]/.exec(rest) ?? [];
  return entry === undefined ? `It${rest}` : `Line ${Number(place) + 1}${rest.slice(entry.length)}`;
}
