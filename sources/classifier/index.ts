import { bulkhead, circuitBreaker, ConsecutiveBreaker, handleAll, wrap } from "cockatiel";
import { z } from "zod";
import { Failure } from "../../domain/failures.ts";
import { findingTexts, type Finding } from "../../domain/passage.ts";
import type { Screen } from "../../domain/ports.ts";
import { postJson, reasonOf } from "../lib/fetch/own-server.ts";

/** Settings and dependencies of a classifier. */
export interface ClassifierOptions {
  /** The operator's own address, which may be in any network. */
  readonly url: URL;
  /** Sent as a bearer token; null without one. */
  readonly token: string | null;
  /** While the classifier is out of reach: `closed` publishes nothing, `open` publishes passages without its judgement. */
  readonly fails: "closed" | "open";
  /** Deadline of a request, in milliseconds. */
  readonly deadline?: number;
  /** Time without requests after some consecutive failures, in milliseconds. */
  readonly openFor?: number;
  /** Called with each batch that was not judged. */
  onProblem(reason: string): void;
}

/** Maximum number of passages in a request, and of their characters. A single passage may have more. */
const maxPassages = 64;
const maxCharacters = 200_000;
/** Time that passages wait for others to fill a request, in milliseconds. */
const gatherTime = 10;
/** Maximum number of concurrent requests. */
const atOnce = 2;
/** Consecutive failed requests after which the classifier counts as down. */
const failuresInARow = 3;
/** Cap on an answer, in bytes. */
const maxAnswer = 1_000_000;
const form = "docs/guides/add-a-classifier.md";

const answerSchema = z.object({ findings: z.record(z.string(), z.array(z.string().max(100)).max(20)) });

interface Waiting {
  readonly text: string;
  readonly judged: PromiseWithResolvers<readonly Finding[]>;
}

/**
 * Creates the client of the operator's own classifier, which is called by HTTP. Passages of several pages share a request, with IDs that
 * are valid in that request only. docs/guides/add-a-classifier.md has the contract.
 */
export function createClassifier(options: ClassifierOptions): Screen {
  const { url, token, fails, deadline = 30_000, openFor = 30_000, onProblem } = options;
  const down = circuitBreaker(handleAll, {
    halfOpenAfter: openFor,
    breaker: new ConsecutiveBreaker(failuresInARow),
  });
  const policy = wrap(bulkhead(atOnce, Number.MAX_SAFE_INTEGER), down);
  let gathered: Waiting[] = [];
  let characters = 0;
  let timer: NodeJS.Timeout | undefined;

  function send(): void {
    clearTimeout(timer);
    timer = undefined;
    const batch = gathered;
    [gathered, characters] = [[], 0];
    if (batch.length === 0) return;
    policy
      .execute(() => ask(batch.map(({ text }) => text)))
      .then(
        (findings) => batch.forEach(({ judged }, at) => judged.resolve(findings[at] ?? [])),
        (error: unknown) => {
          onProblem(reasonOf(error, form));
          for (const { judged } of batch) judged.reject(error);
        },
      );
  }

  function judge(text: string): Promise<readonly Finding[]> {
    if (gathered.length >= maxPassages || (gathered.length > 0 && characters + text.length > maxCharacters)) send();
    const judged = Promise.withResolvers<readonly Finding[]>();
    gathered.push({ text, judged });
    characters += text.length;
    timer ??= setTimeout(send, gatherTime);
    return judged.promise;
  }

  /** The findings in each text, in order. */
  async function ask(texts: readonly string[]): Promise<readonly (readonly Finding[])[]> {
    const answer = await postJson({
      url,
      token,
      body: { passages: texts.map((text, at) => ({ id: String(at), text })) },
      signal: AbortSignal.timeout(deadline),
      maxAnswer,
    });
    const { findings } = answerSchema.parse(answer);
    if (Object.keys(findings).some((id) => !/^\d+$/.test(id) || Number(id) >= texts.length))
      throw new Error("its answer has a passage that the request did not have");
    return texts.map((_, at) => [...new Set((findings[at] ?? []).map(toFinding))]);
  }

  return {
    name: url.href,
    async judge(passages, signal) {
      signal.throwIfAborted();
      const aborted = Promise.withResolvers<never>();
      const abort = (): void => aborted.reject(signal.reason as Error);
      signal.addEventListener("abort", abort, { once: true });
      try {
        const all = Promise.all(passages.map(async ({ id, text }) => [id, await judge(text)] as const));
        const judged = await Promise.race([all, aborted.promise]);
        return new Map(judged.filter(([, findings]) => findings.length > 0));
      } catch (error) {
        signal.throwIfAborted();
        if (fails === "open") return undefined;
        const reason = reasonOf(error, form);
        const message = `The classifier at ${url.host} does not work: ${reason}. Nothing is published without it. Start it, or set SCREEN_FAILS=open.`;
        throw new Failure("service_unavailable", message, { cause: error });
      } finally {
        signal.removeEventListener("abort", abort);
      }
    },
  };
}

function toFinding(name: string): Finding {
  return Object.hasOwn(findingTexts, name) ? (name as Finding) : "classified";
}
