import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SshKey } from "../../domain/kinds/git.ts";
import { Failure, isFailure } from "../../domain/failures.ts";
import { portOf, type Guard, type HostAddress } from "../lib/fetch/guard.ts";
import { temporaryFolder } from "../lib/threads/temporary-folders.ts";
import { repositoryName, sshFailure } from "./failures.ts";
import { splitAdvertisement, toLine } from "./packets.ts";
import { capBytes, speaksTwo, type GitCaps, type GitTransport } from "./protocol.ts";
import { GitExit, startGit } from "./spawning.ts";

/** Options of reading a repository by SSH. */
export interface GitSshOptions {
  readonly guard: Pick<Guard, "resolve">;
  /** An address of SSH (`sshAddress`). */
  readonly repository: URL;
  readonly key: SshKey;
}

/** A connection whose server has sent its first response. */
interface Connection {
  readonly advertisement: Buffer;
  /** What the server sends after it. */
  readonly output: AsyncIterable<Uint8Array>;
  send(body: Uint8Array): void;
  stop(reason: unknown): void;
}

/** Limits of ssh: it needs little of anything. */
const limits = { cpuSeconds: 300, memory: 500_000_000, fileSize: 1_000_000 };

/** How long a connection waits for its request, and a server for the acceptance of a connection, in milliseconds. */
const patience = 10_000;

/** Longest silence of a server without `idleTimeout`, in milliseconds. */
const defaultIdleTimeout = 30_000;

/** How long ssh may take to end once its output ends, in milliseconds. */
const maxEnding = 2000;

/** Maximum number of addresses of a host that are tried. */
const maxAddresses = 3;

/**
 * Creates the transport for one repository by SSH: each request has a connection of the system's ssh, which only knows the given key and
 * host keys, and connects only to an address that the guard has checked.
 */
export function createGitSsh({ guard, repository, key }: GitSshOptions, caps: GitCaps): GitTransport {
  const { signal, maxBytes, idleTimeout = defaultIdleTimeout } = caps;
  const capped = capBytes(repository, maxBytes);
  let discovered: Promise<Buffer> | undefined;
  /** The connection that has been discovered with, until the first request or the end of patience. */
  let waiting: Connection | undefined;

  async function discover(): Promise<Buffer> {
    const connection = await connect(signal);
    waiting = connection;
    setTimeout(() => takeWaiting()?.stop(new Error("There is no request.")), patience).unref();
    return connection.advertisement;
  }

  function takeWaiting(): Connection | undefined {
    const taken = waiting;
    waiting = undefined;
    return taken;
  }

  /** Connects to the first of the host's addresses that is within reach. */
  async function connect(until: AbortSignal): Promise<Connection> {
    const addresses = (await guard.resolve(repository, until)).slice(0, maxAddresses);
    let failure: unknown;
    for (const address of addresses) {
      try {
        return await open(address, until);
      } catch (error) {
        if (!isFailure(error, "source_unreachable")) throw error;
        failure ??= error;
      }
    }
    throw failure;
  }

  async function open({ address }: HostAddress, until: AbortSignal): Promise<Connection> {
    const folder = await temporaryFolder();
    try {
      const files = { key: join(folder, "key"), knownHosts: join(folder, "known_hosts") };
      await writeFile(files.key, withNewline(key.privateKey), { mode: 0o600 });
      await writeFile(files.knownHosts, withNewline(key.knownHosts), { mode: 0o600 });
      const ssh = await startGit(sshArguments(repository, key, files, address), {
        // Nothing of the machine's settings, and no agent.
        env: { PATH: process.env["PATH"] ?? "", HOME: folder, LC_ALL: "C" },
        limits,
        signal: until,
        command: ["ssh"],
        keepsLines: true,
      });
      const chunks = withoutSilence(ssh.stdout, idleTimeout, () => ssh.stop(silent(repository)));
      const end = (): Promise<unknown> =>
        ssh.done().catch((cause: unknown) => {
          throw cause instanceof GitExit ? sshFailure(cause, repository) : cause;
        });
      /** Throws why ssh ended, of which the error is only a consequence; or the error, if ssh has no reason to end. */
      const fail = async (error: unknown): Promise<never> => {
        const timer = setTimeout(() => ssh.stop(error), maxEnding);
        await end().finally(() => clearTimeout(timer));
        throw error;
      };
      const { advertisement, rest } = await splitAdvertisement(chunks).catch(fail);
      return {
        // Over http the name of the service is before the refs.
        advertisement: speaksTwo(advertisement)
          ? advertisement
          : Buffer.concat([Buffer.from(`${toLine("# service=git-upload-pack")}0000`), advertisement]),
        output: outputOf(rest, chunks, end, fail),
        send: (body) => void ssh.stdin.end(body),
        stop: (reason) => ssh.stop(reason),
      };
    } finally {
      // ssh has read them: the server has accepted the key, or ssh has ended.
      await rm(folder, { recursive: true, force: true });
    }
  }

  return {
    discover: () => (discovered ??= discover()),
    async uploadPack(body, _isTwo, cancel) {
      const until = cancel === undefined ? signal : AbortSignal.any([signal, cancel]);
      const connection = takeWaiting() ?? (await connect(until));
      const abort = (): void => connection.stop(until.reason);
      until.throwIfAborted();
      until.addEventListener("abort", abort, { once: true });
      connection.send(body);
      return capped(closing(connection, () => until.removeEventListener("abort", abort)));
    },
    location: () => repository,
  };
}

