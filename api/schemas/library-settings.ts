import * as z from "zod";
import type { LibrarySettings } from "../../domain/library-settings.ts";
import { libraryDescription, libraryRules, libraryTitle } from "../forms/fields.ts";
import { jsonInteger, libraryIdText, truth } from "../parameters.ts";

const scheduleError = "must be days from 1 to 365, or never";

/** The settings of a library, by their names in the API. */
const fields = {
  title: libraryTitle,
  description: libraryDescription,
  redirect: libraryIdText,
  rules: libraryRules,
  schedule: z.union([jsonInteger(1, 365, scheduleError), z.literal("never")], { error: scheduleError }),
  screen: z.literal("off", { error: 'must be "off" or null' }),
  trustScore: jsonInteger(0, 10),
  verified: truth(),
};
type Fields = typeof fields;
type Name = keyof Fields;

const descriptions: Readonly<Record<Name, string>> = {
  title: "Display name; null: the source's own.",
  description: "Short description; null: the source's own.",
  redirect: "ID of the library to which readers are redirected; null: none.",
  rules: "Rules sent with every answer, a line each; empty or null: none.",
  schedule: "Refresh interval in days, or `never`; null: by use.",
  screen: "`off`: nothing is quarantined, for a library about prompt injection; null: the screen is on.",
  trustScore: "Trust score that overrides the computed one; null: none.",
  verified: "Whether policies treat the library as verified; null: by its trust score.",
};

const described = (convert: (schema: z.ZodType) => z.ZodType): Readonly<Record<string, z.ZodType>> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [name, convert(schema).describe(descriptions[name as Name])]),
  );

/** The settings in a change: null resets one, an absent one stays. */
export const settingChanges = described((schema) => schema.nullable().optional()) as {
  readonly [Key in Name]: z.ZodOptional<z.ZodNullable<Fields[Key]>>;
};

/** The settings in an answer: null is not set. */
export const settingValues = {
  ...(described((schema) => schema.nullable()) as { readonly [Key in Name]: z.ZodNullable<Fields[Key]> }),
  rules: libraryRules.describe("Rules sent with every answer."),
};

/** The settings in a change. */
export function settingsIn(body: z.infer<z.ZodObject<typeof settingChanges>>): Partial<LibrarySettings> {
  const given = Object.entries(body).filter(([name, value]) => Object.hasOwn(fields, name) && value !== undefined);
  const named = given.map(([name, value]) => [name === "trustScore" ? "trust" : name, value]);
  return Object.fromEntries(named) as Partial<LibrarySettings>;
}

/** The settings in an answer. */
export function settingsOut({ trust, rules, ...same }: LibrarySettings): z.infer<z.ZodObject<typeof settingValues>> {
  return { ...same, rules: [...(rules ?? [])], trustScore: trust };
}
