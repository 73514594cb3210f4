import { toLine } from "../../../sources/git/packets.ts";
import { chainOfDeltas, inPieces, sendsPack } from "../../../test/support/git-pack.ts";
import { startGitServer } from "../../../test/support/git-server.ts";
import { repeatText, type Attack, type AttackContext } from "./attack.ts";

const submitGit = ({ submit }: AttackContext, docsRepoUrl: string, libraryName: string): Promise<string> =>
  submit("/v2/add/repo/git", { docsRepoUrl, libraryName });

const languages = ["de", "en", "es", "fr", "it", "ja", "ko", "pt", "ru", "zh"];
const versions = Array.from({ length: 40 }, (_, at) => `v${at}.1`);
const folders = Array.from({ length: 50 }, (_, at) => `d${at}`);
const hanging = `# Hanging\n\nText.\n\n<callout title=${"\u00A0".repeat(30_000)}\n\nText.\n`;

/** Attacks by the content of a repository, or by the responses of its host. */
export const repositoryAttacks: readonly Attack[] = [
  {
    name: "eight pages that hang their parser",
    ending: ["no_snippets_found"],
    async begin(context) {
      const pages = Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`docs/${at}.md`, `${hanging}${at}\n`]));
      const { url } = await context.git.repository("attack/hanging", pages);
      return { libraryIds: [await submitGit(context, url, "/attack/hanging")] };
    },
  },
  {
    name: "a pack of deltas that double",
    ending: ["library_too_large"],
    async begin(context) {
      const { git } = context;
      git.answer(
        "attack/deltas",
        sendsPack(() => inPieces(chainOfDeltas(Buffer.alloc(1000), 23, 2))),
      );
      return { libraryIds: [await submitGit(context, `${git.url}/attack/deltas`, "/attack/deltas")] };
    },
  },
  {
    name: "300,000 refs",
    ending: ["source_invalid"],
    async begin(context) {
      const { git } = context;
      const commit = "1".repeat(40);
      const names = Array.from({ length: 300_000 }, (_, at) => `refs/tags/v${at % 1000}.${at}.0`);
      const refs = `${[`HEAD symref-target:refs/heads/main`, "refs/heads/main", ...names].map((ref) => toLine(`${commit} ${ref}`)).join("")}0000`;
      git.answer("attack/refs", (request, response) => {
        if (request.method === "GET") return void response.end(`${toLine("version 2")}${toLine("ls-refs")}0000`);
        response.end(refs);
      });
      return { libraryIds: [await submitGit(context, `${git.url}/attack/refs`, "/attack/refs")] };
    },
  },
  {
    name: "four repositories of a host that never ends its answer",
    ending: ["source_unreachable"],
    async begin(context) {
      const silent = await startGitServer();
      const ids: string[] = [];
      for (const name of ["a", "b", "c", "d"]) {
        silent.answer(`slow/${name}`, () => {});
        ids.push(await submitGit(context, `${silent.url}/slow/${name}`, `/attack/slow-${name}`));
      }
      return { libraryIds: ids, end: () => void silent.close() };
    },
  },
  {
    name: "a repository of 400,000 documents in folders named like versions and languages",
    ending: ["no_code_found"],
    async begin(context) {
      const pages = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`page-${at}.md`, `# Page ${at}\n`]));
      const repository = await context.git.repository("attack/tree", pages);
      for (const names of [languages, versions, folders]) {
        const tree = await repository.git("rev-parse", "main^{tree}");
        await repository.commitEntries(names.toSorted().map((name) => ({ name, tree })));
      }
      return { libraryIds: [await submitGit(context, repository.url, "/attack/tree")] };
    },
  },
  {
    name: "a page of 30 MB of small blocks of code",
    ending: ["published"],
    begin: (context) =>
      submitPage(
        context,
        "blocks",
        repeatText(700_000, (at) => `## H${at}\n\nSay ${at}.\n\n\`\`\`js\nf(${at});\n\`\`\`\n`),
      ),
  },
  {
    name: "a page of 300,000 includes, and one of 30 MB that is one line",
    ending: ["published"],
    begin: (context) =>
      submitPage(
        context,
        "includes",
        repeatText(300_000, (at) => `--8<-- "part-${at}.md"\n\n<<< ./code-${at}.js\n`),
        repeatText(1_500_000, () => "[a](b) `c` {{d}} ", ""),
      ),
  },
  {
    name: "100 pages of 10,000 copies of a block",
    ending: ["published"],
    begin: (context) =>
      submitPage(
        context,
        "copies",
        ...Array.from(
          { length: 100 },
          (_, at) =>
            `# P${at}\n\n${repeatText(10_000, () => "Use it so, as everybody does.\n\n```js\nuse(it);\n```\n")}`,
        ),
      ),
  },
];

/** A repository with a guide of one example, and these pages. */
async function submitPage(context: AttackContext, name: string, ...pages: readonly string[]) {
  const files = Object.fromEntries(pages.map((page, at) => [`docs/page-${at}.md`, `# Page\n\n${page}\n`]));
  const guide = "# Guide\n\nCall it:\n\n```js\ncall(1);\n```\n";
  const { url } = await context.git.repository(`attack/${name}`, { "docs/guide.md": guide, ...files });
  return { libraryIds: [await submitGit(context, url, `/attack/${name}`)] };
}