/** The output of a connection, which is closed when nobody reads it any more. */
async function* closing(connection: Connection, onEnd: () => void): AsyncGenerator<Uint8Array> {
  try {
    yield* connection.output;
  } finally {
    onEnd();
    connection.stop(new Error("Nobody reads any more."));
  }
}

async function* outputOf(
  rest: Buffer,
  chunks: AsyncIterator<Buffer>,
  end: () => Promise<unknown>,
  fail: (error: unknown) => Promise<never>,
): AsyncGenerator<Uint8Array> {
  if (rest.length > 0) yield rest;
  for (;;) {
    const { value, done } = await chunks.next().catch(fail);
    if (done === true) {
      await end();
      return;
    }
    yield value;
  }
}

/** The chunks of a stream, calling `onSilence` if one takes longer than `timeout` milliseconds. */
async function* withoutSilence(
  stream: AsyncIterable<Buffer>,
  timeout: number,
  onSilence: () => void,
): AsyncGenerator<Buffer> {
  let timer = setTimeout(onSilence, timeout);
  try {
    for await (const chunk of stream) {
      clearTimeout(timer);
      yield chunk;
      timer = setTimeout(onSilence, timeout);
    }
  } finally {
    clearTimeout(timer);
  }
}

function silent(repository: URL): Failure {
  return new Failure("source_unreachable", `${repositoryName(repository)} stopped answering. Try again later.`);
}

/** ssh_config(5): `-F none` leaves out all files of settings, so that these are all. */
function sshArguments(
  repository: URL,
  { user }: SshKey,
  files: { readonly key: string; readonly knownHosts: string },
  address: string,
): readonly string[] {
  const { hostname, username, port } = repository;
  const path = decodePath(repository.pathname).replace(/^\/(?=~)/, "");
  const settings = {
    BatchMode: "yes",
    StrictHostKeyChecking: "yes",
    // The known hosts have the name, with the port unless it is 22. ssh connects to the address.
    HostKeyAlias: port === "" ? hostname : `[${hostname.replace(/[[\]]/g, "")}]:${port}`,
    UserKnownHostsFile: quoted(files.knownHosts),
    GlobalKnownHostsFile: "/dev/null",
    UpdateHostKeys: "no",
    VerifyHostKeyDNS: "no",
    IdentityFile: quoted(files.key),
    IdentitiesOnly: "yes",
    IdentityAgent: "none",
    PreferredAuthentications: "publickey",
    ClearAllForwardings: "yes",
    ForwardAgent: "no",
    ForwardX11: "no",
    ControlPath: "none",
    ProxyCommand: "none",
    PermitLocalCommand: "no",
    EscapeChar: "none",
    ConnectionAttempts: "1",
    ConnectTimeout: String(patience / 1000),
    ServerAliveInterval: "15",
    SetEnv: "GIT_PROTOCOL=version=2",
    LogLevel: "ERROR",
  };
  return [
    "-F",
    "none",
    "-T",
    ...Object.entries(settings).flatMap(([name, value]) => ["-o", `${name}=${value}`]),
    "-p",
    portOf(repository),
    "-l",
    user ?? decodeURIComponent(username),
    "--",
    address,
    `git-upload-pack '${path.replace(/['!]/g, String.raw`'\$&'`)}'`,
  ];
}

/** The path on the host. Paths in a home folder begin with a tilde. @throws Failure validation_error */
function decodePath(pathname: string): string {
  try {
    const path = decodeURIComponent(pathname);
    if (!/\p{Cc}/u.test(path)) return path;
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
  }
  throw new Failure("validation_error", "The address has a path that is not valid percent-encoding. Check it.");
}

/** A path as a value of ssh's settings. */
function quoted(path: string): string {
  return `"${path.replaceAll("%", "%%")}"`;
}

/** ssh refuses a key without a newline at its end, and with those of Windows. */
function withNewline(text: string): string {
  return `${text.replaceAll("\r\n", "\n").trim()}\n`;
}
