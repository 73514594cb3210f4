import { Client, Connection } from "@temporalio/client";
import type { DataConverter } from "@temporalio/common";
import { loadClientConfigProfile, toClientOptions } from "@temporalio/envconfig";
import type { ClientConfigProfile, ClientConnectConfig } from "@temporalio/envconfig";
import type { NativeConnection } from "@temporalio/worker";
import type { Logger } from "pino";
import { Failure } from "../domain/failures.ts";
import { grpcStatus, isRefused } from "./temporal-failures.ts";

/** The environment as node:process has it. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Where Temporal is, and how to speak to it. */
export interface TemporalTarget {
  /** host:port of the frontend. */
  readonly address: string;
  readonly namespace: string;
  readonly options: ClientConnectConfig["connectionOptions"];
}

export interface ConnectOptions {
  readonly env: Environment;
  readonly log: Logger;
  /** What createDataConverter made; left out where nothing of runs is read or written. */
  readonly dataConverter?: DataConverter;
}

/** What processes that start runs hold. */
export interface TemporalClient {
  readonly connection: Connection;
  readonly client: Client;
  readonly namespace: string;
  /** Asks the server once and without retries, so that its failure names the reason. @throws Failure service_unavailable, within 2 s */
  check(): Promise<void>;
  close(): Promise<void>;
}

const defaultNamespace = "lectern";

/** Timeouts of the first response, and of a worker's own connection, in milliseconds. */
const checkTimeout = 1500;
const connectTimeout = 5000;

/** gRPC status of a method that an old server does not have: it answers all the same. */
const unimplemented = 12;

/**
 * Reads Temporal's standard variables (TEMPORAL_ADDRESS, _NAMESPACE, _API_KEY, _TLS, _TLS_*, _GRPC_META_*) and the
 * profile that TEMPORAL_PROFILE and TEMPORAL_CONFIG_FILE name; a variable wins over the profile, and an empty one is
 * none. An API key or any TLS setting switches TLS on unless TEMPORAL_TLS says otherwise.
 * @throws Failure internal_error saying which variable to correct
 */
export function parseTemporalTarget(env: Environment): TemporalTarget {
  checkVariables(env);
  const { namespace = defaultNamespace, connectionOptions } = load(env);
  const { address } = connectionOptions;
  if (address === undefined) throw misconfigured("The Temporal address is missing. Set TEMPORAL_ADDRESS to host:port.");
  return { address, namespace, options: connectionOptions };
}

/**
 * A client that connects when it is first used, so that a process starts while Temporal is down, and reconnects whenever the
 * connection was lost. Its calls are not retried: callers set a deadline, and retry where that helps.
 * @throws Failure internal_error where the environment is wrong
 */
export function connectTemporal({ env, log, dataConverter }: ConnectOptions): TemporalClient {
  const target = parseTemporalTarget(env);
  const { address, namespace, options } = target;
  const connection = open(target);
  log.info(
    { address, namespace, tls: isEncrypted(options), apiKey: options.apiKey !== undefined },
    "Temporal client configured",
  );
  return {
    connection,
    client: new Client({ connection, namespace, ...(dataConverter && { dataConverter }) }),
    namespace,
    check: () => check(target),
    close: () => connection.close(),
  };
}

/**
 * A worker's connection; the runtime has to be installed before. The native part of the SDK is loaded here and not
 * before, so that processes without a worker do without it.
 * @throws Failure service_unavailable where Temporal does not answer, internal_error where the environment is wrong
 */
export async function connectTemporalWorker({
  env,
  log,
}: Pick<ConnectOptions, "env" | "log">): Promise<{ connection: NativeConnection; namespace: string }> {
  const target = parseTemporalTarget(env);
  const { address, namespace, options } = target;
  await check(target);
  const { NativeConnection: Native } = await import("@temporalio/worker");
  const connecting = Native.connect(options);
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(unreachable(address, `no answer in ${connectTimeout} ms`)),
    connectTimeout,
  );
  try {
    const connection = await Promise.race([connecting, late.promise]);
    log.info(
      { address, namespace, tls: isEncrypted(options), apiKey: options.apiKey !== undefined },
      "Temporal worker",
    );
    return { connection, namespace };
  } catch (error) {
    // One that is made after all must not stay open; that it fails has been said.
    connecting.then((connection) => connection.close()).catch(() => undefined);
    throw error instanceof Failure ? error : unreachable(address, messageOf(error), error);
  } finally {
    clearTimeout(timer);
  }
}

