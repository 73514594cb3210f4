/** The repository that a package names. It is an unverified claim. */
export interface NamedRepository {
  /** Absolute http or https URL without credentials. */
  readonly url: string;
  /** A manifest of the repository names the package, at the tag of its version. */
  readonly isConfirmed: boolean;
}

/** The canonical form of a repository address: folded host and path; undefined for what is not one. */
export function repositoryAddress(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  const path = url.pathname
    .split("/")
    .filter((part) => part !== "")
    .join("/")
    .normalize("NFC")
    .toLowerCase()
    .replace(/\.git$/, "");
  return path === "" ? undefined : `${url.host.replace(/^www\./, "")}/${path}`;
}
