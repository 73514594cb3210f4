import { execFile } from "node:child_process";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { createBucketBlobStore, type BucketBlobStore } from "../../stores/blobs/bucket.ts";
import { all } from "../contracts/blob-store.ts";

const run = promisify(execFile);

beforeEach(() => {
  vi.stubEnv("AWS_ACCESS_KEY_ID", "the-id");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "the-secret");
});
afterEach(() => {
  vi.unstubAllEnvs();
});

type Answer = (request: IncomingMessage, response: ServerResponse, count: number) => void;

/** A store on a server that answers by `answer`, which gets the number of earlier requests. */
async function setup(answer: Answer): Promise<{ store: BucketBlobStore; endpoint: string; requests: () => number }> {
  let count = 0;
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      count += 1;
      answer(request, response, count - 1);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const store = await open(endpoint);
  onTestFinished(() => {
    store.close();
    server.closeAllConnections();
    server.close();
  });
  return { store, endpoint, requests: () => count };
}

function open(endpoint: string | null, region: string | null = "us-east-1"): Promise<BucketBlobStore> {
  const times = { connectTimeout: 300, requestTimeout: 400 };
  return createBucketBlobStore({ bucket: "docs", prefix: "", endpoint, region, forcePathStyle: true, ...times });
}

const error =
  (status: number, code: string): Answer =>
  (_, response) =>
    response.writeHead(status).end(`<Error><Code>${code}</Code><Message>m</Message></Error>`);

const unavailable = (message: string) => ({ name: "Failure", code: "service_unavailable", message });

describe("A store in a bucket", () => {
  it("does not load the SDK before it is created", async () => {
    const module = new URL("../../stores/blobs/bucket.ts", import.meta.url).href;
    const program = `
      import { createRequire } from "node:module";
      const { createBucketBlobStore } = await import(${JSON.stringify(module)});
      const loaded = () => Object.keys(createRequire(import.meta.url).cache).some((file) => file.includes("client-s3"));
      const before = loaded();
      await createBucketBlobStore({ bucket: "docs", prefix: "", endpoint: null, region: "x", forcePathStyle: false });
      console.log(before, loaded());`;
    const { stdout } = await run(process.execPath, ["--input-type=module", "-e", program]);
    expect(stdout.trim()).toBe("false true");
  });

  it("retries while the server fails, and gives up after four attempts", async () => {
    const failing = error(500, "InternalError");
    const brief = await setup((request, response, count) =>
      count < 2 ? failing(request, response, count) : response.end("blob"),
    );
    expect(await brief.store.get("a/b")).toEqual(new Uint8Array(Buffer.from("blob")));
    const lasting = await setup(failing);
    await expect(lasting.store.get("a/b")).rejects.toMatchObject(
      unavailable("The bucket answered with InternalError. Try again later."),
    );
    expect(lasting.requests()).toBe(4);
  });

  it("reads a blob again if the connection breaks, and never returns half of it", async () => {
    const cut: Answer = (_, response) => {
      response.writeHead(200, { "content-length": 100 }).write("half");
      setTimeout(() => response.destroy(), 20);
    };
    const brief = await setup((request, response, count) =>
      count === 0 ? cut(request, response, count) : response.end("whole"),
    );
    expect(await brief.store.get("a/b")).toEqual(new Uint8Array(Buffer.from("whole")));
    const lasting = await setup(cut);
    await expect(lasting.store.get("a/b")).rejects.toMatchObject(
      unavailable("The bucket is unreachable (ECONNRESET). Check the endpoint in BLOB_URL."),
    );
    expect(lasting.requests()).toBe(4);
  });

  it("gives up on a server that does not answer, or stops in the middle of a blob", async () => {
    const message = "The bucket is unreachable (timeout). Check the endpoint in BLOB_URL.";
    const silent = await setup(() => undefined);
    await expect(silent.store.put("a/b", new Uint8Array(9))).rejects.toMatchObject({
      code: "service_unavailable",
      message: expect.stringMatching(/is unreachable/) as string,
    });
    const stalled = await setup((_, response) => response.writeHead(200, { "content-length": 100 }).write("half"));
    await expect(stalled.store.get("a/b")).rejects.toMatchObject(unavailable(message));
  });

  it("reports that no server listens", async () => {
    const gone = await open("http://127.0.0.1:1");
    await expect(gone.list("a/")[Symbol.asyncIterator]().next()).rejects.toMatchObject(
      unavailable("The bucket is unreachable (ECONNREFUSED). Check the endpoint in BLOB_URL."),
    );
  });

  it.each([
    [403, "AccessDenied", /rejected the credentials \(AccessDenied\).*permit to get, put, list and delete/],
    [403, "InvalidAccessKeyId", /rejected the credentials \(InvalidAccessKeyId\)/],
    [400, "AuthorizationHeaderMalformed", /is in another region. Name its region in BLOB_URL/],
    [301, "PermanentRedirect", /is in another region/],
    [404, "NoSuchBucket", /does not exist. Create it/],
    [507, "XMinioStorageFull", /No space left in the bucket/],
  ])("says what to do about %i %s, at once and without our credentials", async (status, code, message) => {
    const { store, requests } = await setup(error(status, code));
    const failure = { code: "service_unavailable", message: expect.stringMatching(message) as string };
    await expect(store.put("a/b", new Uint8Array(9))).rejects.toMatchObject(failure);
    await expect(all(store.list("a/"))).rejects.toMatchObject(failure);
    await expect(store.removeAll("a/")).rejects.toMatchObject(failure);
    await expect(store.get("a/b")).rejects.not.toThrow(/the-id|the-secret/);
    if (status < 500) expect(requests()).toBe(4);
  });

  it("reports that the removal of some blobs was refused", async () => {
    const { store } = await setup((request, response) =>
      request.method === "GET"
        ? response.end(
            "<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>a/b</Key></Contents></ListBucketResult>",
          )
        : response.end(
            "<DeleteResult><Error><Key>a/b</Key><Code>AccessDenied</Code><Message>m</Message></Error></DeleteResult>",
          ),
    );
    await expect(store.removeAll("a/")).rejects.toMatchObject({
      code: "service_unavailable",
      message: expect.stringContaining("rejected the credentials (AccessDenied)") as string,
    });
  });

  it("does not take a web server for a bucket", async () => {
    const { store } = await setup((_, response) => response.end("<html>Welcome</html>"));
    const message = "The server at the bucket's endpoint is not S3. Check the endpoint in BLOB_URL.";
    await expect(all(store.list("a/"))).rejects.toMatchObject(unavailable(message));
    await expect(store.put("a/b", new Uint8Array(9))).rejects.toMatchObject(unavailable(message));
    const missing = await setup((_, response) => response.writeHead(404).end("<html>Not here</html>"));
    await expect(missing.store.get("a/b")).rejects.toMatchObject({ code: "service_unavailable" });
  });

  it("asks for credentials and for a region if the environment has none", async () => {
    for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION", "AWS_PROFILE"])
      vi.stubEnv(name, undefined);
    vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
    vi.stubEnv("AWS_CONFIG_FILE", "/none");
    vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", "/none");
    const { endpoint } = await setup(() => undefined);
    await expect((await open(endpoint)).get("a/b")).rejects.toMatchObject(
      unavailable("There are no credentials for the bucket. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY."),
    );
    await expect((await open(null, null)).get("a/b")).rejects.toMatchObject({
      code: "service_unavailable",
      message: expect.stringContaining("Name its region in BLOB_URL") as string,
    });
  });
});
