import { Command as Program, CommanderError, Option as ProgramOption, type Argument } from "commander";
import { inspect } from "node:util";
import { ConfigError } from "./config/reading.ts";
import { Failure } from "../domain/failures.ts";
import { optionName, optionValue, type Command, type Given } from "./command.ts";
import { commands } from "./commands.ts";
import { exitCodes, exitCodeOf } from "./output.ts";
import { missingPackage, programVersion } from "./package-info.ts";
import { guardOutput } from "./terminal.ts";
import { programName } from "./program-name.ts";

/** Executes a command line. Expected failures end with a message and a code of `exitCodes`. */
export async function main(args: readonly string[]): Promise<void> {
  guardOutput();
  // A reader such as `head` may close the pipe early, which is not a failure.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(0);
  });
  if (args[0] === "complete") {
    // Called by the scripts of `lectern completion`, with arbitrary words.
    await (await import("./completion.ts")).complete(commands, args.slice(1));
    return;
  }
  try {
    await (await toProgram(args)).parseAsync(args, { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? exitCodes.done : exitCodes.wrongUse;
      return;
    }
    const missing = missingPackage(error);
    if (missing === undefined && !(error instanceof Failure || error instanceof ConfigError)) {
      console.error(inspect(error));
      process.exit(exitCodes.failed);
    }
    console.error(missing ?? (error as Error).message);
    process.exitCode = missing === undefined ? exitCodeOf(error as Failure | ConfigError) : exitCodes.failed;
  }
}

/** The program for commander. Only the called command gets generated options. Errors in the arguments are thrown as CommanderError. */
export async function toProgram(args: readonly string[]): Promise<Program> {
  const program = new Program(programName())
    .description("Lectern serves documentation to coding agents and people.")
    .version(programVersion, "-v, --version", "Print the version.")
    .helpOption("-h, --help", "Show help.")
    .helpCommand("help [command]", "Show help for a command.")
    .addHelpText("after", "\nSettings are environment variables: docs/reference/settings.md.")
    .configureHelp({
      subcommandTerm: (command) => [command.name(), ...command.registeredArguments.map(shown)].join(" "),
    })
    .configureOutput({ writeErr: () => {}, outputError: () => {} })
    .exitOverride((error) => {
      if (error.exitCode !== 0) console.error(sentenceOf(error, `${programName()} --help`));
      throw error;
    });
  for (const [name, command] of Object.entries(commands)) {
    const [last = "", parent = ""] = name.split(" ").toReversed();
    const owner = program.commands.find((other) => other.name() === parent) ?? program;
    const isNamed = args.slice(0, 2).some((word) => word === name) || parent === args[0];
    await addCommand(owner.command([last, command.takes].filter(Boolean).join(" ")), name, command, isNamed);
  }
  if (args.length === 0) program.action(() => program.outputHelp());
  return program;
}

async function addCommand(added: Program, name: string, command: Command, isNamed: boolean): Promise<void> {
  const { summary, example, options = [], moreOptions } = command;
  added.description(summary).exitOverride((error) => {
    if (error.exitCode !== 0) console.error(sentenceOf(error, `${programName()} ${name} --help`, command));
    throw error;
  });
  if (example !== undefined) added.addHelpText("after", `\nFor example: ${asTyped(example)}`);
  const names = options.map(optionName);
  const more = isNamed && moreOptions ? await moreOptions() : [];
  for (const option of [...options, ...more.filter((other) => !names.includes(optionName(other)))]) {
    const value = optionValue(option);
    const made = new ProgramOption(
      value === undefined ? option.flag : `--${optionName(option)} <${value}>`,
      option.about,
    );
    if (option.choices) made.choices(option.choices);
    if (option.many) made.argParser((text: string, before?: readonly string[]) => [...(before ?? []), text]);
    if (option.hidden) made.hideHelp();
    added.addOption(made);
  }
  added.action(async () => {
    // Created files are for their owner only, except exports and bundles.
    const given = givenTo(added);
    if (name !== "export" && !given.given("bundle")) process.umask(0o077);
    await (await command.load()).run(given);
  });
}

function givenTo(program: Program): Given {
  const typed = new Map<string, unknown>();
  for (const option of program.options) {
    const name = option.attributeName();
    if (program.getOptionValueSource(name) !== "cli") continue;
    const value: unknown = program.getOptionValue(name);
    // `--no-wait` and `--wait` share one value.
    if (option.negate === (value === false)) typed.set((option.long ?? "").slice(2), value);
  }
  return {
    words: program.args,
    text(option) {
      const value = typed.get(option);
      return typeof value === "string" ? value : undefined;
    },
    texts(option) {
      const value = typed.get(option);
      return Array.isArray(value) ? value.map(String) : [];
    },
    given: (option) => typed.has(option),
  };
}

/** An example of `commands.ts`, as it is typed here. */
function asTyped(example: string): string {
  return example.replaceAll("lectern ", `${programName()} `);
}

function shown(argument: Argument): string {
  const { required, variadic } = argument;
  const name = `${argument.name()}${variadic ? "..." : ""}`;
  return required ? `<${name}>` : `[${name}]`;
}

/** The error in a command line, as a sentence with advice. */
function sentenceOf({ code, message }: CommanderError, help: string, { example }: Partial<Command> = {}): string {
  const text = message.replace(/^error: /, "").replaceAll("\n", " ");
  const sentence = `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?)]$/.test(text) ? "" : "."}`;
  return code === "commander.missingArgument" && example !== undefined
    ? `${sentence} For example: ${asTyped(example)}`
    : `${sentence} See \`${help}\`.`;
}
