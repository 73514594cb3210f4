import { Failure } from "../../domain/failures.ts";
import type { FetchClient, FetchResponse } from "../lib/fetch/client.ts";
import { notARepository, repositoryName, statusFailure } from "./failures.ts";
import { inPieces, PacketError, readLines, toLine, readPackets, ServerError } from "./packets.ts";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

/** Git's smart HTTP over the guarded client, for one repository. */
interface GitHttp {
  /**
   * What `info/refs` answers: what the server speaks, and before protocol 2 its refs. Asked once, in this version of the
   * protocol or, where it is 2, an earlier one that the server knows. @throws Failure
   */
  discover(version?: 1 | 2): Promise<Buffer>;
  /**
   * Asks `git-upload-pack`; the answer comes as it is read. `headers` are those of Git's that go along; `gone` gives this
   * request up.
   * @throws Failure where the status is not 200
   */
  uploadPack(body: Uint8Array, headers: GitHeaders, gone?: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  /** The repository's address after redirects, known once something was asked. */
  location(): URL;
}

/** The headers by which a Git client says what it speaks and how its request is compressed. */
type GitHeaders = Readonly<Partial<Record<"git-protocol" | "content-encoding", string>>>;

/** What asking a repository needs. */
export interface GitHttpOptions {
  readonly client: FetchClient;
  /** Address without a slash at its end. */
  readonly repository: URL;
  /** Value of the authorization header; null where there is no token. */
  readonly authorization: string | null;
  readonly signal: AbortSignal;
  /** Cap on all answers together, in bytes. */
  readonly maxBytes: number;
  /** Longest silence of the server, in milliseconds, where it may be longer than the client's. */
  readonly idleTimeout?: number;
  /** Redirects of `info/refs` that are followed; the client's default, if not told otherwise. */
  readonly maxRedirects?: number;
}

const discovery = "/info/refs";
/** A server that does not know protocol 2 passes over this (gitprotocol-v2). */
const protocolTwo = { "git-protocol": "version=2" };
const contentTypes = {
  "content-type": "application/x-git-upload-pack-request",
  accept: "application/x-git-upload-pack-result",
};

/**
 * Makes the transport for one repository. Where `info/refs` was redirected to, the other requests go too. Statuses other
 * than 200 are thrown as the failures they mean.
 */
export function createGitHttp(options: GitHttpOptions): GitHttp {
  const { client, repository, authorization, signal, maxBytes, idleTimeout, maxRedirects } = options;
  const timeouts = idleTimeout === undefined ? {} : { idleTimeout };
  let base = repository;
  let received = 0;
  let discovered: Promise<Buffer> | undefined;

  function credentials(): Record<string, string> {
    return authorization !== null && base.origin === repository.origin ? { authorization } : {};
  }

  function expectOk(response: FetchResponse): FetchResponse {
    if (response.status === 200) return response;
    response.discard();
    throw statusFailure(response.status, repository, authorization !== null);
  }

  async function* counted(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const bytes of body) {
      received += bytes.length;
      if (received > maxBytes)
        throw new Failure(
          "library_too_large",
          `${repositoryName(repository)} sent more than the ${maxBytes} bytes that are read of a repository at most.`,
        );
      yield bytes;
    }
  }

  async function discover(version: 1 | 2): Promise<Buffer> {
    const url = new URL(repository);
    url.pathname += discovery;
    url.search = "?service=git-upload-pack";
    const headers = { ...(version === 2 && protocolTwo), ...credentials() };
    const redirects = maxRedirects === undefined ? {} : { maxRedirects };
    const response = expectOk(await client.request(url, { headers, signal, maxBytes, ...timeouts, ...redirects }));
    const bytes = Buffer.concat(await Array.fromAsync(counted(response.body)));
    if (bytes.includes("object-format=sha256"))
      throw new Failure(
        "source_invalid",
        `${repositoryName(repository)} names its objects by SHA-256, and only SHA-1 is supported.`,
      );
    const final = new URL(response.url);
    if (!final.pathname.endsWith(discovery)) throw notARepository(repository, "it redirects to another kind of page");
    final.pathname = final.pathname.slice(0, -discovery.length);
    final.search = "";
    base = final;
    return bytes;
  }

