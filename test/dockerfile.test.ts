import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { routes } from "../api/app.ts";
import { optionName } from "../cli/command.ts";
import { commands } from "../cli/commands.ts";
import { settings } from "../cli/config.ts";
import { stagesOf } from "../tools/dev/dockerfile.ts";

const root = join(import.meta.dirname, "..");
const read = (name: string): string => readFileSync(join(root, name), "utf8");
const optionsOf = (command: string): readonly string[] =>
  (commands[command]?.options ?? []).map((option) => `--${optionName(option)}`);

describe("the Dockerfile", () => {
  const stages = new Map(stagesOf(read("Dockerfile")).map((stage) => [stage.name, stage]));
  const argumentsOf = (instruction: string): readonly string[] =>
    [...stages.values()]
      .flatMap(({ instructions }) => instructions)
      .filter(({ name }) => name === instruction)
      .map(({ rest }) => rest);

  it("builds on one exact version of a Node that the program takes", () => {
    const images = [...stages.values()].map(({ from }) => from);
    const outside = new Set(images.filter((image) => !stages.has(image)));
    expect([...outside]).toEqual([expect.stringMatching(/^node:24\.(?:1[5-9]|[2-9]\d)\.\d+-bookworm-slim$/)]);
  });

  it("has the stages that the cluster is built from, and no others but those they need", () => {
    const { services } = parse(read("docker-compose.yml"), { merge: true }) as {
      services: Record<string, { readonly image: string; readonly build?: { readonly target?: string } }>;
    };
    const own = Object.values(services).filter(({ image }) => image.startsWith("lectern"));
    const targets = own.map(({ build }) => build?.target);
    expect(new Set(targets)).toEqual(new Set(["lectern", "browser"]));
    expect([...stages.keys()]).toEqual(["dependencies", "lectern", "browser"]);
  });

  it("copies what is there, what .dockerignore lets through, and every folder of the program", () => {
    const copied = argumentsOf("COPY")
      .filter((copy) => !copy.startsWith("--from"))
      .flatMap((copy) => copy.split(" ").slice(0, -1));
    for (const path of copied) expect(existsSync(join(root, path)), path).toBe(true);
    const allowed = [...read(".dockerignore").matchAll(/^!(.+)$/gm)].map(([, path = ""]) => path);
    expect(new Set(allowed)).toEqual(new Set(copied));
    const folders = readdirSync(root, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "node_modules")
      .filter(({ name }) =>
        readdirSync(join(root, name), { recursive: true }).some((file) => String(file).endsWith(".ts")),
      )
      .map(({ name }) => name);
    expect(folders.filter((name) => !copied.includes(name)).toSorted()).toEqual(["test", "tools"]);
  });

  it("installs the program git, which Git sources are read with", () => {
    const installing = stages.get("lectern")?.instructions.filter(({ rest }) => /apt-get install .*\bgit\b/.test(rest));
    expect(installing).toHaveLength(1);
  });

  it("ends every image as a user that is not root, and starts the program by a process that reaps others", () => {
    for (const [name, { instructions }] of stages) {
      if (name === "dependencies") continue;
      expect(instructions.findLast((one) => one.name === "USER")?.rest, name).toBe("node");
      const first = instructions.findIndex((one) => one.name === "RUN" && one.rest.startsWith("node "));
      if (first >= 0) expect(instructions.slice(0, first)).toContainEqual({ name: "USER", rest: "node" });
    }
    expect(argumentsOf("ENTRYPOINT")).toEqual(['["tini", "--", "node", "/app/cli/lectern.mjs"]']);
  });

  it("runs commands of the program, listens where the program does, and can be asked for its health", () => {
    const program = /^node cli\/lectern\.mjs (\w+) ?(.*)$/;
    const used = [
      ...argumentsOf("RUN").flatMap((line) => (program.exec(line) ? [program.exec(line)?.slice(1) ?? []] : [])),
      ...argumentsOf("CMD").map((line) => JSON.parse(line) as string[]),
    ];
    expect(used.length).toBe(3);
    for (const [command = "", option = ""] of used) {
      expect(Object.keys(commands)).toContain(command);
      if (option !== "") expect(optionsOf(command)).toContain(option);
    }
    expect(argumentsOf("EXPOSE")).toEqual([settings.port.default]);
    expect(argumentsOf("HEALTHCHECK")).toEqual([expect.stringContaining("/api/health")]);
    expect(routes.map(({ path }) => path)).toContain("/api/health");
  });
});
