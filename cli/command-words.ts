/** Fields of requests whose option or argument has another name. */
const named: Readonly<Record<string, string>> = {
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
};

/** Commands by the request that they send. */
const requests: readonly (readonly [request: RegExp, command: string])[] = [
  [/GET \/api\/v2\/keys\b/g, "lectern keys"],
  [/GET \/api\/v2\/credentials\b/g, "lectern credentials"],
  [/GET \/api\/v2\/libs\/status\/quarantine\b/g, "lectern status … --held-back"],
  [/Its status is at \/api\/v2\/libs\/status\?libraryId=\S+\./g, "Ctrl-C ends the waiting only."],
  [/\bforce=true\b/g, "--force"],
];

/** Rewrites a message of the server for the command line: options for fields, commands for requests. */
export async function inCommandWords(message: string): Promise<string> {
  const { kindFields } = await import("./typed-source.ts");
  const worded = (field: string): string =>
    named[field] ?? (kindFields.includes(field) ? `--${toKebab(field)}` : field);
  return (
    requests
      .reduce((text, [request, command]) => text.replaceAll(request, command), message)
      // A camel-case word that is not quoted, or the first word of a sentence about a field.
      .replaceAll(/(?<!["\w/-])[a-z]+[A-Z][A-Za-z]*(?![\w/-])/g, worded)
      .replace(/^[a-z]+(?= (?:must|has|is)\b)/, worded)
  );
}

/** `maxDepth` as `max-depth`. */
export function toKebab(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
