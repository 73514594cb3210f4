import * as z from "zod";

import { registryNames } from "../../domain/packages.ts";
import { time } from "./answers.ts";

const address =
  "Address of these lines at the revision that was read; of a folder their place below it, with an address for keys that may change the library.";
const order = "The most relevant first.";

/** A linked library. */
export const linkSchema = z
  .object({
    libraryId: z.string().describe("Its library ID."),
    relation: z.enum(["repository", "package"]).describe("What it is to the other one."),
    isConfirmed: z
      .boolean()
      .describe("The repository has the package, by its own manifest; otherwise the package alone says so."),
  })
  .meta({ id: "LinkedLibrary" });

/** A library in a search result. */
export const librarySchema = z
  .object({
    id: z.string().describe("Library ID."),
    title: z.string().describe("Display name."),
    description: z.string().describe("Short description; may be empty."),
    branch: z.string().describe("Branch or tag that was read; empty where the source has none."),
    lastUpdateDate: time("When what is served was read; absent where the upstream does not tell.").optional(),
    state: z.literal("finalized").describe("Always `finalized`: only such libraries are found."),
    totalTokens: z.int().describe("Estimated model tokens of all passages; -1 where the upstream does not tell."),
    totalSnippets: z.int().describe("Number of snippets; -1 where the upstream does not tell."),
    stars: z.int().min(0).optional().describe("Stars at the host; absent where nothing is known."),
    trustScore: z.int().min(0).max(10).optional().describe("Source reputation; absent where nothing is known."),
    benchmarkScore: z.number().min(0).max(100).optional().describe("Always absent: nothing here measures it."),
    versions: z.array(z.string()).describe("Named versions that can be pinned."),
    package: z
      .object({
        name: z.string().describe("The name as the manifest has it."),
        manifest: z.string().describe("Path of the manifest in the repository or folder."),
      })
      .optional()
      .describe(
        "The claim of a package manifest by which the searched name finds the library; absent where none has that name. Nobody checks that the package is the library's.",
      ),
    registry: z
      .object({
        kind: z.enum(registryNames),
        url: z.string().describe("Its address: a package of another registry is another package."),
      })
      .optional()
      .describe("The registry of the package; absent: not a package."),
    linked: z
      .array(linkSchema)
      .optional()
      .describe("What belongs to it of the libraries that the key may read; absent where nothing does."),
    answering: z
      .object({
        version: z.string().describe("The version that answers."),
        isAsked: z.boolean().describe("It is the one that was asked for, or in its range; otherwise the nearest."),
      })
      .optional()
      .describe("Which version answers, where one was asked for with the name. `id` then has the version to ask."),
    source: z
      .string()
      .describe(
        'Where the library was indexed from: the address of a repository, or "folder"; "upstream: host" for one that the upstream answers for.',
      ),
  })
  .meta({ id: "Library" });

/** The answer of a search. */
export const searchSchema = z
  .object({
    results: z.array(librarySchema).describe("Matching libraries, the best first."),
    searchFilterApplied: z
      .boolean()
      .describe("Some libraries may be missing because of what the key or the policy allows."),
  })
  .meta({ id: "SearchResponse" });

const codeSnippetSchema = z
  .object({
    codeTitle: z.string().describe("Title."),
    codeDescription: z.string().describe("What the documentation says about the code, as Markdown; may be empty."),
    codeLanguage: z.string().describe("Language of the first block; empty where nothing tells."),
    codeTokens: z.int().describe("Estimated model tokens."),
    codeId: z.string().describe(address),
    pageTitle: z.string().describe("Title of the page."),
    isDynamic: z
      .literal(true)
      .optional()
      .describe("The code is from a source file that the page includes; absent for code of the page's own."),
    sourceFile: z.string().optional().describe("Path of that file in the repository or folder."),
    codeList: z.array(
      z.object({
        language: z.string().describe("Lower-case; may be empty."),
        code: z.string().describe("Byte for byte what the source says, or made of it: then `madeFrom` is there."),
        file: z
          .string()
          .optional()
          .describe("Name of the file that the documentation gives the block; absent where it gives none."),
        label: z.string().optional().describe("Label of the block's tab; absent: none."),
        sources: z
          .array(z.string())
          .optional()
          .describe(
            "Addresses of the lines that the page includes from other files; absent for code of the page's own.",
          ),
        madeFrom: z
          .string()
          .optional()
          .describe(
            "What the code was made from: a file of an API description, with a JSON pointer as fragment. Absent for code that the source has word for word.",
          ),
      }),
    ),
  })
  .meta({ id: "CodeSnippet" });

const infoSnippetSchema = z
  .object({
    pageId: z.string().describe(address),
    breadcrumb: z.string().describe("Headings above, joined with ` > `."),
    content: z.string().describe("Markdown."),
    contentTokens: z.int().describe("Estimated model tokens."),
  })
  .meta({ id: "InfoSnippet" });

/** The JSON form of an answer. */
export const contextSchema = z
  .object({
    codeSnippets: z.array(codeSnippetSchema).describe(`Each example of code with the prose that explains it. ${order}`),
    infoSnippets: z
      .array(infoSnippetSchema)
      .describe(
        `Prose besides what explains the examples; code that the budget has no room for is named there. ${order}`,
      ),
    notes: z
      .array(z.string())
      .optional()
      .describe(
        "What of the question is not there and why, in sentences: words that no passage has, formats that are not read, another language. Absent where nothing is missing.",
      ),
    version: z
      .string()
      .optional()
      .describe("Which version the answer comes from, where a range or `latest` was asked for."),
    rules: z
      .object({
        global: z.array(z.string()).describe("What an administrator of the teamspace says with every answer."),
        libraryOwn: z
          .array(z.string())
          .describe("Rules in the library's own settings, unreviewed; empty unless the server's settings permit them."),
        libraryTeam: z.array(z.string()).describe("What administrators of the library and of the teamspace chose."),
      })
      .optional()
      .describe("Absent where there are none."),
  })
  .meta({ id: "ContextResponse" });

/** The text form of an answer. */
export const contextText = z
  .string()
  .describe(
    "Markdown: passages of pages as their authors wrote them, each page with a heading and a line with its source, 32 hyphens between two pages; what is left out, and what was there before, is named in brackets; so is, in the last line, what of the question is not there. For a range or `latest`, a sentence before them says which version it resolved to.",
  );

/** The JSON form while the library is being indexed. */
export const pendingSchema = z
  .object({
    error: z.literal("library_not_finalized").describe("Always `library_not_finalized`."),
    message: z.string().describe("What to do."),
    codeSnippets: z.array(z.unknown()).max(0).describe("Empty."),
    infoSnippets: z.array(z.unknown()).max(0).describe("Empty."),
  })
  .meta({ id: "ContextPending" });
