import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { protocolTwo, type GitHeaders, type GitHttp } from "./http.ts";
import { speaksTwo } from "./ls-refs.ts";
import { PacketError, readPackets, ServerError, toLine } from "./packets.ts";

/** Objects that are asked of a server. */
export interface PackRequest {
  readonly oids: readonly string[];
  /** The objects are commits, of which no ancestors are wanted. */
  readonly isTip: boolean;
  /** Leave out blobs that are not asked for by their IDs, where the server can. */
  readonly withoutBlobs: boolean;
}

/** A pack that is on its way. */
export interface ComingPack {
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
