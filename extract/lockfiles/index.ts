import { Failure } from "../../domain/failures.ts";
import { inOrderOfNeed, maxPackages, registries, type Lockfile } from "../../domain/packages.ts";
import { readBunLock, readPackageLock, readPnpmLock, readYarnLock } from "./javascript.ts";
import { checkEntries, type Listed } from "./tables.ts";
import { readRequirements, readUvLock, readPoetryLock, readCargoLock, readGoSum } from "./python-rust-go.ts";

interface Format {
  readonly format: string;
  readonly named: RegExp;
  read(text: string): Listed;
}

/** The formats of lockfiles. */
const formats: readonly Format[] = [
  { format: "package-lock.json", named: /^(?:package-lock|npm-shrinkwrap)\.json$/, read: readPackageLock },
  { format: "pnpm-lock.yaml", named: /^pnpm-lock\.ya?ml$/, read: readPnpmLock },
  { format: "yarn.lock", named: /^yarn\.lock$/, read: readYarnLock },
  { format: "bun.lock", named: /^bun\.lock$/, read: readBunLock },
  { format: "uv.lock", named: /^uv\.lock$/, read: readUvLock },
  { format: "poetry.lock", named: /^poetry\.lock$/, read: readPoetryLock },
  { format: "Cargo.lock", named: /^cargo\.lock$/, read: readCargoLock },
  { format: "go.sum", named: /^go\.sum$/, read: readGoSum },
  { format: "requirements.txt", named: /^(?:requirements|constraints)?[\w.-]*\.txt$/, read: readRequirements },
];

/**
 * Reads an uploaded lockfile in the format of its file name, without folders. Runs on a thread: its result is short, however long the file is.
 * @throws Failure validation_error for an unknown format, or a damaged file
 */
export function readLockfile({ name, bytes }: { readonly name: string; readonly bytes: Uint8Array }): Lockfile {
  const format = formats.find(({ named }) => named.test(name.toLowerCase()));
  if (format === undefined)
    throw new Failure(
      "validation_error",
      `"${name.slice(0, 80)}" is no lockfile that is read. Send one of ${formats.map((one) => one.format).join(", ")}.`,
    );
  const { dependencies, others } = readWith(format, new TextDecoder().decode(bytes));
  checkEntries(dependencies.length);
  const known = dependencies.map((one) => ({ ...one, name: registries[one.registry].normal(one.name) }));
  const valid = known.filter((one) => registries[one.registry].rule.test(one.name) && one.version.length <= 200);
  const all = inOrderOfNeed(valid);
  return {
    format: format.format,
    dependencies: all.slice(0, maxPackages),
    leftOut: Math.max(0, all.length - maxPackages),
    others: others + known.length - valid.length,
  };
}

function readWith({ format, read }: Format, text: string): Listed {
  try {
    return read(text);
  } catch (cause) {
    if (!(cause instanceof Error) || cause instanceof Failure) throw cause;
    throw new Failure(
      "validation_error",
      `The file is no ${format} that can be read: it is damaged, or of another program.`,
      { cause },
    );
  }
}