  return {
    discover: (version = 2) => (discovered ??= discover(version)),
    async uploadPack(body, git, gone) {
      const url = new URL(base);
      url.pathname += "/git-upload-pack";
      const headers = { ...contentTypes, ...git, ...credentials() };
      const until = gone === undefined ? signal : AbortSignal.any([signal, gone]);
      const caps = { signal: until, maxBytes, ...timeouts, maxRedirects: 0 };
      return counted(expectOk(await client.request(url, { method: "POST", headers, body, ...caps })).body);
    },
    location: () => base,
  };
}

/** A ref as a server names it. */
export interface ServerRef {
  /** Its whole name, `HEAD` or one that begins with `refs/`. */
  readonly ref: string;
  readonly oid: string;
  /** What HEAD stands for. */
  readonly target?: string;
  /** What an annotated tag stands for. */
  readonly peeled?: string;
}

/**
 * The refs of a repository whose names begin with one of the prefixes, HEAD among them where it is asked for, as they come: in
 * batches of a thousand or so. Over protocol 2 the server is asked once for all; one that knows protocol 1 only has told them all
 * by then.
 * @throws Failure; PacketError where the server does not speak Git's protocol
 */
export async function* listRefs(http: GitHttp, prefixes: readonly string[]): AsyncGenerator<readonly ServerRef[]> {
  const discovered = await http.discover();
  if (!speaksTwo(discovered)) {
    for await (const refs of toOldRefs(readLines(inPieces(discovered))))
      yield refs.filter(({ ref }) => prefixes.some((prefix) => ref.startsWith(prefix)));
    return;
  }
  const asked = ["peel", "symrefs", ...prefixes.map((prefix) => `ref-prefix ${prefix}`)];
  const request = `${toLine("command=ls-refs")}0001${asked.map(toLine).join("")}0000`;
  for await (const lines of readLines(await http.uploadPack(Buffer.from(request), protocolTwo))) yield lines.map(toRef);
}

