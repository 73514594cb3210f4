import { execFileSync } from "node:child_process";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { stagesOf } from "../tools/dev/dockerfile.ts";
import { textOf } from "./support/documents.ts";
import { folderOfTest } from "./support/of-test.ts";

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly if?: string;
  readonly with?: Readonly<Record<string, string>>;
}

interface Workflow {
  readonly on: object;
  readonly permissions: object;
  readonly jobs: Readonly<Record<string, { readonly permissions: object; readonly steps: readonly Step[] }>>;
}

const path = ".github/workflows/release.yml";
const { on, permissions, jobs } = parse(textOf(path)) as Workflow;
const { scripts, version } = JSON.parse(textOf("package.json")) as {
  readonly scripts: Readonly<Record<string, string>>;
  readonly version: string;
};
const steps = Object.values(jobs).flatMap((job) => job.steps);
const commands = steps.flatMap(({ run = "" }) => (run === "" ? [] : [run]));

/** What a script starts of `docker`, `gh` and `npm`, a command a line. */
async function started(script: string): Promise<readonly string[]> {
  const folder = await folderOfTest();
  await mkdir(join(folder, "bin"));
  await mkdir(join(folder, "dist"));
  for (const program of ["docker", "gh", "npm"]) {
    const file = join(folder, "bin", program);
    await writeFile(
      file,
      `#!/bin/sh\necho "${program} $*" >> "${folder}/log"\nif [ "$1" = login ]; then cat > /dev/null; fi\n`,
    );
    await chmod(file, 0o755);
  }
  const own = { GITHUB_REPOSITORY: "Acme/Lectern", GITHUB_REF_NAME: `v${version}`, GITHUB_ACTOR: "ann", ARCH: "arm64" };
  const env = { ...own, TOKEN: "t", NPM_PACKAGE: "@acme/lectern", PATH: `${folder}/bin:${process.env["PATH"] ?? ""}` };
  execFileSync("bash", ["-euo", "pipefail", "-c", script], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  return (await readFile(join(folder, "log"), "utf8")).trim().split("\n");
}

const scriptWith = (part: string): string => commands.find((command) => command.includes(part)) ?? "";

describe("the workflow of a release", () => {
  it("runs for tags of versions, with the rights that each job needs", () => {
    expect({ on, permissions }).toEqual({ on: { push: { tags: ["v*.*.*"] } }, permissions: {} });
    const rights = Object.entries(jobs).map(([name, job]) => [name, job.permissions]);
    expect(Object.fromEntries(rights)).toEqual({
      test: { contents: "read" },
      image: { contents: "read", packages: "write" },
      images: { packages: "write" },
      package: { contents: "write", "id-token": "write" },
    });
  });

  it("pins actions to a commit, with its version beside it, and Node to that of the image", () => {
    const used = [...textOf(path).matchAll(/uses: (.*)/g)].map(([, action]) => action);
    expect(used.length).toBe(steps.filter(({ uses }) => uses).length);
    for (const action of used) expect(action).toMatch(/^actions\/[\w-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/);
    const nodes = steps.flatMap((step) => step.with?.["node-version"] ?? []);
    for (const node of nodes) expect(textOf("Dockerfile")).toContain(`node:${node}-`);
  });

  it("runs scripts of package.json, and puts nothing from outside into a script", () => {
    const named = commands.flatMap((command) => [...command.matchAll(/npm run (?:--silent )?(\w+)/g)]);
    expect(named.length).toBeGreaterThan(3);
    for (const [, name = ""] of named) expect(Object.keys(scripts)).toContain(name);
    for (const command of commands) expect(command).not.toContain("${{");
  });

  it("builds each image of the Dockerfile for two architectures, and joins them", async () => {
    const built = await started(scriptWith("buildx build"));
    const targets = stagesOf(textOf("Dockerfile"))
      .map(({ name }) => name)
      .slice(1);
    for (const target of targets) {
      const tag = `ghcr.io/acme/lectern:${version}-${target}-arm64`;
      const attested = "--provenance=mode=max --sbom=true --platform linux/arm64";
      expect(built).toContain(`docker buildx build --push ${attested} --target ${target} --tag ${tag} .`);
    }
    const joined = await started(scriptWith("imagetools"));
    for (const arch of ["amd64", "arm64"]) expect(joined[1]).toContain(`:${version}-lectern-${arch}`);
  });

  it("publishes a package under a scoped name only", async () => {
    const publishing = steps.filter(({ run = "" }) => run.includes("npm publish"));
    expect(publishing.map((step) => step.if)).toEqual(["startsWith(vars.NPM_PACKAGE, '@')"]);
    expect(await started(scriptWith("npm publish"))).toEqual([
      "npm run pack -- scoped @acme/lectern",
      "npm publish ./scoped/*.tgz --access public",
    ]);
    expect(await started(scriptWith("gh release"))).toEqual([expect.stringContaining(`gh release create v${version}`)]);
  });
});
