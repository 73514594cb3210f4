/**
 * The bare work of indexing a package, in a process of its own: `node tools/bench/packages/bare.ts URL tar|zip TIMES` downloads and unpacks an
 * archive several times, with the same libraries as Lectern and without its checks. Prints the seconds and processor seconds of each time,
 * and the peak memory in MB.
 */
import { createWriteStream } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { x as unpackTar } from "tar";
import { request } from "undici";
import { openPromise as openZip } from "yauzl";

const [url = "", format = "", times = ""] = process.argv.slice(2);
const seconds: number[] = [];
const processor: number[] = [];
for (let time = 0; time < Number(times); time += 1) {
  const folder = await mkdtemp(join(tmpdir(), "lectern-bare-"));
  const start = performance.now();
  const before = process.cpuUsage();
  const file = join(folder, "archive");
  await download(new URL(url), file);
  const target = join(folder, "package");
  await mkdir(target);
  if (format === "tar") await unpackTar({ file, cwd: target });
  else await unpackZip(file, target);
  seconds.push((performance.now() - start) / 1000);
  const { user, system } = process.cpuUsage(before);
  processor.push((user + system) / 1e6);
  await rm(folder, { recursive: true, force: true });
}
console.log(JSON.stringify({ seconds, processor, megabytes: process.resourceUsage().maxRSS / 1024 }));

async function download(from: URL, file: string): Promise<void> {
  const { statusCode, headers, body } = await request(from);
  const { location } = headers;
  if (typeof location === "string" && statusCode < 400) {
    await body.dump();
    return download(new URL(location, from), file);
  }
  if (statusCode !== 200) throw new Error(`${from.href} answered ${statusCode}.`);
  await pipeline(body, createWriteStream(file));
}

async function unpackZip(file: string, target: string): Promise<void> {
  const zip = await openZip(file, {});
  for await (const entry of zip.eachEntry()) {
    const place = resolve(target, entry.fileName);
    if (entry.fileName.endsWith("/") || !place.startsWith(`${target}/`)) continue;
    await mkdir(dirname(place), { recursive: true });
    await writeFile(place, await zip.openReadStreamPromise(entry));
  }
}
