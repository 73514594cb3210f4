import { Failure } from "../../domain/failures.ts";
import { kinds } from "../../domain/kinds/index.ts";
import type { Kind, SourceSpec } from "../../domain/kinds/index.ts";
import type { CredentialFacts } from "../../domain/kinds/kind.ts";
import type { Source, SourceItem, SourceState } from "../../domain/ports.ts";
import { createRedaction } from "./redaction.ts";
import type { Redaction } from "./redaction.ts";

/**
 * Wraps a source so that nothing it returns or throws has the credential, which servers may echo: it is removed from errors and from the
 * reasons of items, and no ref and no address contains it.
 */
export function redacting(source: Source): Source {
  return {
    kind: source.kind,
    async resolve(spec, ref, context) {
      const redaction = redactionOf(source.kind, context.credential);
      try {
        return stateWithout(redaction, await source.resolve(spec, ref, context));
      } catch (error) {
        throw redaction.error(error);
      }
    },
    async *read(spec, state, context) {
      const redaction = redactionOf(source.kind, context.credential);
      try {
        for await (const item of source.read(spec, state, context)) yield itemWithout(redaction, item);
      } catch (error) {
        throw redaction.error(error);
      }
    },
  };
}

/** The secrets are those that the kind names, else all texts of the credential. */
function redactionOf(kind: Kind, credential: unknown): Redaction {
  const { secrets }: Partial<CredentialFacts<SourceSpec>> = kinds[kind].credential ?? {};
  const isData = typeof credential === "object" && credential !== null;
  return createRedaction(secrets && isData ? secrets(credential) : textsIn(credential));
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** Removes refs with the secret. @throws Failure source_invalid where the address or the branch contains it */
function stateWithout({ isIn }: Redaction, state: SourceState): SourceState {
  if (isIn(state.location) || isIn(state.ref ?? ""))
    throw new Failure(
      "source_invalid",
      "The host sends the token back, as the repository's address or branch. Revoke the token, and give none to this host.",
    );
  return { ...state, refs: state.refs.filter(({ name }) => !isIn(name)) };
}

function itemWithout({ text }: Redaction, item: SourceItem): SourceItem {
  if (item.type === "failed") return { ...item, failure: { ...item.failure, message: text(item.failure.message) } };
  return item.type === "skipped" ? { ...item, reason: text(item.reason) } : item;
}
