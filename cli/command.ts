import { kinds } from "../domain/kinds/index.ts";

/** An option of a command. */
export interface Option {
  /** Its syntax: `--name ID`, `--force`, `--no-wait`; the upper-case word is the value. */
  readonly flag: string;
  readonly about: string;
  /** Its possible values; absent: any. */
  readonly choices?: readonly string[];
  /** It can be repeated. */
  readonly many?: true;
  /** A deprecated form, hidden in help. */
  readonly hidden?: true;
}

/** The parsed arguments of a command. */
export interface Given {
  /** Arguments in order, with lists flattened. */
  readonly words: readonly string[];
  /** The last value of an option, named without dashes; undefined: not given. */
  text(option: string): string | undefined;
  /** All values of a repeatable option. */
  texts(option: string): readonly string[];
  /** Whether an option was given: `given("no-wait")`. */
  given(option: string): boolean;
}

/** A command: its syntax, description and module. docs/reference/cli.md lists the same commands. */
export interface Command {
  /** Its arguments: `<library> <question...>`; `[…]` are optional. */
  readonly takes?: string;
  readonly summary: string;
  /** Its usage, for help and error messages. */
  readonly example?: string;
  readonly options?: readonly Option[];
  /** Generated options, such as those from the forms of sources. */
  moreOptions?(): Promise<readonly Option[]>;
  load(): Promise<{ run(given: Given): Promise<void> }>;
}

/** The name of an option, without dashes and value. */
export function optionName({ flag }: Option): string {
  return (flag.split(" ")[0] ?? "").slice(2);
}

/** Converts `maxDepth` to `max-depth`. */
export function toKebab(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The value placeholder of an option; undefined: a flag. */
export function optionValue({ flag }: Option): string | undefined {
  return flag.split(" ")[1];
}

export const json: Option = { flag: "--json", about: "Print JSON, on a terminal too." };
export const noWait: Option = { flag: "--no-wait", about: "Return once the server has accepted it." };
export const as: Option = {
  flag: "--as KIND",
  about: "Kind of source, if the address does not tell.",
  choices: Object.keys(kinds),
};
export const tokenStdin: Option = {
  flag: "--token-stdin",
  about: "Read the token of a repository from standard input.",
};
export const headersStdin: Option = {
  flag: "--headers-stdin",
  about: "Read the headers for a website from standard input, a line each: Authorization: Bearer …",
};
export const credential: Option = { flag: "--credential ID", about: "Read it with this shared credential." };
export const teamspace: Option = {
  flag: "--teamspace ID",
  about: "Another teamspace, for the instance's administrators.",
};
export const yes: Option = { flag: "--yes", about: "Do not ask for confirmation." };
