import type { Logger } from "pino";
import type { AnsweringPorts } from "../domain/answering.ts";
import type { AuditRecord } from "../domain/audit.ts";
import type { CountedAnswer } from "../domain/metrics.ts";
import type { ListingPorts } from "../domain/owner-repositories.ts";
import type { PreviewingPorts } from "../domain/previewing.ts";
import type { FeedbackPorts } from "../domain/feedback.ts";
import type { ReceivingPorts } from "../domain/notifying.ts";
import type { ReleasingPorts } from "../domain/quarantine.ts";
import type { Lockfile, RegistryAccess } from "../domain/packages.ts";
import type { Limiter } from "../domain/ports.ts";
import type { Telemetry } from "../domain/telemetry.ts";
import type { Manifest } from "../domain/generation.ts";
import type { Computation, Computed } from "./answer/compose.ts";
import type { Deployment } from "./schemas/deployment.ts";
import type { Issuer } from "./oauth.ts";

/** The ports that routes need. */
export type ApiPorts = AnsweringPorts &
  ReleasingPorts &
  ListingPorts &
  ReceivingPorts &
  FeedbackPorts &
  PreviewingPorts & {
    /** The manifest of a generation; undefined if it does not exist, or not yet. */
    readonly manifest: (generation: string) => Promise<Manifest | undefined>;
  };

/** A Temporal payload: a value with its encoding. */
export interface Payload {
  readonly metadata?: Record<string, Uint8Array> | null;
  readonly data?: Uint8Array | null;
}

/** Encodes payloads as Temporal stores them, and decodes them. `decode` @throws Failure naming the missing or wrong key */
export interface Codec {
  encode(payloads: Payload[]): Promise<Payload[]>;
  decode(payloads: Payload[]): Promise<Payload[]>;
}

/** The settings of the API. */
export interface ApiSettings {
  /** What callers without a key may do: search and read public libraries, or nothing. */
  readonly anonymous: "search" | "off";
  /** Reads per minute and key. */
  readonly rateLimitReads: number;
  /** Submissions per minute and key. */
  readonly rateLimitSubmissions: number;
  /** Requests per minute and address without a key. */
  readonly rateLimitAnonymous: number;
  /** Reads per minute of all keys of a teamspace; 0: no limit. */
  readonly rateLimitTeamspaceReads: number;
  /** Submissions per minute of all keys of a teamspace; 0: no limit. */
  readonly rateLimitTeamspaceSubmissions: number;
  /** Maximum concurrent requests. */
  readonly requestsAtOnce: number;
  /** Timeout of a read, in seconds. */
  readonly readTimeoutSeconds: number;
  /** Maximum open status streams per key. */
  readonly streamsPerKey: number;
  /** Addresses and CIDR blocks of proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[];
  /** Header in which these proxies send the client's country; null: none. */
  readonly countryHeader: string | null;
  /** Public address of the server, without `/api`: Host and Origin must match it or be local; null: unknown. */
  readonly publicUrl: string | null;
  /** The server listens on loopback only, so Host and Origin must be local. */
  readonly loopback: boolean;
  /** Web origins that may call the API from a browser. */
  readonly allowedOrigins: readonly string[];
  /** Web origins of Temporal's Web UI, which may only call the codec from a browser. */
  readonly temporalUiOrigins: readonly string[];
  /** Send a Location header with 301, so that clients follow it. */
  readonly sendLocation: boolean;
  /** Serve the rules in the settings of libraries. */
  readonly sourceRules: boolean;
  /** How long clients may cache an answer, in seconds. */
  readonly maxAgeSeconds: number;
  /** Hosts (`host` or `host:port`) of each kind, in addition to the hosted services. */
  readonly gitHosts: Readonly<Record<"github" | "gitlab" | "bitbucket" | "gitea", readonly string[]>>;
  /** Days for which feedback is kept; 0: none is kept. */
  readonly feedbackDays: number;
  /** Days after which an unused version of a package is removed; 0: never. */
  readonly unusedVersionDays: number;
  /** The registries that packages are read from. */
  readonly registries: RegistryAccess;
}

/** The request that needs work off the event loop: a client gets one such job at a time, which ends with the request. */
export interface RequestedBy {
  /** The key, or the address without one. */
  readonly client: string;
  readonly hasKey: boolean;
  /** Aborts when the request is over. */
  readonly signal: AbortSignal;
}

/** A library manifest in a Git repository. */
export interface WatchedManifest {
  /** Address of the repository. */
  readonly address: string;
  /** Whether libraries that it added and does not declare any more are removed. */
  readonly prune: boolean;
  /** Reads it at the present commit of its branch. @throws Failure */
  read(signal: AbortSignal): Promise<{ readonly text: string; readonly revision: string }>;
  /** Whether an address in the form of `repositoryAddress` is its repository. */
  isAt(repository: string): boolean;
  /** Looks at its branch soon, as a host has reported a push. */
  requested?(): void;
}

/** The dependencies of the API. */
export interface ApiOptions {
  /** Version of the program. */
  readonly version: string;
  readonly ports: ApiPorts;
  readonly limiter: Limiter;
  readonly log: Logger;
  /** Checks that the server may fetch an address. @throws Failure */
  readonly checkUrl: (url: URL) => void | Promise<void>;
  /** The real path of a permitted folder. @throws Failure */
  readonly checkFolder: (path: string) => Promise<string>;
  /** Counts an answered read of a version; "" is the default one. */
  readonly countRead: (libraryUid: string, version: string) => void;
  /** Counts an answer for the metrics of its library. */
  readonly countAnswer: (answer: CountedAnswer) => void;
  /** A sentence for each disk that is nearly full; absent: disks are not checked. */
  readonly diskWarnings?: () => Promise<readonly string[]>;
  /** Whether the process is stopping, so that a load balancer should send no more requests. */
  readonly isStopping?: () => boolean;
  /** Parses a lockfile, by its name, off the event loop. @throws Failure validation_error, and the reason of the signal */
  readonly readLockfile: (name: string, bytes: Uint8Array, by: RequestedBy) => Promise<Lockfile>;
  /** Computes an answer on another thread, for a client; absent: this thread does. @throws Failure as `computeAnswer` */
  readonly computeElsewhere?: (computation: Computation, client: string) => Promise<Computed>;
  /** Records a question that found nothing in a library. */
  readonly noteMiss: (libraryUid: string, question: string) => void;
  /** Called when a delivery to a hook has requested refreshes; absent: the sweep starts them. */
  readonly onPushed?: () => void;
  /** The library manifest that is watched; absent: none. */
  readonly watched?: WatchedManifest;
  /** Called after every request; absent: no telemetry. */
  readonly telemetry?: Pick<Telemetry, "answered">;
  /** The parts of the deployment and their state; absent: unknown. */
  readonly deployment?: () => Promise<Omit<Deployment, "warnings">>;
  /** All metrics in the text format of Prometheus; absent: not served. */
  readonly scrape?: () => Promise<string>;
  /** Called with each ended act and refusal of the audit log. */
  readonly onAudited?: (record: AuditRecord) => Promise<void>;
  /** Timeout of an exchange with an agent, in milliseconds; a minute by default. */
  readonly exchangeTimeout?: number;
  /** The payload codec; absent: runs execute without Temporal. */
  readonly codec?: Codec;
  /** SHA-256 of the configured admin key, hex; null: none. */
  readonly adminKeyHash: string | null;
  /** Verifies tokens of the issuer; absent: no issuer. */
  readonly issuer?: Issuer;
  readonly settings: ApiSettings;
  /** The document served at /api/openapi.json. */
  readonly openapi: object;
}
