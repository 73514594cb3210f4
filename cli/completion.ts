import { Failure } from "../domain/failures.ts";
import { createServerClient } from "./client.ts";
import { optionName, optionValue, type Command, type Given } from "./command.ts";

/**
 * The script of each shell, which calls `lectern complete` with the words so far, the last one unfinished. zsh loads the file at the
 * first call, as the body of the function, so it has to complete at once.
 */
const scripts: Readonly<Record<string, string>> = {
  bash: `_lectern() {
  local IFS=$'\\n'
  COMPREPLY=($(lectern complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
  [[ \${#COMPREPLY[@]} -gt 0 ]] || compopt -o default
}
complete -F _lectern lectern`,
  zsh: `#compdef lectern
_lectern() {
  local -a found
  found=(\${(f)"$(lectern complete "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if (( \${#found} )); then compadd -Q -a found; else _files; fi
}
if [[ $funcstack[1] == _lectern ]]; then _lectern; else compdef _lectern lectern; fi`,
  fish: `complete -c lectern -f -a '(lectern complete (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
complete -c lectern -n '__fish_seen_subcommand_from add preview import' -F`,
};

/** Timeout of listing libraries, in milliseconds, as a user waits at a prompt. */
const patience = 1500;

/** `lectern completion`: prints the script for a shell. @throws Failure validation_error for an unknown shell */
export async function run(given: Given): Promise<void> {
  const [shell = ""] = given.words;
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
  if (script === undefined)
    throw new Failure(
      "validation_error",
      `There is no completion for ${shell}, only for ${Object.keys(scripts).join(", ")}.`,
    );
  console.log(script);
}

type Commands = Readonly<Record<string, Command>>;

/** `lectern complete`: prints completions of the last word, one per line; none for files and free text. */
export async function complete(commands: Commands, words: readonly string[]): Promise<void> {
  const last = words.at(-1) ?? "";
  const candidates = await candidatesFor(commands, words.slice(0, -1), last);
  for (const word of candidates) if (word.startsWith(last)) console.log(word);
}

async function candidatesFor(commands: Commands, before: readonly string[], last: string): Promise<readonly string[]> {
  const names = Object.keys(commands);
  if (before.length === 0) return [...names.filter((name) => !name.includes(" ")), "help"];
  const pair = before.slice(0, 2).join(" ");
  const name = names.includes(pair) ? pair : (before[0] ?? "");
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) return [];
  const options = [...(command.options ?? []), ...((await command.moreOptions?.()) ?? [])];
  const previous = options.find((option) => `--${optionName(option)}` === before.at(-1));
  if (previous && optionValue(previous) !== undefined) return previous.choices ?? [];
  if (last.startsWith("-"))
    return [...options.filter(({ hidden }) => !hidden).map((option) => `--${optionName(option)}`), "--help"];
  const subcommands = before.length === 1 ? names.filter((other) => other.startsWith(`${name} `)) : [];
  return [...subcommands.map((other) => other.slice(name.length + 1)), ...(await libraries(command, before))];
}

/** The libraries of the server, if the command still needs or may take a library; none if the server does not answer in time. */
async function libraries({ takes = "" }: Command, before: readonly string[]): Promise<readonly string[]> {
  if (!/^<(?:library|question)/.test(takes) || before.some((word) => word.startsWith("/"))) return [];
  const response = createServerClient().json("GET", "/v2/libs?limit=100");
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, patience, undefined).unref());
  // Errors are ignored: a prompt has no place for messages.
  const answer = await Promise.race([response.catch(() => undefined), late]);
  return ((answer?.["libraries"] ?? []) as { readonly libraryId: string }[]).map(({ libraryId }) => libraryId);
}
