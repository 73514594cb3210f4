/** An instruction of a Dockerfile, such as `RUN`, and its arguments, in one line. */
export interface Instruction {
  readonly name: string;
  readonly rest: string;
}

/** A stage of a Dockerfile, built from the image or stage `from`. */
export interface Stage {
  readonly name: string;
  readonly from: string;
  readonly instructions: readonly Instruction[];
}

/** The stages of a Dockerfile in order. @throws Error for a stage without a name */
export function stagesOf(text: string): readonly Stage[] {
  const lines = text
    .replaceAll(/^[ \t]*#.*\n/gm, "")
    .replaceAll(/\\\n[ \t]*/g, " ")
    .split("\n")
    .filter((line) => line.trim() !== "");
  const stages: (Stage & { readonly instructions: Instruction[] })[] = [];
  for (const line of lines) {
    const space = line.indexOf(" ");
    const [name, rest] = [line.slice(0, space), line.slice(space + 1).trim()];
    if (name !== "FROM") {
      stages.at(-1)?.instructions.push({ name, rest });
      continue;
    }
    const [, from, stage] = /^(\S+) AS (\S+)$/.exec(rest) ?? [];
    if (from === undefined || stage === undefined) throw new Error(`A stage of the Dockerfile has no name: ${line}`);
    stages.push({ name: stage, from, instructions: [] });
  }
  return stages;
}

/** The arguments of an instruction in JSON form, such as `CMD ["serve"]`. @throws Error for another form */
export function wordsOf({ name, rest }: Instruction): readonly string[] {
  const words: unknown = JSON.parse(rest.slice(rest.indexOf("[")));
  if (!Array.isArray(words)) throw new Error(`${name} is not a list of words: ${rest}`);
  return words.map(String);
}
