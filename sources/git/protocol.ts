import { Failure } from "../../domain/failures.ts";
import type { FetchClient, FetchResponse } from "../lib/fetch/client.ts";
import { notARepository, repositoryName, statusFailure } from "./failures.ts";
import { splitIntoPieces, PacketError, readLines, toLine, readPackets, ServerError } from "./packets.ts";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

/** Git's protocol for one repository, over the guarded client or SSH. */
export interface GitTransport {
  /** The first response, in the form of `info/refs`: capabilities, and below protocol 2 the refs. Requested once. @throws Failure */
  discover(): Promise<Buffer>;
  /** Sends a request in protocol 2, or the one before, to `git-upload-pack` and streams the response. @throws Failure */
  uploadPack(body: Uint8Array, isTwo: boolean, cancel?: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  /** The repository's address after redirects, known after the first request. */
  location(): URL;
}

/** Limits of a connection to a repository. */
export interface GitCaps {
  readonly signal: AbortSignal;
  /** Cap on all responses together, in bytes. */
  readonly maxBytes: number;
  /** Longest silence of the server, in milliseconds; the client's by default. */
  readonly idleTimeout?: number;
  /** Maximum number of redirects of `info/refs`; the client's by default. */
  readonly maxRedirects?: number;
}

/** Opens a repository. */
export type ConnectGit = (caps: GitCaps) => GitTransport;

/** Options of requests to one repository. */
export interface GitHttpOptions {
  readonly client: FetchClient;
  /** Address without a slash at its end. */
  readonly repository: URL;
  /** The value of the authorization header, which may be another one for a later request; null where there is no token. */
  readonly authorization: ((signal: AbortSignal) => Promise<string>) | null;
}

const discovery = "/info/refs";
/** Ignored by servers that do not know protocol 2 (gitprotocol-v2). */
const protocolTwo = { "git-protocol": "version=2" };
const contentTypes = {
  "content-type": "application/x-git-upload-pack-request",
  accept: "application/x-git-upload-pack-result",
};

/**
 * Creates the transport for one repository. Requests follow the redirect of `info/refs`. A status other than 200 is thrown as its failure.
 */
export function createGitHttp({ client, repository, authorization }: GitHttpOptions, caps: GitCaps): GitTransport {
  const { signal, maxBytes, idleTimeout, maxRedirects } = caps;
  const timeouts = idleTimeout === undefined ? {} : { idleTimeout };
  let base = repository;
  const capped = capBytes(repository, maxBytes);
  let discovered: Promise<Buffer> | undefined;

  async function credentials(): Promise<Record<string, string>> {
    const isOwn = authorization !== null && base.origin === repository.origin;
    return isOwn ? { authorization: await authorization(signal) } : {};
  }

  function expectOk(response: FetchResponse): FetchResponse {
    if (response.status === 200) return response;
    response.discard();
    throw statusFailure(response.status, repository, authorization !== null);
  }

  async function discover(): Promise<Buffer> {
    const url = new URL(repository);
    url.pathname += discovery;
    url.search = "?service=git-upload-pack";
    const headers = { ...protocolTwo, ...(await credentials()) };
    const redirects = maxRedirects === undefined ? {} : { maxRedirects };
    const response = expectOk(await client.request(url, { headers, signal, maxBytes, ...timeouts, ...redirects }));
    const bytes = Buffer.concat(await Array.fromAsync(capped(response.body)));
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
    discover: () => (discovered ??= discover()),
    async uploadPack(plain, isTwo, cancel) {
      const url = new URL(base);
      url.pathname += "/git-upload-pack";
      const isLarge = plain.length > maxPlainRequest;
      const body = isLarge ? await promisify(gzip)(plain) : plain;
      const version = { ...(isTwo && protocolTwo), ...(isLarge && { "content-encoding": "gzip" }) };
      const headers = { ...contentTypes, ...version, ...(await credentials()) };
      const until = cancel === undefined ? signal : AbortSignal.any([signal, cancel]);
      const limits = { signal: until, maxBytes, ...timeouts, maxRedirects: 0 };
      return capped(expectOk(await client.request(url, { method: "POST", headers, body, ...limits })).body);
    },
    location: () => base,
  };
}

/** A cap on all responses of a repository together. Streams @throw Failure library_too_large beyond it */
export function capBytes(
  repository: URL,
  maxBytes: number,
): (body: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array> {
  let received = 0;
  return async function* capped(body) {
    for await (const bytes of body) {
      received += bytes.length;
      if (received > maxBytes)
        throw new Failure(
          "library_too_large",
          `${repositoryName(repository)} sent more than the ${maxBytes} bytes that are read of a repository.`,
        );
      yield bytes;
    }
  };
}

/** A ref of a server. */
export interface ServerRef {
  /** Its full name: `HEAD`, or a name that begins with `refs/`. */
  readonly ref: string;
  readonly oid: string;
  /** The branch that HEAD points to. */
  readonly target?: string;
  /** The commit of an annotated tag. */
  readonly peeled?: string;
}

/**
 * Streams the refs whose names begin with one of the prefixes, which may include HEAD, in batches of about a thousand. Protocol 2 takes one
 * request; in protocol 1 the response of `info/refs` has all refs already.
 * @throws Failure; ServerError; PacketError if the server does not speak Git's protocol
 */
export async function* listRefs(http: GitTransport, prefixes: readonly string[]): AsyncGenerator<readonly ServerRef[]> {
  const discovered = await http.discover();
  if (!speaksTwo(discovered)) {
    for await (const refs of toOldRefs(readLines(splitIntoPieces(discovered))))
      yield refs.filter(({ ref }) => prefixes.some((prefix) => ref.startsWith(prefix)));
    return;
  }
  const args = ["peel", "symrefs", ...prefixes.map((prefix) => `ref-prefix ${prefix}`)];
  const request = `${toLine("command=ls-refs")}0001${args.map(toLine).join("")}0000`;
  for await (const lines of readLines(await http.uploadPack(Buffer.from(request), true))) yield lines.map(toRef);
}

/** Whether a server responds in protocol 2: its first line says so, or the one after the name of the service. */
export function speaksTwo(discovered: Buffer): boolean {
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
 * Parses refs in the format before protocol 2 (gitprotocol-pack): `<oid> <name>`, in the first line followed by a zero byte and the
 * capabilities. The line after an annotated tag is `<oid> <name>^{}` with its commit.
 */
async function* toOldRefs(batches: AsyncIterable<readonly string[]>): AsyncGenerator<readonly ServerRef[]> {
  let first = true;
  let target: string | undefined;
  /** The next line may have the commit of this ref. */
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

/** A request for objects. */
interface PackRequest {
  readonly oids: readonly string[];
  /** The objects are commits, to be sent without their ancestors. */
  readonly isTip: boolean;
  /** Leave out blobs that are not requested by their IDs, if the server can. */
  readonly withoutBlobs: boolean;
}

/** A pack that is being downloaded. */
interface PackResponse {
  /** Whether the server leaves blobs out. */
  readonly leavesOut: boolean;
  /** The pack, to be read once. @throws Failure; PacketError; ServerError */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** Larger requests, in bytes, are compressed, as git does. */
const maxPlainRequest = 1024;

/**
 * Requests objects as `git fetch` in an empty repository would, in protocol 2 or, if the server does not know it, in the one before
 * (gitprotocol-v2, gitprotocol-pack). Aborting `cancel` cancels the request.
 * @throws Failure for a server that cannot be reached or refuses
 */
export async function requestPack(
  http: GitTransport,
  request: PackRequest,
  cancel: AbortSignal,
): Promise<PackResponse> {
  const discovered = await http.discover();
  const isTwo = speaksTwo(discovered);
  const capabilities = capabilitiesOf(discovered, isTwo);
  const leavesOut = request.withoutBlobs && capabilities.includes("filter");
  const shape = [...(request.isTip ? ["deepen 1"] : []), ...(leavesOut ? ["filter blob:none"] : [])];
  const lines = isTwo ? linesOfTwo(request.oids, shape) : linesOfOne(request.oids, shape, capabilities);
  const response = await http.uploadPack(Buffer.from(lines.join("")), isTwo, cancel);
  return { leavesOut, bytes: packOf(response) };
}

/** Packets between the parts of a request and at its end. */
const [delimiter, flush] = ["0001", "0000"];

function linesOfTwo(oids: readonly string[], shape: readonly string[]): readonly string[] {
  const args = ["ofs-delta", "no-progress", ...oids.map((oid) => `want ${oid}`), ...shape, "done"];
  return [toLine("command=fetch"), delimiter, ...args.map(toLine), flush];
}

/** The first want names the server's capabilities that are used. */
function linesOfOne(oids: readonly string[], shape: readonly string[], known: readonly string[]): readonly string[] {
  const used = ["side-band-64k", "ofs-delta", "no-progress", "filter"].filter((name) => known.includes(name));
  const wants = oids.map((oid, at) => `want ${[oid, ...(at === 0 ? used : [])].join(" ")}`);
  return [...[...wants, ...shape].map(toLine), flush, toLine("done")];
}

/** Capabilities of a server: in protocol 2 the features of the command `fetch`, before it those after the first ref. */
function capabilitiesOf(discovered: Buffer, isTwo: boolean): readonly string[] {
  const start = discovered.toString("latin1", 0, maxCapabilities);
  return ((isTwo ? /fetch=([^\n]*)/ : /\0([^\n]*)/).exec(start)?.[1] ?? "").split(" ");
}

/** Length of the first two packets, which have the capabilities, in bytes. */
const maxCapabilities = 131_072;

/** The pack in a response: band 1. Band 2 is progress, band 3 an error; lines of text precede them. */
async function* packOf(response: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let hasPack = false;
  for await (const packets of readPackets(response)) {
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
