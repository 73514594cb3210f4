import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, realpathSync } from "node:fs";
import { cp, mkdir, readFile, rename, rm, symlink } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { stagesOf, wordsOf, type Instruction, type Stage } from "./dockerfile.ts";
import { findProgram } from "./program.ts";

const run = promisify(execFile);
const project = join(import.meta.dirname, "..", "..");
const cache = join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "lectern-image");

/** A built stage of the Dockerfile: a folder with a whole system, and the settings of its containers. */
export interface Image {
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  readonly user: string;
  readonly workdir: string;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly healthcheck: readonly string[];
  /** Writable folders of a read-only container. */
  readonly volumes: readonly string[];
}

/** Whether images can be built here: as root of a Debian with mmdebstrap and namespaces. */
export async function canBuildImages(): Promise<boolean> {
  const programs = ["mmdebstrap", "unshare", "nsenter", "chroot", "npm"];
  if (process.getuid?.() !== 0 || programs.some((name) => findProgram(name) === undefined)) return false;
  return run("unshare", ["--mount", "--pid", "--fork", "true"]).then(
    () => true,
    () => false,
  );
}

/** Finished and pending stages by name. */
type Stages = Map<string, Promise<Image>>;

/**
 * Builds the stages of the Dockerfile in a folder, as a container engine does: each from a minimal Debian of the release that its base image
 * names, with Node of that version. Returns a function for the image of a stage. The base and the downloads of npm and apt are kept in the
 * user's cache folder.
 */
export async function buildImages(folder: string): Promise<(stage: string) => Image> {
  const stages = stagesOf(await readFile(join(project, "Dockerfile"), "utf8"));
  const outside = new Set(stages.map(({ from }) => from).filter((from) => stages.every(({ name }) => name !== from)));
  const building: Stages = new Map([...outside].map((name) => [name, baseImage(name)]));
  for (const stage of stages) building.set(stage.name, buildStage(stage, folder, building));
  await Promise.allSettled(building.values());
  const built = new Map(await Promise.all([...building].map(async ([name, image]) => [name, await image] as const)));
  return (stage) => {
    const image = built.get(stage);
    if (image === undefined) throw new Error(`The Dockerfile has no stage ${stage}.`);
    return image;
  };
}

