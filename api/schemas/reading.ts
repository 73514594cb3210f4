import * as z from "zod";
import { registryNames } from "../../domain/packages.ts";
import { time } from "./answers.ts";

const address =
  "Address of these lines at the revision that was read. Of a folder: the path below it; the whole path for keys that may change the library.";
const order = "Most relevant first.";

/** A linked library. */
export const linkSchema = z
  .object({
    libraryId: z.string().describe("Its library ID."),
    relation: z.enum(["repository", "package"]).describe("Its relation to the other library."),
    isConfirmed: z
      .boolean()
      .describe("A manifest of the repository names the package; otherwise only the package names the repository."),
  })
  .meta({ id: "LinkedLibrary" });

/** A library in a search result. */
export const librarySchema = z
  .object({
    id: z.string().describe("Library ID."),
    title: z.string().describe("Display name."),
    description: z.string().describe("Short description; may be empty."),
    branch: z.string().describe("Branch or tag that was read; empty if the source has none."),
    lastUpdateDate: time("When the source was read; absent if the upstream does not say.").optional(),
    state: z.literal("finalized").describe("Always `finalized`: other libraries are not found."),
    totalTokens: z.int().describe("Estimated model tokens of all passages; -1 if the upstream does not say."),
    totalSnippets: z.int().describe("Number of snippets; -1 if the upstream does not say."),
    stars: z.int().min(0).optional().describe("Stars at the host; absent if unknown."),
    trustScore: z.int().min(0).max(10).optional().describe("Source reputation; absent if unknown."),
    benchmarkScore: z.number().min(0).max(100).optional().describe("Always absent: it is not measured here."),
    versions: z.array(z.string()).describe("Named versions that can be pinned."),
    package: z
      .object({
        name: z.string().describe("The name in the manifest."),
        manifest: z.string().describe("Path of the manifest in the repository or folder."),
      })
      .optional()
      .describe(
        "The package manifest whose name matches the search; absent if none does. Whether the package is the library's is not verified.",
      ),
    registry: z
      .object({
        kind: z.enum(registryNames),
        url: z.string().describe("Address of the registry."),
      })
      .optional()
      .describe("The registry of a package; absent for other libraries."),
    linked: z
      .array(linkSchema)
      .optional()
      .describe("Linked libraries that the key may read; absent if there are none."),
    answering: z
      .object({
        version: z.string().describe("The version that answers."),
        isAsked: z
          .boolean()
          .describe("It is the requested version, or in the requested range; otherwise it is the nearest."),
      })
      .optional()
      .describe("The version that answers, if the search names one. `id` then includes the version to request."),
    source: z.string().describe('Address of the source, or "folder"; "upstream: host" for a library of the upstream.'),
  })
  .meta({ id: "Library" });

/** The answer of a search. */
export const searchSchema = z
  .object({
    results: z.array(librarySchema).describe("Matching libraries, best first."),
    searchFilterApplied: z.boolean().describe("The key or the policy may have excluded libraries."),
    matchedBy: z
      .literal("content")
      .optional()
      .describe(
        "No library has such a name: the first ones are those whose documentation says most about the name and the question. Absent if a name matches.",
      ),
  })
  .meta({ id: "SearchResponse" });

const codeSnippetSchema = z
  .object({
    codeTitle: z.string().describe("Title."),
    codeDescription: z.string().describe("Prose that explains the code, as Markdown; may be empty."),
    codeLanguage: z.string().describe("Language of the first block; empty if unknown."),
    codeTokens: z.int().describe("Estimated model tokens."),
    codeId: z.string().describe(address),
    pageTitle: z.string().describe("Title of the page."),
    isDynamic: z
      .literal(true)
      .optional()
      .describe(
        "The code is from a source file that the page includes, or that is read as documentation; else absent.",
      ),
    sourceFile: z.string().optional().describe("Path of that file in the repository or folder."),
    codeList: z.array(
      z.object({
        language: z.string().describe("Lower-case; may be empty."),
        code: z.string().describe("Byte for byte as in the source, or generated from it: then `madeFrom` is present."),
        file: z.string().optional().describe("File name that the documentation gives the block; absent: none."),
        label: z.string().optional().describe("Label of the block's tab; absent: none."),
        sources: z
          .array(z.string())
          .optional()
          .describe("Addresses of the lines that the page includes from other files; absent for its own code."),
        madeFrom: z
          .string()
          .optional()
          .describe(
            "The file of an API description from which the code was generated, with a JSON pointer as fragment. Absent for verbatim code.",
          ),
      }),
    ),
  })
  .meta({ id: "CodeSnippet" });

const infoSnippetSchema = z
  .object({
    pageId: z.string().describe(address),
    breadcrumb: z.string().describe("Headings above it, joined with ` > `."),
    content: z.string().describe("Markdown."),
    contentTokens: z.int().describe("Estimated model tokens."),
  })
  .meta({ id: "InfoSnippet" });

const placeSchema = z
  .object({
    page: z.string().describe("`page` of `GET /v2/page`."),
    section: z.string().optional().describe("`section` of `GET /v2/page`; absent: the whole page."),
    title: z.string().describe("Title of the page, or heading of the section."),
    tokens: z.int().describe("Estimated model tokens."),
  })
  .meta({ id: "Place" });

/** The JSON form of an answer. */
export const contextSchema = z
  .object({
    codeSnippets: z.array(codeSnippetSchema).describe(`Each example of code with the prose that explains it. ${order}`),
    infoSnippets: z
      .array(infoSnippetSchema)
      .describe(`Prose that explains no example; it also names code that exceeds the budget. ${order}`),
    notes: z
      .array(z.string())
      .optional()
      .describe(
        "Missing parts of the answer, in sentences: words that no passage has, unread formats, another language. Absent if nothing is missing.",
      ),
    version: z.string().optional().describe("The version that answers, if a range or `latest` was requested."),
    more: z
      .array(placeSchema)
      .readonly()
      .optional()
      .describe("What the library has beside this answer and may be it, the likeliest first; absent: nothing."),
    teamNote: z
      .string()
      .optional()
      .describe("Markdown that the caller's team notes on the library, no part of its documentation; absent: none."),
    rules: z
      .object({
        global: z.array(z.string()).describe("Rules of the teamspace for all libraries."),
        libraryOwn: z
          .array(z.string())
          .describe("Rules in the library's own settings, unreviewed; empty unless the server permits them."),
        libraryTeam: z
          .array(z.string())
          .describe("Rules of the library's administrators, and of the teamspace for the library."),
      })
      .optional()
      .describe("Rules for agents; absent: none."),
  })
  .meta({ id: "ContextResponse" });

/** The JSON form of an answer to a question to no library in particular. */
export const askSchema = contextSchema
  .extend({
    library: z.string().describe("ID of the library that answers."),
    others: z.array(z.string()).describe("IDs of other libraries that may answer, the best first."),
  })
  .meta({ id: "AskResponse" });

/** The text form of an answer. */
export const contextText = z
  .string()
  .describe(
    "Markdown: verbatim passages, each page with a heading and a line with its source, 32 hyphens between two pages. Brackets mark omissions, repetitions and, in the last line, missing parts of the answer. After 32 more hyphens there is a line for each place that may have what it lacks, and after 32 more the note of the caller's team, if there is one. For a range or `latest`, the first sentence names the version.",
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
