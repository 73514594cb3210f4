import { Failure } from "../../domain/failures.ts";
import { kinds } from "../../domain/kinds/index.ts";
import type { Kind, SourceSpec } from "../../domain/kinds/index.ts";
import type { CredentialFacts } from "../../domain/kinds/kind.ts";
import type { Source, SourceItem, SourceState } from "../../domain/ports.ts";
import { createRedaction } from "./redaction.ts";
import type { Redaction } from "./redaction.ts";

/**
 * The same source, of which nothing brings the credential back that it was read with. Servers send back what they were sent: it is
 * struck from whatever is thrown and from why pages failed or were skipped, and no ref and no address has it.
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

/** Every text of a credential is a secret, unless its kind says which are. */
function redactionOf(kind: Kind, credential: unknown): Redaction {
  const { secrets }: Partial<CredentialFacts<SourceSpec>> = kinds[kind].credential ?? {};
  const isData = typeof credential === "object" && credential !== null;
  return createRedaction(secrets && isData ? secrets(credential) : textsIn(credential));
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** @throws Failure source_invalid where the source redirects to an address with the secret, or its default branch is named so */
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
