import { optionName } from "../../cli/command.ts";
import { commands } from "../../cli/commands.ts";

/** The options of a command, as typed. */
export const optionsOf = (command: string): readonly string[] =>
  (commands[command]?.options ?? []).map((option) => `--${optionName(option)}`);