/** `node:24.21.0-bookworm-slim`: a minimal Debian, with Node, npm and the user `node`. */
async function baseImage(name: string): Promise<Image> {
  const [, version, release] = /^node:([\d.]+)-(\w+)-slim$/.exec(name) ?? [];
  if (version === undefined || release === undefined) throw new Error(`There is no base for the image ${name} here.`);
  const root = join(cache, release);
  if (!existsSync(root)) {
    await rm(`${root}.new`, { recursive: true, force: true });
    await mkdir(cache, { recursive: true });
    // As in Debian's slim images.
    const without = ["doc", "info", "man"].map((kind) => `--dpkgopt=path-exclude=/usr/share/${kind}/*`);
    const options = ["--quiet", "--variant=minbase", "--dpkgopt=force-unsafe-io", ...without];
    await run("mmdebstrap", [...options, release, `${root}.new`]);
    await run("chroot", [`${root}.new`, "useradd", "--uid=1000", "--user-group", "--create-home", "node"]);
    await rename(`${root}.new`, root);
  }
  const node = realpathSync(process.execPath);
  const { stdout } = await run(node, ["--version"]);
  if (stdout.trim() !== `v${version}`) throw new Error(`The image has Node ${version}, and this is ${stdout.trim()}.`);
  const npm = dirname(dirname(realpathSync(findProgram("npm") ?? "")));
  const local = join(root, "usr", "local");
  await cp(node, join(local, "bin", "node"));
  await cp(npm, join(local, "lib", "node_modules", "npm"), { recursive: true });
  for (const program of ["npm", "npx"]) {
    await rm(join(local, "bin", program), { force: true });
    await symlink(`../lib/node_modules/npm/bin/${program}-cli.js`, join(local, "bin", program));
  }
  return {
    root,
    env: { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" },
    user: "root",
    workdir: "/",
    entrypoint: [],
    command: [],
    healthcheck: [],
    volumes: [],
  };
}

async function buildStage({ name, from, instructions }: Stage, folder: string, building: Stages): Promise<Image> {
  const base = await stageOf(building, from);
  const root = join(folder, name);
  await run("cp", ["--archive", base.root, root]);
  let image: Image = { ...base, root };
  for (const instruction of instructions) image = await applied(instruction, image, building);
  return image;
}

async function stageOf(building: Stages, name: string): Promise<Image> {
  const image = await building.get(name);
  if (image === undefined) throw new Error(`The Dockerfile names a stage that is not defined before: ${name}`);
  return image;
}

/** The image after an instruction. @throws Error for an unknown instruction, or one that fails */
async function applied(instruction: Instruction, image: Image, building: Stages): Promise<Image> {
  const { name, rest } = instruction;
  switch (name) {
    case "RUN":
      await runIn(image, ["/bin/sh", "-c", rest]);
      return image;
    case "COPY":
      await copy(rest, image, building);
      return image;
    case "WORKDIR":
      await mkdir(join(image.root, rest), { recursive: true });
      return { ...image, workdir: rest };
    case "ENV":
      return { ...image, env: { ...image.env, ...Object.fromEntries(rest.split(" ").map((pair) => pairOf(pair))) } };
    case "USER":
      return { ...image, user: rest };
    case "VOLUME":
      return { ...image, volumes: [...image.volumes, rest] };
    case "ENTRYPOINT":
      return { ...image, entrypoint: wordsOf(instruction) };
    case "CMD":
      return { ...image, command: wordsOf(instruction) };
    case "HEALTHCHECK":
      return { ...image, healthcheck: wordsOf(instruction) };
    case "EXPOSE":
      return image;
    default:
      throw new Error(`The Dockerfile has an instruction that tools/dev/image.ts does not know: ${name}`);
  }
}

function pairOf(pair: string): readonly [string, string] {
  const equals = pair.indexOf("=");
  return [pair.slice(0, equals), pair.slice(equals + 1)];
}

/** Copies files under their names, and the content of folders; root owns all of it. */
async function copy(rest: string, image: Image, building: Stages): Promise<void> {
  const words = rest.split(" ");
  const stage = /^--from=(.+)$/.exec(words[0] ?? "")?.[1];
  const paths = stage === undefined ? words : words.slice(1);
  const source = stage === undefined ? project : (await stageOf(building, stage)).root;
  const target = paths.at(-1) ?? "";
  const to = join(image.root, image.workdir, target);
  for (const path of paths.slice(0, -1)) {
    const into = target.endsWith("/") ? join(to, path) : to;
    await mkdir(dirname(into), { recursive: true });
    await run("cp", ["--recursive", "--preserve=mode,links", "--no-target-directory", join(source, path), into]);
  }
}

/** Script for the namespaces of a command: its own files, processes and mounts, and the network of this machine. */
const enter = `
root=$1; shift
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
`;

/** Runs a step of the build. npm and apt have the downloads of earlier builds and this machine's certificates. */
async function runIn(image: Image, words: readonly string[]): Promise<void> {
  const kept: readonly (readonly [string, string])[] = [
    [join(homedir(), ".npm"), "/root/.npm"],
    [join(cache, "apt"), "/var/cache/apt/archives"],
  ];
  const certificates = process.env["NODE_EXTRA_CA_CERTS"];
  const mounted = [...kept, ["/etc/resolv.conf", "/etc/resolv.conf"] as const];
  if (certificates !== undefined) mounted.push([certificates, "/run/build-certificates.pem"]);
  for (const [outside, inside] of kept) {
    await mkdir(outside, { recursive: true });
    await mkdir(join(image.root, inside), { recursive: true });
  }
  for (const [outside, inside] of mounted.slice(kept.length))
    if (!existsSync(join(image.root, inside))) await cp(outside, join(image.root, inside));
  await mkdir(join(cache, "apt", "partial"), { recursive: true });
  const mounts = mounted.map(([outside, inside]) => `mount --bind '${outside}' "$root${inside}"`).join("\n");
  const env = {
    DEBIAN_FRONTEND: "noninteractive",
    npm_config_prefer_offline: "true",
    ...(certificates !== undefined && { NODE_EXTRA_CA_CERTS: "/run/build-certificates.pem" }),
  };
  const child = spawn("unshare", unshareArguments(image, words, { mounts, env }), {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = collectOutput(child);
  const [code] = (await once(child, "close")) as [number | null];
  await rm(join(image.root, "run", "build-certificates.pem"), { force: true });
  if (code !== 0) throw new Error(`The step ended with ${code}: ${words.join(" ")}\n${output().slice(-4000)}`);
}

/** A running container. */
export interface Container {
  /** Its output so far, of both streams. */
  output(): string;
  /** Resolves at its end with its exit code. */
  readonly ended: Promise<number | null>;
  /** Runs a command in it, as `docker exec` does. Returns its output. @throws Error if it fails */
  exec(words: readonly string[]): Promise<string>;
  /** Stops it, as `docker stop` does. Returns its exit code. */
  stop(): Promise<number | null>;
}

/**
 * Runs a container as docs/getting-started.md does: only its volumes and /tmp are writable, and it has no capabilities and cannot gain any.
 * It shares the network of this machine, so `env` gives it its own port.
 */
export function startContainer(
  image: Image,
  env: Readonly<Record<string, string>>,
  command: readonly string[] = image.command,
): Container {
  const volumes = image.volumes.map((path) => `mount --bind "$root${path}" "$root${path}"`);
  const mounts = ['mount -t tmpfs tmpfs "$root/tmp"', ...volumes, 'mount -o remount,bind,ro "$root"'].join("\n");
  const words = [...image.entrypoint, ...command];
  const child = spawn("unshare", unshareArguments(image, words, { mounts, env }), {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = collectOutput(child);
  const ended = once(child, "close").then(([code]) => code as number | null);
  const first = async (): Promise<string> =>
    (await readFile(`/proc/${child.pid}/task/${child.pid}/children`, "utf8")).trim();
  return {
    output,
    ended,
    async exec(given) {
      const inside = ["--all", "--root", "--wd", "--target", await first(), "--"];
      const { stdout } = await run("nsenter", [...inside, "env", "-i", ...pairs({ ...image.env, ...env }), ...given]);
      return stdout;
    },
    async stop() {
      process.kill(Number(await first()), "SIGTERM");
      return ended;
    },
  };
}

interface ContainerOptions {
  /** Further mount commands, in a shell script. */
  readonly mounts: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Arguments of `unshare` for a command of an image. */
function unshareArguments(
  image: Image,
  words: readonly string[],
  { mounts, env }: ContainerOptions,
): readonly string[] {
  const { user } = image;
  const drop = ["--init-groups", "--inh-caps=-all", "--bounding-set=-all", "--no-new-privs"];
  const rights = user === "root" ? [] : ["setpriv", `--reuid=${user}`, `--regid=${user}`, ...drop];
  const home = user === "root" ? "/root" : `/home/${user}`;
  const settings = pairs({ HOME: home, ...image.env, ...env });
  const script = `set -eu${enter}${mounts}\nexec chroot "$root" "$@"`;
  return [
    "--mount",
    "--pid",
    "--fork",
    "--kill-child=SIGKILL",
    "sh",
    "-c",
    script,
    "sh",
    image.root,
    ...rights,
    "env",
    "-i",
    `--chdir=${image.workdir}`,
    ...settings,
    ...words,
  ];
}

function pairs(env: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(env).map(([name, value]) => `${name}=${value}`);
}

function collectOutput(child: ChildProcess): () => string {
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (more: string) => (text += more));
  return () => text;
}
