import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { routes } from "../api/app.ts";
import { commands } from "../cli/commands.ts";
import { settings } from "../cli/config.ts";
import { stagesOf } from "../tools/dev/dockerfile.ts";
import { optionsOf } from "./support/command-options.ts";
import { textOf } from "./support/documents.ts";

const root = join(import.meta.dirname, "..");

describe("the Dockerfile", () => {
  const stages = new Map(stagesOf(textOf("Dockerfile")).map((stage) => [stage.name, stage]));
  const argumentsOf = (instruction: string): readonly string[] =>
    [...stages.values()]
      .flatMap(({ instructions }) => instructions)
      .filter(({ name }) => name === instruction)
      .map(({ rest }) => rest);

  it("is based on one exact, supported version of Node", () => {
    const images = [...stages.values()].map(({ from }) => from);
    const outside = new Set(images.filter((image) => !stages.has(image)));
    expect([...outside]).toEqual([expect.stringMatching(/^node:24\.(?:1[5-9]|[2-9]\d)\.\d+-bookworm-slim$/)]);
  });

  it("has the stages that the cluster uses, and those they need", () => {
    const { services } = parse(textOf("compose.cluster.yaml"), { merge: true }) as {
      services: Record<string, { readonly image: string; readonly build?: { readonly target?: string } }>;
    };
    const own = Object.values(services).filter(({ image }) => image.startsWith("lectern"));
    const targets = own.map(({ build }) => build?.target);
    expect(new Set(targets)).toEqual(new Set(["lectern", "browser"]));
    expect([...stages.keys()]).toEqual(["dependencies", "lectern", "browser"]);
  });

  it("copies existing paths, exactly those of .dockerignore, and every folder of the program", () => {
    const copied = argumentsOf("COPY")
      .filter((copy) => !copy.startsWith("--from"))
      .flatMap((copy) => copy.split(" ").slice(0, -1));
    for (const path of copied) expect(existsSync(join(root, path)), path).toBe(true);
    const allowed = [...textOf(".dockerignore").matchAll(/^!(.+)$/gm)].map(([, path = ""]) => path);
    expect(new Set(allowed)).toEqual(new Set(copied));
    const folders = readdirSync(root, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "node_modules")
      .filter(({ name }) =>
        readdirSync(join(root, name), { recursive: true }).some((file) => String(file).endsWith(".ts")),
      )
      .map(({ name }) => name);
    expect(folders.filter((name) => !copied.includes(name)).toSorted()).toEqual(["test", "tools"]);
  });

  it("installs git and ssh for Git sources", () => {
    const installing = stages
      .get("lectern")
      ?.instructions.filter(({ rest }) => /apt-get install .*\bgit openssh-client\b/.test(rest));
    expect(installing).toHaveLength(1);
  });

  it("ends every image with a non-root user, and starts the program with tini", () => {
    for (const [name, { instructions }] of stages) {
      if (name === "dependencies") continue;
      expect(instructions.findLast((one) => one.name === "USER")?.rest, name).toBe("node");
      const first = instructions.findIndex((one) => one.name === "RUN" && one.rest.startsWith("node "));
      if (first >= 0) expect(instructions.slice(0, first)).toContainEqual({ name: "USER", rest: "node" });
    }
    expect(argumentsOf("ENTRYPOINT")).toEqual(['["tini", "--", "node", "/app/cli/lectern.mjs"]']);
  });

  it("runs existing commands, exposes the program's port, and has a health check", () => {
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
