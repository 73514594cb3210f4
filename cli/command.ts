/** An option of a command. */
export interface Option {
  /** As it is typed: `--name ID`, `--force`, `--no-wait`; the word in capitals is what it takes. */
  readonly flag: string;
  readonly about: string;
  /** The values that it takes; absent: any. */
  readonly choices?: readonly string[];
  /** It may be given several times. */
  readonly many?: true;
  /** An older form that still works, and is not shown. */
  readonly hidden?: true;
}

/** What was typed behind a command. */
export interface Given {
  /** Arguments in their order, those of a list each for itself. */
  readonly words: readonly string[];
  /** The value of an option, named without its dashes; undefined where it was not given. The last one counts. */
  text(option: string): string | undefined;
  /** The same of an option that may be given several times. */
  texts(option: string): readonly string[];
  /** Whether an option was given: `given("no-wait")`. */
  given(option: string): boolean;
}

/** A command: what is typed, what it does, and where it is. docs/cli.md lists the same ones. */
export interface Command {
  /** Its arguments: `<library> <question...>`; `[…]` may be left out. */
  readonly takes?: string;
  readonly summary: string;
  /** How it is typed, for its help and for who has left something out. */
  readonly example?: string;
  readonly options?: readonly Option[];
  /** Options that are made of something else, such as the forms of sources. */
  moreOptions?(): Promise<readonly Option[]>;
  load(): Promise<{ run(given: Given): Promise<void> }>;
}

/** The name of an option, without its dashes and without what it takes. */
export function optionName({ flag }: Option): string {
  return (flag.split(" ")[0] ?? "").slice(2);
}

/** What an option takes; undefined where it is only there or not. */
export function optionValue({ flag }: Option): string | undefined {
  return flag.split(" ")[1];
}