/** On a new connection, which is not in backoff after an earlier failure. */
async function check(target: TemporalTarget): Promise<void> {
  const connection = open(target);
  try {
    await connection.withDeadline(Date.now() + checkTimeout, () => connection.workflowService.getSystemInfo({}));
  } catch (error) {
    if (grpcStatus(error) === unimplemented) return;
    throw isRefused(error)
      ? unavailable(`Temporal at ${target.address} rejected the credentials. Check TEMPORAL_API_KEY.`, error)
      : unreachable(target.address, reasonOf(error), error);
  } finally {
    await connection.close();
  }
}

/** gRPC's default backoff grows to two minutes while a server is down. */
const reconnecting = { "grpc.max_reconnect_backoff_ms": 3000 };

/**
 * Without the SDK's own retries: they go on beyond a call's deadline, and replace the reason of its failure by the
 * deadline (measured with 1.24.0).
 */
function open({ options }: TemporalTarget): Connection {
  try {
    return Connection.lazy({ ...options, channelArgs: reconnecting, interceptors: [] });
  } catch (error) {
    throw misconfigured(`Temporal's settings are invalid: ${messageOf(error)}. Check TEMPORAL_TLS_*.`, error);
  }
}

function load(env: Environment): ClientConnectConfig {
  // Empty values are how compose files pass on what is not set; only a header's empty value has a meaning of its own.
  const given = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && (entry[1] !== "" || entry[0].startsWith("TEMPORAL_GRPC_META_")),
  );
  try {
    const profile = loadClientConfigProfile({ overrideEnvVars: Object.fromEntries(given) });
    checkClientCertificate(profile);
    return toClientOptions(profile);
  } catch (error) {
    if (error instanceof Failure) throw error;
    const message = `Temporal's settings cannot be read: ${messageOf(error)}. Check TEMPORAL_TLS_*, TEMPORAL_PROFILE and TEMPORAL_CONFIG_FILE.`;
    throw misconfigured(message, error);
  }
}

/** Rejects what the SDK would silently misread or ignore. */
function checkVariables(env: Environment): void {
  const switched = env["TEMPORAL_TLS"];
  if (switched && !["true", "1", "false", "0"].includes(switched))
    throw misconfigured('TEMPORAL_TLS must be "true" or "false".');
  if (["true", "1"].includes(env["TEMPORAL_TLS_DISABLE_HOST_VERIFICATION"] ?? ""))
    throw misconfigured(
      "TEMPORAL_TLS_DISABLE_HOST_VERIFICATION is not supported. Set TEMPORAL_TLS_SERVER_NAME to the name in the certificate.",
    );
}

function checkClientCertificate({ tls }: ClientConfigProfile): void {
  if ((tls?.clientCert === undefined) !== (tls?.clientKey === undefined))
    throw misconfigured("TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH go together. Set both.");
}

function isEncrypted({ tls }: TemporalTarget["options"]): boolean {
  return Boolean(tls);
}

/** The reason, as an operator can use it. */
function reasonOf(error: unknown): string {
  if (grpcStatus(error) === 4) return `no answer in ${checkTimeout} ms`;
  const details = error instanceof Error && "details" in error ? String(error.details) : messageOf(error);
  const last = /Last error: (?:Error(?: \[\w+\])?: )?(?<last>.*?)(?: \(\d{4}-[^)]*\))?\. Resolution note/s.exec(
    details,
  );
  const text = last?.groups?.["last"] ?? details;
  // OpenSSL's errors are lists of codes, file and line; the words are in the middle.
  const openssl = /:SSL routines:[^:]*:(?<words>[^:]+)/.exec(text)?.groups?.["words"];
  if (text === "Failed to connect") return "it closed the connection (with TLS on one side only, it would)";
  return openssl ?? text.trim().replace(/\.$/, "");
}

function unreachable(address: string, reason: string, cause?: unknown): Failure {
  const message = `Temporal at ${address} cannot be reached: ${reason}. Check TEMPORAL_ADDRESS, and TEMPORAL_TLS_* where it takes TLS.`;
  return unavailable(message, cause);
}

function unavailable(message: string, cause: unknown): Failure {
  return new Failure("service_unavailable", message, cause === undefined ? {} : { cause });
}

function misconfigured(message: string, cause?: unknown): Failure {
  return new Failure("internal_error", message, cause === undefined ? {} : { cause });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
