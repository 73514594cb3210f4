import { toKebab } from "./command.ts";
import { programName } from "./program-name.ts";

/** Names of options and arguments that differ from the name of their request field. */
const names: Readonly<Record<string, string>> = {
  libraryName: "--name",
  libraryId: "the library",
  gitToken: "--token-stdin",
  headers: "--headers-stdin",
  expiresAt: "--expires",
  docsRepoUrl: "The address",
  websiteUrl: "The address",
  llmstxtUrl: "The address",
  openApiUrl: "The address",
  openapiFile: "The file",
  file: "The file",
};

/** Replacements of requests by the commands that send them. */
const requests: readonly (readonly [request: RegExp, command: string])[] = [
  [/GET \/api\/v2\/keys\b/g, "lectern keys"],
  [/GET \/api\/v2\/credentials\b/g, "lectern credentials"],
  [/GET \/api\/v2\/libs\/status\/quarantine\b/g, "lectern status … --held-back"],
  [/Its status is at \/api\/v2\/libs\/status\?libraryId=\S+\./g, "Ctrl-C only stops waiting."],
  [/\bforce=true\b/g, "--force"],
];

/** Rewrites a message of the server for the command line: fields become options, requests become commands. */
export async function inCommandWords(message: string): Promise<string> {
  const { kindFields } = await import("./source-argument.ts");
  const wordFor = (field: string): string =>
    names[field] ?? (kindFields.includes(field) ? `--${toKebab(field)}` : field);
  return (
    requests
      .reduce((text, [request, command]) => text.replaceAll(request, command), message)
      .replaceAll(/(?<![\w/@-])lectern (?=[a-z])/g, `${programName()} `)
      // Unquoted camel-case words, and the first word of a sentence about a field.
      .replaceAll(/(?<!["\w/-])[a-z]+[A-Z][A-Za-z]*(?![\w/-])/g, wordFor)
      .replace(/^[a-z]+(?= (?:must|has|is)\b)/, wordFor)
  );
}
