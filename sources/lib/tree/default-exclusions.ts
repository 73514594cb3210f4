import type { Omission } from "./omissions.ts";
import { createFolderMatcher, createMatcher } from "./patterns.ts";
import { isAmongPackages, isCode, isDocumentation, isReference } from "./folder-roles.ts";
import { folderOf, nameOf } from "./paths.ts";

/**
 * Names of files that are left out by default: first those that context7.json leaves out, then those for contributors and agents, and
 * text files that are not documents.
 */
const files: readonly string[] = [
  "CHANGELOG.md",
  "CHANGELOG.mdx",
  "LICENSE.md",
  "CODE_OF_CONDUCT.md",
  "code_of_conduct.md",
  "PULL_REQUEST_TEMPLATE.md",
  "pull_request_template.md",
  "ISSUE_TEMPLATE.md",
  "AGENTS.md",
  "CLAUDE.md",
  "GEMINI.md",
  "copilot-instructions.md",
  "CMakeLists.txt",
  "output.txt",
  "requirements*.txt",
  "constraints*.txt",
  "robots.txt",
  "*wordlist*.txt",
  "LICENSE*.txt",
  "COPYING.txt",
  "NOTICE.txt",
];

/** Left out except in documentation, where they may be about a command or feature of that name. */
const filesElsewhere: readonly string[] = ["changelog.md", "changelog.mdx", "license.md"];

const tools: readonly string[] = ["node_modules", "./dist", "./archetypes"];
/** Left out except in documentation, where they may be a subject. */
const toolsOfCode: readonly string[] = ["./scripts", "./playground", "./playgrounds"];
const testsOfCode: readonly string[] = ["./e2e", "./cypress"];
const tests: readonly string[] = [
  "__tests__",
  "__e2e__",
  "__mocks__",
  "__fixtures__",
  "__snapshots__",
  "**/test/fixtures",
  "**/tests/fixtures",
  "test-data",
  "testdata",
];
const changes = /^(?:changelogs?|release-notes|release_notes|releasenotes|LICENSES)$/;

/** Hidden folders have settings of tools and instructions for agents; .github at times has a README. */
const hidden = /^\.(?!github$)/;

/** Folders of tests and fixtures, outside of documentation. */
const testNames = /^(?:tests?|fixtures?|snapshots|goldens?|evals)$/;

const old = /^(?:archive|archives|archived|deprecated|legacy|previous|outdated|superseded)$/;
/** Words that make a folder old together with one of those: `archived-docs`, `deprecated-api`, `v1-legacy`. */
const ofDocuments =
  /^(?:docs?|documents?|documentation|apis?|references?|guides?|tutorials?|versions?|releases?|pages?|contents?|website|site|wiki|manual|posts?|articles?|blog|files|my|the|of|and|\d+|v\d+|x)$/;

/** The name of a tree, and whether it consists of documentation by its content. */
export interface TreeKind {
  readonly within: string;
  readonly isDocumentation: boolean;
}

/** Why a folder's documents are left out, by its path; undefined where they are not. */
function whyFolder(folder: string, { within, isDocumentation: isWhole }: TreeKind): Omission | undefined {
  const name = nameOf(folder);
  const parent = folderOf(folder);
  if (hidden.test(name) || nameOf(parent) === ".github") return "tools";
  if (isAmongPackages(parent)) return undefined;
  if (changes.test(name)) return "changes";
  const isSubject = isWhole && /^tests?$/.test(name);
  if (testNames.test(name) && !isSubject && !isDocumentation(parent, within)) return "tests";
  if (name === "prompts" && isCode(parent) && !isDocumentation(parent, within)) return "tests";
  if (name === "old") return "old";
  const words = name.split(/[-_. ]/);
  const others = words.filter((word) => !old.test(word));
  if (others.length === words.length || !others.every((word) => ofDocuments.test(word.toLowerCase()))) return undefined;
  // In a reference `archive` is an operation of an API.
  return /^archives?$/.test(name) && isReference(parent) ? undefined : "old";
}

/** Why a document is left out by default; undefined where it is not. */
export type DefaultExclusions = (path: string) => Omission | undefined;

/**
 * Creates the function that says which documents are left out by default; those in folders that are `asked` for by name are not.
 */
export function createDefaultExclusions(asked: (folder: string) => boolean, tree: TreeKind): DefaultExclusions {
  const { within } = tree;
  const isWhole = tree.isDocumentation || isDocumentation("", within);
  const isFile = createMatcher(files);
  const isFileElsewhere = createMatcher(filesElsewhere);
  const isForTools = createFolderMatcher(isWhole ? tools : [...tools, ...toolsOfCode], asked);
  const isForTests = createFolderMatcher(isWhole ? tests : [...tests, ...testsOfCode], asked);
  const known = new Map<string, Omission | undefined>();
  const whyBelow = (folder: string): Omission | undefined => {
    if (folder === "" || asked(folder)) return undefined;
    if (known.has(folder)) return known.get(folder);
    const why =
      whyBelow(folderOf(folder)) ??
      whyFolder(folder, tree) ??
      (isForTools(folder) ? "tools" : isForTests(folder) ? "tests" : undefined);
    known.set(folder, why);
    return why;
  };
  return (path) => {
    const name = nameOf(path);
    const folder = folderOf(path);
    if (isFile(name) || (isFileElsewhere(name) && (folder === "" || !isDocumentation(folder, within)))) return "names";
    return whyBelow(folder);
  };
}
