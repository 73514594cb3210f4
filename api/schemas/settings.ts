import * as z from "zod";

const optionSchema = z
  .object({
    name: z.string().describe("Name in the body that changes it."),
    description: z.string().describe("What it does."),
    schema: z.record(z.string(), z.unknown()).describe("JSON Schema of its values."),
    value: z.unknown().describe("As it is; null: the default."),
  })
  .meta({ id: "SourceOption" });

/** The settings of a library, as `GET /api/v2/libs/settings` answers. */
export const settingsSchema = z
  .object({
    libraryId: z.string().describe("Library ID."),
    kind: z.string().describe("Kind of its source, such as `git` or `website`."),
    title: z.string().nullable().describe("Null: what the source says of itself."),
    description: z.string().nullable().describe("Null: what the source says of itself."),
    rules: z.array(z.string()).describe("Rules that go with every answer."),
    schedule: z
      .union([z.int(), z.literal("never")])
      .nullable()
      .describe("Refresh interval in days, or `never`; null: by use."),
    screen: z.literal("off").nullable().describe("`off`: nothing is held back; null: the screen is on."),
    trustScore: z.number().nullable().describe("The score that an administrator has set; null: none has."),
    verified: z.boolean().nullable().describe("What an administrator has set; null: none has."),
    redirect: z.string().nullable().describe("ID of the library that readers are sent to."),
    options: z.array(optionSchema).describe("Options of its kind of source."),
  })
  .meta({ id: "Settings" });