/** True where a server answers in protocol 2: it says so first, some after the name of the service. */
function speaksTwo(discovered: Buffer): boolean {
  const start = discovered.toString("latin1", 0, 100);
  return /^(?:[\da-f]{4}# service=git-upload-pack\n?(?:0000)?)?[\da-f]{4}version 2(?:\n|$|[\da-f]{4})/i.test(start);
}

/** `<oid> <name>[ symref-target:<name>][ peeled:<oid>]` */
function toRef(line: string): ServerRef {
  const [oid = "", ref = "", ...attributes] = line.split(" ");
  if (ref === "") throw new PacketError("A line of refs has no name.");
  const valueOf = (name: string): string | undefined =>
    attributes.find((attribute) => attribute.startsWith(`${name}:`))?.slice(name.length + 1);
  const [target, peeled] = [valueOf("symref-target"), valueOf("peeled")];
  return { ref, oid, ...(target !== undefined && { target }), ...(peeled !== undefined && { peeled }) };
}

/**
 * Refs as they were told before protocol 2 (gitprotocol-pack): `<oid> <name>`, the first with capabilities behind a zero byte,
 * and behind an annotated tag what it stands for as `<oid> <name>^{}`.
 */
async function* toOldRefs(batches: AsyncIterable<readonly string[]>): AsyncGenerator<readonly ServerRef[]> {
  let first = true;
  let target: string | undefined;
  /** The next line may say what this ref stands for. */
  let last: ServerRef | undefined;
  for await (const lines of batches) {
    const refs: ServerRef[] = [];
    for (const line of lines) {
      if (first && line !== "# service=git-upload-pack") throw new PacketError("The answer names no service.");
      if (first || line === "version 1" || line.startsWith("shallow ")) {
        first = false;
        continue;
      }
      const [, oid = "", ref = ""] = /^([\da-f]{40}) ([^\0]+)/.exec(line) ?? [];
      if (ref === "") throw new PacketError("A line of refs has no name.");
      target ??= /\0[^\0\n]*\bsymref=HEAD:(\S+)/.exec(line)?.[1];
      if (last !== undefined && ref === `${last.ref}^{}`) {
        last = { ...last, peeled: oid };
        continue;
      }
      if (last !== undefined) refs.push(last);
      last = { ref, oid, ...(ref === "HEAD" && target !== undefined && { target }) };
    }
    yield refs;
  }
  if (first) throw new PacketError("The answer names no service.");
  if (last !== undefined) yield [last];
}

/** Objects that are asked of a server. */
interface PackRequest {
  readonly oids: readonly string[];
  /** The objects are commits, of which no ancestors are wanted. */
  readonly isTip: boolean;
  /** Leave out blobs that are not asked for by their IDs, where the server can. */
  readonly withoutBlobs: boolean;
}

/** A pack that is on its way. */
interface ComingPack {
  /** Whether the server leaves blobs out. */
  readonly leavesOut: boolean;
  /** The pack, to be read once. @throws Failure; PacketError; ServerError */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** Requests larger than this, in bytes, are compressed, as git's own are. */
const maxPlainRequest = 1024;

/**
 * Asks a server for objects as `git fetch` would that has none yet, in protocol 2 or, where the server knows no other, in the one
 * before it (gitprotocol-v2, gitprotocol-pack). `gone` gives the request up.
 * @throws Failure where the server is out of reach or refuses
 */
export async function requestPack(http: GitHttp, request: PackRequest, gone: AbortSignal): Promise<ComingPack> {
  const discovered = await http.discover();
  const isTwo = speaksTwo(discovered);
  const capabilities = capabilitiesOf(discovered, isTwo);
  const leavesOut = request.withoutBlobs && capabilities.includes("filter");
  const shape = [...(request.isTip ? ["deepen 1"] : []), ...(leavesOut ? ["filter blob:none"] : [])];
  const lines = isTwo ? linesOfTwo(request.oids, shape) : linesOfOne(request.oids, shape, capabilities);
  const body = Buffer.from(lines.join(""));
  const headers: GitHeaders = isTwo ? protocolTwo : {};
  const answer =
    body.length > maxPlainRequest
      ? await http.uploadPack(await promisify(gzip)(body), { ...headers, "content-encoding": "gzip" }, gone)
      : await http.uploadPack(body, headers, gone);
  return { leavesOut, bytes: packOf(answer) };
}

/** Mark between the parts of a request, and mark at the end of one. */
const [delimiter, flush] = ["0001", "0000"];

function linesOfTwo(oids: readonly string[], shape: readonly string[]): readonly string[] {
  const args = ["ofs-delta", "no-progress", ...oids.map((oid) => `want ${oid}`), ...shape, "done"];
  return [toLine("command=fetch"), delimiter, ...args.map(toLine), flush];
}

/** The first want says what of the server's capabilities is used. */
function linesOfOne(oids: readonly string[], shape: readonly string[], known: readonly string[]): readonly string[] {
  const used = ["side-band-64k", "ofs-delta", "no-progress", "filter"].filter((name) => known.includes(name));
  const wants = oids.map((oid, at) => `want ${[oid, ...(at === 0 ? used : [])].join(" ")}`);
  return [...[...wants, ...shape].map(toLine), flush, toLine("done")];
}

/** What a server can do: in protocol 2 the features of the command `fetch`, before it the capabilities after the first ref. */
function capabilitiesOf(discovered: Buffer, isTwo: boolean): readonly string[] {
  const start = discovered.toString("latin1", 0, maxCapabilities);
  return ((isTwo ? /fetch=([^\n]*)/ : /\0([^\n]*)/).exec(start)?.[1] ?? "").split(" ");
}

/** Capabilities are within the first two packets. In bytes. */
const maxCapabilities = 131_072;

/** The pack in an answer: band 1 of what is multiplexed in it. Band 2 is progress, band 3 an error; lines of text come before. */
async function* packOf(answer: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let hasPack = false;
  for await (const packets of readPackets(answer)) {
    for (const packet of packets) {
      if (packet[0] === 1) {
        hasPack = true;
        yield packet.subarray(1);
      } else if (packet[0] === 3) throw new ServerError(packet.toString("utf8", 1).trim());
      else if (packet.toString("latin1", 0, 4) === "ERR ") throw new ServerError(packet.toString("utf8", 4).trim());
    }
  }
  if (!hasPack) throw new PacketError("The answer has no pack.");
}
