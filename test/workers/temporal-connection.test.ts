import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import {
  connectTemporal,
  connectTemporalWorker,
  parseTemporalTarget,
  type Environment,
} from "../../workers/temporal-connection.ts";
import {
  hasOpenssl,
  makeCertificates,
  startGrpcEcho,
  startSilence,
  type Certificates,
  type Endpoint,
} from "./tls-rig.ts";

const log = pino({ level: "silent" });
let folder = "";
let certificates: Certificates;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "lectern-tls-"));
  if (hasOpenssl) certificates = await makeCertificates(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** An environment without this machine's own configuration. */
const environment = (more: Environment): Environment => ({ HOME: folder, ...more });

async function opened<T extends Endpoint>(starting: Promise<T>): Promise<T> {
  const endpoint = await starting;
  onTestFinished(() => endpoint.close());
  return endpoint;
}

function client(more: Environment) {
  const temporal = connectTemporal({ env: environment(more), log });
  onTestFinished(() => temporal.close());
  return temporal;
}

/** The error that a check throws, and the time until then. */
async function failureOf(work: () => Promise<unknown>): Promise<{ error: unknown; ms: number }> {
  const started = performance.now();
  const error: unknown = await work().then(
    () => "nothing",
    (thrown: unknown) => thrown,
  );
  return { error, ms: performance.now() - started };
}

describe("The environment of Temporal", () => {
  it("names the server, and our namespace where it names none", () => {
    expect(parseTemporalTarget(environment({ TEMPORAL_ADDRESS: "temporal:7233" }))).toMatchObject({
      address: "temporal:7233",
      namespace: "lectern",
      options: { address: "temporal:7233" },
    });
    const named = environment({ TEMPORAL_ADDRESS: "temporal:7233", TEMPORAL_NAMESPACE: "docs" });
    expect(parseTemporalTarget(named).namespace).toBe("docs");
  });

  it("takes a profile, and a variable before it", async () => {
    const file = join(folder, "temporal.toml");
    const profile = ['address = "profile:7233"', 'namespace = "from-profile"', 'api_key = "key"'];
    await writeFile(file, ["[profile.prod]", ...profile, "[profile.prod.tls]", 'server_name = "inside"'].join("\n"));
    const env = environment({ TEMPORAL_CONFIG_FILE: file, TEMPORAL_PROFILE: "prod", TEMPORAL_NAMESPACE: "variable" });
    expect(parseTemporalTarget(env)).toMatchObject({
      address: "profile:7233",
      namespace: "variable",
      options: { apiKey: "key", tls: { serverNameOverride: "inside" } },
    });
  });

  it("takes an empty variable for none, as compose files pass them on", () => {
    const empty = ["NAMESPACE", "API_KEY", "TLS", "TLS_CLIENT_CERT_PATH", "TLS_CLIENT_KEY_PATH", "PROFILE"];
    const env = Object.fromEntries(empty.map((name) => [`TEMPORAL_${name}`, ""]));
    const { namespace, options } = parseTemporalTarget(environment({ ...env, TEMPORAL_ADDRESS: "temporal:7233" }));
    expect(namespace).toBe("lectern");
    expect(options.tls).toBeUndefined();
    expect(options.apiKey).toBeUndefined();
  });

  it("switches TLS on for an API key, unless TEMPORAL_TLS is false", () => {
    const env = environment({ TEMPORAL_ADDRESS: "temporal:7233", TEMPORAL_API_KEY: "key" });
    expect(parseTemporalTarget(env).options.tls).toBe(true);
    expect(parseTemporalTarget({ ...env, TEMPORAL_TLS: "false" }).options.tls).toBe(false);
  });

  it.each([
    [{ TEMPORAL_ADDRESS: "" }, /Set TEMPORAL_ADDRESS/],
    [{ TEMPORAL_TLS: "yes" }, /TEMPORAL_TLS must be "true" or "false"/],
    [{ TEMPORAL_TLS_DISABLE_HOST_VERIFICATION: "true" }, /is not supported. Set TEMPORAL_TLS_SERVER_NAME/],
    [{ TEMPORAL_TLS_CLIENT_CERT_DATA: "pem" }, /go together/],
    [{ TEMPORAL_TLS_SERVER_CA_CERT_PATH: "/none/ca.pem" }, /cannot be read: ENOENT.*ca\.pem.*Check TEMPORAL_TLS_/],
    [{ TEMPORAL_PROFILE: "none" }, /'none' not found/],
    [{ TEMPORAL_TLS_CLIENT_CERT_DATA: "no", TEMPORAL_TLS_CLIENT_KEY_DATA: "pem" }, /settings are invalid: .*PEM/],
  ])("refuses %j with a sentence", (more, message) => {
    const env = environment({ TEMPORAL_ADDRESS: "temporal:7233", ...more });
    expect(() => connectTemporal({ env, log })).toThrow(
      expect.objectContaining({ code: "internal_error", message: expect.stringMatching(message) as string }) as Error,
    );
  });
});

describe("A connection to Temporal", () => {
  it("is made when it is first used, so that a process starts while Temporal is away", async () => {
    const silence = await startSilence();
    await silence.close();
    const temporal = client({ TEMPORAL_ADDRESS: silence.address });
    const { error, ms } = await failureOf(temporal.check);
    expect(error).toMatchObject({ code: "service_unavailable" });
    expect(String(error)).toContain(`Temporal at ${silence.address} cannot be reached: connect ECONNREFUSED`);
    expect(ms).toBeLessThan(2000);
  });

  it("fails within two seconds where the server says nothing", async () => {
    const { address } = await opened(startSilence());
    const first = await failureOf(client({ TEMPORAL_ADDRESS: address }).check);
    expect(first.error).toMatchObject({
      code: "service_unavailable",
      message: expect.stringContaining("no answer") as string,
    });
    expect(first.ms).toBeLessThan(2000);
    const env = environment({ TEMPORAL_ADDRESS: address });
    const second = await failureOf(() => connectTemporalWorker({ env, log }));
    expect(second.error).toMatchObject({ code: "service_unavailable" });
    expect(second.ms).toBeLessThan(2000);
  });

  it("sends the API key and the headers of the environment with every call", async () => {
    const echo = await opened(startGrpcEcho());
    const env = { TEMPORAL_ADDRESS: echo.address, TEMPORAL_TLS: "false", TEMPORAL_API_KEY: "the-key" };
    const temporal = client({ ...env, TEMPORAL_GRPC_META_X_TEAM: "docs" });
    await temporal.check();
    await temporal.connection.workflowService.describeNamespace({ namespace: "lectern" });
    const { connection } = await connectTemporalWorker({ env: environment(env), log });
    onTestFinished(() => connection.close());
    const paths = echo.seen.map((headers) => headers[":path"]?.split("/").at(-1));
    expect(paths).toEqual(["GetSystemInfo", "DescribeNamespace", "GetSystemInfo", "GetSystemInfo"]);
    expect(echo.seen.map(({ authorization }) => authorization)).toEqual(Array(4).fill("Bearer the-key"));
    expect(echo.seen[0]).toMatchObject({ "x-team": "docs" });
  });

  it.each([7, 16])("says so where the server refuses the credentials (gRPC status %i)", async (status) => {
    const { address } = await opened(startGrpcEcho({ status }));
    const { error } = await failureOf(client({ TEMPORAL_ADDRESS: address }).check);
    expect(error).toMatchObject({
      code: "service_unavailable",
      message: `Temporal at ${address} rejected the credentials. Check TEMPORAL_API_KEY.`,
    });
  });

  it("accepts a server that is too old to describe itself", async () => {
    const { address } = await opened(startGrpcEcho({ status: 12 }));
    await expect(client({ TEMPORAL_ADDRESS: address }).check()).resolves.toBeUndefined();
  });
});

describe.skipIf(!hasOpenssl)("A connection under TLS", () => {
  const authority = (): Environment => ({ TEMPORAL_TLS_SERVER_CA_CERT_PATH: certificates.file("ca.pem") });
  const identity = (): Environment => ({
    TEMPORAL_TLS_CLIENT_CERT_PATH: certificates.file("client.pem"),
    TEMPORAL_TLS_CLIENT_KEY_PATH: certificates.file("client.key"),
  });
  const endpoint = (wantsClient: boolean) => opened(startGrpcEcho({ certificates, wantsClient }));

  /** Client and worker alike. */
  async function connectBoth(more: Environment): Promise<void> {
    await client(more).check();
    const { connection } = await connectTemporalWorker({ env: environment(more), log });
    await connection.close();
  }

  it("trusts the given authority", async () => {
    const { address, seen } = await endpoint(false);
    await connectBoth({ TEMPORAL_ADDRESS: address, ...authority() });
    const calls = seen.length;
    expect(calls).toBeGreaterThan(1);
    await connectBoth({ TEMPORAL_ADDRESS: address, TEMPORAL_TLS_SERVER_NAME: "localhost", ...authority() });
    expect(seen).toHaveLength(2 * calls);
  });

  it("shows the client's certificate to a server that wants one", async () => {
    const { address, seen } = await endpoint(true);
    await connectBoth({ TEMPORAL_ADDRESS: address, ...authority(), ...identity() });
    expect(seen.length).toBeGreaterThan(1);
  });

  it.each([
    ["an authority that it does not trust", false, () => ({ TEMPORAL_TLS: "true" }), /certificate/],
    [
      "a certificate of another name",
      false,
      () => ({ ...authority(), TEMPORAL_TLS_SERVER_NAME: "other.example" }),
      /altnames/,
    ],
    ["a server that wants a certificate of ours", true, authority, /alert certificate required/],
    ["no TLS on our side", false, () => ({}), /closed the connection/],
  ])("refuses %s within two seconds, and says why", async (_, wantsClient, more, reason) => {
    const { address, seen } = await endpoint(wantsClient);
    const env = { TEMPORAL_ADDRESS: address, ...more() };
    for (const work of [client(env).check, () => connectTemporalWorker({ env: environment(env), log })]) {
      const { error, ms } = await failureOf(work);
      expect(error).toMatchObject({ code: "service_unavailable", message: expect.stringMatching(reason) as string });
      expect(String(error)).toContain(`Temporal at ${address} cannot be reached`);
      expect(ms).toBeLessThan(2000);
    }
    expect(seen).toEqual([]);
  });
});
