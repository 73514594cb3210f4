import { execFile, spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, connect, type AddressInfo } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { createGitRepository, type FileContent, type GitRepository } from "./git-repository.ts";

const run = promisify(execFile);
const sshd = ["/usr/sbin/sshd", "/usr/local/sbin/sshd"].find((path) => existsSync(path));

/** Why there is no SSH server here; undefined: there is one. */
export const noSshServer: string | undefined =
  sshd === undefined ? "OpenSSH's server is not installed (apt-get install openssh-server)" : undefined;

/** OpenSSH's own server on loopback, which lets one key in. */
export interface SshServer {
  readonly port: number;
  /** The account of the test. */
  readonly user: string;
  /** A private key that may enter, and one that may not. */
  readonly key: string;
  readonly otherKey: string;
  /** The line of known_hosts for a name. */
  knownHosts(name: string): string;
  /** Creates a repository, and returns it with its path on the server. */
  repository(
    name: string,
    files: Readonly<Record<string, FileContent>>,
  ): Promise<GitRepository & { readonly path: string }>;
  close(): Promise<void>;
}

/** Starts a server; without `protocolTwo` it does not take the version of Git's protocol, as many do. */
export async function startSshServer({ protocolTwo = true } = {}): Promise<SshServer> {
  if (sshd === undefined) throw new Error(noSshServer);
  const folder = await mkdtemp(join(tmpdir(), "lectern-sshd-"));
  const keyFile = async (name: string): Promise<string> => {
    await run("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "", "-f", join(folder, name)]);
    return readFile(join(folder, name), "utf8");
  };
  await keyFile("host");
  const [key, otherKey] = [await keyFile("user"), await keyFile("other")];
  const port = await freePort();
  await writeFile(join(folder, "authorized_keys"), await readFile(join(folder, "user.pub"), "utf8"));
  await chmod(join(folder, "authorized_keys"), 0o600);
  const settings = [
    `Port ${port}`,
    "ListenAddress 127.0.0.1",
    `HostKey ${join(folder, "host")}`,
    `AuthorizedKeysFile ${join(folder, "authorized_keys")}`,
    "StrictModes no",
    "UsePAM no",
    "PidFile none",
    "PermitRootLogin prohibit-password",
    "MaxStartups 100",
    ...(protocolTwo ? ["AcceptEnv GIT_PROTOCOL"] : []),
  ];
  await writeFile(join(folder, "config"), `${settings.join("\n")}\n`);
  // As root it wants the folder that the package's service makes.
  if (process.getuid?.() === 0) await mkdir("/run/sshd", { recursive: true });
  const server = spawn(sshd, ["-D", "-e", "-f", join(folder, "config")], { stdio: ["ignore", "ignore", "pipe"] });
  await listening(server, port);
  const hostKey = (await readFile(join(folder, "host.pub"), "utf8")).trim();
  return {
    port,
    user: userInfo().username,
    key,
    otherKey,
    knownHosts: (name) => `[${name}]:${port} ${hostKey}\n`,
    async repository(name, files) {
      const path = join(folder, name);
      return { ...(await createGitRepository(path, files)), path };
    },
    async close() {
      server.kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function listening(server: ChildProcess, port: number): Promise<void> {
  let printed = "";
  server.stderr?.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  for (let attempt = 0; attempt < 200; attempt += 1) {
    if (server.exitCode !== null) throw new Error(`sshd ended: ${printed}`);
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => {
        socket.destroy();
        resolve(true);
      }).on("error", () => resolve(false));
    });
    if (isOpen) return;
    await wait(50);
  }
  throw new Error(`sshd does not listen: ${printed}`);
}
