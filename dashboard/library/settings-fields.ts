import type { Settings } from "../types.ts";

/** A field of the form of settings. What is typed is text, and empty stands for the default. */
export interface SettingField {
  /** In the form, and in the body that changes it. */
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  /** `lines`: a list, an entry a line; `choice`: one of `choices`. */
  readonly form: "text" | "lines" | "number" | "choice";
  /** As it is, as one would type it. */
  readonly value: string;
  readonly choices?: readonly (readonly [value: string, label: string])[];
  readonly limits?: { readonly min?: number; readonly max?: number; readonly maxlength?: number };
  /** Option of the kind of source: counts from the next refresh on. */
  readonly isOption: boolean;
  /** Has a row of its own. */
  readonly isWide?: true;
  /** What is sent for what was typed, which is not empty. What is wrong is sent as it was typed: the API says so. */
  read(typed: string): unknown;
}

type Option = Settings["options"][number];

const text = { form: "text", isOption: false, read: (typed: string) => typed } as const;
const lines = (typed: string): string[] =>
  typed
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
const number = (typed: string): unknown => (/^\d{1,9}$/.test(typed.trim()) ? Number(typed.trim()) : typed.trim());
const truth = (typed: string): unknown => (typed === "true" ? true : typed === "false" ? false : typed);

/** Everything that can be changed of a library: what all have, and the options of its kind, by their own schema. */
export function settingFields(settings: Settings): readonly SettingField[] {
  const { title, description, rules, schedule, screen, trustScore, verified, redirect, options } = settings;
  return [
    {
      ...text,
      name: "title",
      label: "Title",
      hint: "Empty: what the source says of itself.",
      value: title ?? "",
      limits: { maxlength: 100 },
      isWide: true,
    },
    {
      ...text,
      name: "description",
      label: "Description",
      hint: "Empty: what the source says of itself.",
      value: description ?? "",
      limits: { maxlength: 500 },
      isWide: true,
    },
    {
      ...text,
      name: "rules",
      label: "Rules for its readers",
      hint: "A line each. Agents are told them with every answer.",
      form: "lines",
      value: rules.join("\n"),
      isWide: true,
      read: lines,
    },
    {
      ...text,
      name: "schedule",
      label: "Days between refreshes",
      hint: "1 to 365, or never. Empty: by how often it is read.",
      value: schedule === null ? "" : String(schedule),
      read: number,
    },
    {
      ...text,
      name: "trustScore",
      label: "Trust score",
      hint: "0 to 10. Empty: what is known of its source says so.",
      form: "number",
      value: trustScore === null ? "" : String(trustScore),
      limits: { min: 0, max: 10 },
      read: number,
    },
    {
      ...text,
      name: "verified",
      label: "Verified",
      hint: "What policies take it for.",
      form: "choice",
      value: verified === null ? "" : String(verified),
      choices: [
        ["", "As its trust score says"],
        ["true", "Yes"],
        ["false", "No"],
      ],
      read: truth,
    },
    {
      ...text,
      name: "screen",
      label: "Screen for orders to agents",
      hint: "Off only for a library that is about such orders. Counts from the next refresh on.",
      form: "choice",
      value: screen ?? "",
      choices: [
        ["", "On"],
        ["off", "Off: nothing is held back"],
      ],
    },
    {
      ...text,
      name: "redirect",
      label: "Redirect to",
      hint: "ID of another library, to which readers are sent. Empty: none.",
      value: redirect ?? "",
      limits: { maxlength: 500 },
    },
    ...options.map(optionField),
  ];
}

/** An option of a kind of source, by the schema of its values. */
function optionField({ name, description, schema, value }: Option): SettingField {
  const common = { name, label: labelOf(name), hint: description.replaceAll("`", ""), isOption: true };
  const { type, minimum, maximum, maxLength } = schema;
  if (type === "array") {
    const entries = Array.isArray(value) ? value.map(String) : [];
    return { ...common, form: "lines", value: entries.join("\n"), read: lines };
  }
  const shown =
    typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "";
  // One that has a default has a value always.
  const byDefault: readonly (readonly [string, string])[] = "default" in schema ? [] : [["", "Default"]];
  if (type === "boolean") {
    const choices = [...byDefault, ["true", "Yes"], ["false", "No"]] as const;
    return { ...common, form: "choice", value: shown, choices, read: truth };
  }
  if (Array.isArray(schema["enum"])) {
    const named = schema["enum"].map((one) => [String(one), String(one)] as const);
    return { ...common, form: "choice", value: shown, choices: [...byDefault, ...named], read: text.read };
  }
  if (type === "integer" || type === "number") {
    const limits = {
      ...(typeof minimum === "number" && { min: minimum }),
      ...(typeof maximum === "number" && { max: maximum }),
    };
    return { ...common, form: "number", value: shown, limits, read: number };
  }
  const limits = typeof maxLength === "number" ? { maxlength: maxLength } : {};
  return { ...common, form: "text", value: shown, limits, read: text.read };
}

/** A name of a field in words: "excludeFolders" is "Exclude folders". */
function labelOf(name: string): string {
  if (name === "openapi") return "API descriptions";
  const words = name.replaceAll(/[A-Z]/g, (one) => ` ${one.toLowerCase()}`);
  const written = words.replace(/ url$/, " URL").replace(/ ids$/, " IDs");
  return written.charAt(0).toUpperCase() + written.slice(1);
}

/** Texts as browsers send them, as they were shown: line ends differ, and blanks at the ends mean nothing. */
function normal(typed: string): string {
  return typed.replaceAll(/\r\n?/g, "\n").trim();
}

/**
 * What a form changes: fields whose text is another one than was shown. So what somebody else changed meanwhile stays. Empty is null:
 * the default.
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

/** The message of a refused change, taken apart: what is said of each field, and the `rest`. */
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

/** A sentence about a field beside it: "maxPages must be …" is "It must be …", "rules[1] must …" is "Line 2 must …". */
function aboutField(sentence: string, name: string): string {
  const said = sentence.slice(name.length);
  const [entry, place] = /^\[(\d{1,6})\]/.exec(said) ?? [];
  return entry === undefined ? `It${said}` : `Line ${Number(place) + 1}${said.slice(entry.length)}`;
}
