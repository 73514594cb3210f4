import { Failure } from "../domain/failures.ts";
import { createServerClient } from "./client.ts";
import { optionName, optionValue } from "./command.ts";
import type { Command, Given } from "./command.ts";
import { commands } from "./commands.ts";

/**
 * The script for each shell, which calls `lectern complete` with the words so far, the last one unfinished. zsh loads the file at the
 * first call, as the body of the function, which then has to complete too.
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
      `There is completion for ${Object.keys(scripts).join(", ")}, and not for ${shell}.`,
    );
  console.log(script);
}

/** `lectern complete`: prints completions of the last word, one per line; none for files and free text. */
export async function complete(words: readonly string[]): Promise<void> {
  const last = words.at(-1) ?? "";
  const found = await candidates(words.slice(0, -1), last);
  for (const word of found) if (word.startsWith(last)) console.log(word);
}

async function candidates(before: readonly string[], last: string): Promise<readonly string[]> {
  const names = Object.keys(commands);
  if (before.length === 0) return [...names.filter((name) => !name.includes(" ")), "help"];
  const pair = before.slice(0, 2).join(" ");
  const name = names.includes(pair) ? pair : (before[0] ?? "");
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) return [];
  const options = [...(command.options ?? []), ...((await command.moreOptions?.()) ?? [])];
  const typed = options.find((option) => `--${optionName(option)}` === before.at(-1));
  if (typed && optionValue(typed) !== undefined) return typed.choices ?? [];
  if (last.startsWith("-"))
    return [...options.filter(({ hidden }) => !hidden).map((option) => `--${optionName(option)}`), "--help"];
  const below = before.length === 1 ? names.filter((other) => other.startsWith(`${name} `)) : [];
  return [...below.map((other) => other.slice(name.length + 1)), ...(await libraries(command, before))];
}

/** The libraries of the server, for a command whose library argument is not typed yet; none where it does not answer in time. */
async function libraries({ takes = "" }: Command, before: readonly string[]): Promise<readonly string[]> {
  if (!takes.startsWith("<library>") || before.some((word) => word.startsWith("/"))) return [];
  const asked = createServerClient().json("GET", "/v2/libs?limit=100");
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, patience, undefined).unref());
  // A prompt has no place for error messages.
  const answer = await Promise.race([asked.catch(() => undefined), late]);
  return ((answer?.["libraries"] ?? []) as { readonly libraryId: string }[]).map(({ libraryId }) => libraryId);
}
