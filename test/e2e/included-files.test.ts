import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { startServers } from "./setup.ts";

const { git, server, folder, add, linesOf } = await startServers((_, data) => ({ FOLDER_ROOTS: join(data, "roots") }));

const secret = "hunter2-swordfish";
const key = (begin: string): string => `-----BEGIN ${begin}-----\n${secret}\n-----END ${begin}-----\n`;

/** Secret files of a project, none of which may be served. */
const secrets: Readonly<Record<string, string>> = {
  ".env": `TOKEN=${secret}\n`,
  ".env.production.ts": `export const token = "${secret}";\n`,
  ".npmrc": `//registry/:_authToken=${secret}\n`,
  ".ssh/id_rsa": key("OPENSSH PRIVATE KEY"),
  ".aws/credentials": `aws_secret_access_key = ${secret}\n`,
  ".config/app/settings.json": `{ "token": "${secret}" }\n`,
  "notes/.hidden.md": `The token is ${secret}, which is a sentence of prose.\n`,
  "docs/.drafts/part.md": `The token is ${secret}, which is a sentence of prose.\n`,
  "deploy/id_ed25519": key("OPENSSH PRIVATE KEY"),
  "deploy/server.pem": key("RSA PRIVATE KEY"),
  "deploy/server.key": key("PRIVATE KEY"),
  "deploy/key.txt": key("EC PRIVATE KEY"),
  "deploy/keys.ts": `export const key = \`${key("ENCRYPTED PRIVATE KEY")}\`;\n`,
  "deploy/backup.asc": key("PGP PRIVATE KEY BLOCK"),
  "deploy/credentials.json": `{ "token": "${secret}" }\n`,
  "deploy/service-account-prod.json": `{ "token": "${secret}" }\n`,
  "config/secrets.yml": `token: ${secret}\n`,
  "terraform.tfstate": `{ "token": "${secret}" }\n`,
  "prod.env": `TOKEN=${secret}\n`,
  "data.db": `SQLite format 3 ${secret}\n`,
};

/** Files that documentation may include. */
const shown: Readonly<Record<string, string>> = {
  "src/a.ts": "export const shown = 1;\n",
  "examples/Dockerfile": "FROM scratch\n",
  "examples/values.yaml": "replicas: 3\n",
  ".gitbook/includes/part.md": "This part is kept where GitBook keeps its parts.\n",
  ".github/workflows/ci.yml": "name: checks\n",
};

/** Every syntax to include a file, with the path from the page's folder or from the project's. */
const forms: readonly ((path: string) => string)[] = [
  (path) => `--8<-- "${path}"`,
  (path) => `--8<--\n${path}\n--8<--`,
  (path) => `<<< @/${path}`,
  (path) => `<<< ../${path}`,
  (path) => `<!--@include: ../${path}-->`,
  (path) => `@[code](../${path})`,
  (path) => `{* ../${path} *}`,
  (path) => `{!${path}!}`,
  (path) => `{{#include ../${path}}}`,
  (path) => `{% include "../${path}" %}`,
  (path) => `{% include-markdown "../${path}" %}`,
  (path) => `{{< readfile file="/${path}" >}}`,
  (path) => `<Snippet file="../${path}" />`,
  (path) => `[x](../${path} ':include :type=code')`,
  (path) => `\`\`\`{literalinclude} ../${path}\n\`\`\``,
  (path) => `:::{include} ../${path}\n:::`,
  (path) => `.. literalinclude:: ../${path}`,
  (path) => `.. include:: ../${path}`,
  (path) => `\`\`\`{eval-rst}\n.. literalinclude:: ../${path}\n\`\`\``,
  (path) => `import Secret from '!!raw-loader!../${path}';\n\n<CodeBlock>{Secret}</CodeBlock>`,
  (path) => `import Secret from '../${path}?raw';\n\n<Code code={Secret} />`,
];

const intro = "# Guide\n\nThis guide has a sentence of its own that is served in any case.\n\n";
const pages = Object.fromEntries(
  Object.keys(secrets).flatMap((path, number) => {
    const text = intro + forms.map((form) => form(path)).join("\n\n");
    return [
      [`docs/secret-${number}.md`, `${text}\n`],
      [`docs/secret-${number}.mdx`, `${text}\n`],
    ];
  }),
);
pages["docs/shown.md"] = `${intro}${Object.keys(shown)
  .map((path) => `\`\`\`{literalinclude} ../${path}\n\`\`\``)
  .join("\n\n")}\n\n{% include "../.gitbook/includes/part.md" %}\n`;
const files = { ...secrets, ...shown, ...pages };

async function writeFolder(): Promise<string> {
  const root = join(folder, "roots", "project");
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  // Symbolic links with harmless names.
  await symlink("../.env", join(root, "docs/link.ts"));
  await symlink("../.ssh", join(root, "docs/linked"));
  await writeFile(join(root, "docs/links.md"), `${intro}<<< ./link.ts\n\n<<< ./linked/id_rsa\n`);
  return root;
}

interface Page {
  readonly path: string;
  readonly outcome: string;
  readonly notes?: readonly string[];
}

describe.each(["folder", "git"])("what a page of a %s includes", (kind) => {
  const id = kind === "folder" ? "/docs/project" : "/acme/project";
  let outcomes: readonly Page[];
  let lines: readonly string[];
  beforeAll(async () => {
    if (kind === "folder")
      await server.call("POST", "/v2/add/folder", { path: await writeFolder(), libraryName: id, folders: ["docs"] });
    else await add((await git.repository("acme/project.git", files)).url, { folders: ["docs"] });
    lines = await linesOf(id);
    const { body } = await server.call("GET", `/v2/libs/status/pages?libraryId=${id}&limit=100`);
    outcomes = (body as { pages: Page[] }).pages;
  });

  it("is never a hidden file, a key, or of a format that documentation does not show", () => {
    expect(lines.filter((line) => line.includes(secret))).toEqual([]);
    expect(outcomes.filter(({ path }) => path.startsWith("docs/secret-")).map(({ outcome }) => outcome)).toEqual(
      Array(2 * Object.keys(secrets).length).fill("indexed"),
    );
  });

  it("is named in a note with the reason if it is refused", () => {
    const notes = outcomes.flatMap(({ notes = [] }) => notes).join("\n");
    expect(notes).toContain("includes .env, which is hidden, so that it is not shown.");
    expect(notes).toContain("includes ../.ssh/id_rsa, which is hidden, so that it is not shown.");
    expect(notes).toContain("includes deploy/id_ed25519, which is named like a file with keys or passwords.");
    expect(notes).toContain("includes deploy/server.pem, which has no format that documentation includes.");
    expect(notes).toContain("includes deploy/keys.ts, which holds a private key.");
    if (kind === "folder") expect(notes).toContain("includes ./link.ts, which is a symbolic link.");
  });

  it("is code, data and text", () => {
    const all = lines.join("\n");
    for (const text of [
      "export const shown = 1;",
      "FROM scratch",
      "replicas: 3",
      "where GitBook keeps",
      "name: checks",
    ])
      expect(all).toContain(text);
    expect(outcomes.find(({ path }) => path === "docs/shown.md")).not.toHaveProperty("notes");
  });
});
