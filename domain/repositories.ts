/** The repository that a package says it is made in. It is a claim: anybody may write any address. */
export interface NamedRepository {
  /** Absolute http or https URL without credentials. */
  readonly url: string;
  /** The repository has the package at the tag of its version, by its own manifest. */
  readonly isConfirmed: boolean;
}

/** What two addresses of one repository have in common: host and path, folded; undefined for what is no address of one. */
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
