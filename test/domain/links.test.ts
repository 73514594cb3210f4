import { expect, it } from "vitest";
import {
  repositoryAddress,
  repositoryLinesUrl,
  repositoryPageUrl,
  sshAddress,
  webAddress,
  wikiOwner,
  wikiRepository,
} from "../../domain/addresses.ts";
import type { GitHost } from "../../domain/source.ts";

it.each<[GitHost, string, string, string]>([
  ["github", "https://github.com/a/b", "d/ü #1.md", "https://github.com/a/b/blob/c0/d/%C3%BC%20%231.md#L3-L9"],
  ["github", "https://ghe.corp/a/b.git", "d.md", "https://ghe.corp/a/b/blob/c0/d.md#L3-L9"],
  ["gitlab", "https://corp/gitlab/g/s/b/", "d.md", "https://corp/gitlab/g/s/b/-/blob/c0/d.md#L3-9"],
  ["bitbucket", "https://bitbucket.org/a/b", "d.md", "https://bitbucket.org/a/b/src/c0/d.md#lines-3:9"],
  [
    "bitbucket",
    "https://bb.corp/scm/PR/b.git",
    "d/e.md",
    "https://bb.corp/projects/PR/repos/b/browse/d/e.md?at=c0#3-9",
  ],
  ["bitbucket", "https://bb.corp/x/scm/~jo/b.git", "d.md", "https://bb.corp/x/users/jo/repos/b/browse/d.md?at=c0#3-9"],
  ["gitea", "https://codeberg.org/a/b.git", "d/e.md", "https://codeberg.org/a/b/src/commit/c0/d/e.md#L3-L9"],
  [
    "git",
    "https://dev.azure.com/a/b/_git/c",
    "d/e.md",
    "https://dev.azure.com/a/b/_git/c?path=/d/e.md&version=GCc0&line=3&lineEnd=10&lineStartColumn=1&lineEndColumn=1",
  ],
  ["git", "https://git.corp/a/b.git", "d.md", "https://git.corp/a/b/blob/c0/d.md#L3-L9"],
  ["git", "https://git.corp/a/b.wiki.git", "d.md", "https://git.corp/a/b.wiki/blob/c0/d.md#L3-L9"],
  ["github", "https://github.com/a/b.wiki.git", "guides/First-Steps.md", "https://github.com/a/b/wiki/First-Steps"],
  ["gitlab", "https://gitlab.com/g/s/b.wiki.git", "guides/first.md", "https://gitlab.com/g/s/b/-/wikis/guides/first"],
  ["gitea", "https://codeberg.org/a/b.wiki.git", "Home.md", "https://codeberg.org/a/b/wiki/Home"],
  ["bitbucket", "https://bitbucket.org/a/b.git/wiki", "Home.md", "https://bitbucket.org/a/b/wiki/Home"],
])("lines of a page on %s at %s, %s, have the address that shows them", (host, url, path, expected) => {
  expect(repositoryLinesUrl(host, url, repositoryPageUrl(host, url, "c0", path), [3, 9])).toBe(expected);
});

it.each<[GitHost, string, string | undefined]>([
  ["github", "https://github.com/a/b.git", "https://github.com/a/b.wiki.git"],
  ["gitlab", "https://gitlab.com/g/s/b", "https://gitlab.com/g/s/b.wiki.git"],
  ["gitea", "https://codeberg.org/a/b", "https://codeberg.org/a/b.wiki.git"],
  ["bitbucket", "https://bitbucket.org/a/b", "https://bitbucket.org/a/b.git/wiki"],
  ["bitbucket", "https://bb.corp/scm/PR/b.git", undefined],
  ["git", "https://git.corp/a/b", undefined],
])("the wiki of a repository on %s, %s, is %s, and leads back", (host, url, wiki) => {
  expect(wikiRepository(host, url)).toBe(wiki);
  expect(wikiOwner(host, url)).toBeUndefined();
  if (wiki !== undefined) expect(wikiOwner(host, wiki)).toBe(url.replace(/\.git$/, ""));
  if (wiki !== undefined) expect(wikiRepository(host, wiki)).toBeUndefined();
});

it.each<[GitHost, string, string, string]>([
  ["github", "git@github.com:a/b.git", "ssh://git@github.com/a/b.git", "https://github.com/a/b.git"],
  [
    "github",
    "ssh://git@ssh.github.com:443/a/b.git",
    "ssh://git@ssh.github.com:443/a/b.git",
    "https://github.com/a/b.git",
  ],
  ["gitlab", "git@altssh.gitlab.com:a/b", "ssh://git@altssh.gitlab.com/a/b", "https://gitlab.com/a/b"],
  ["bitbucket", "git@bitbucket.org:a/b.git", "ssh://git@bitbucket.org/a/b.git", "https://bitbucket.org/a/b.git"],
  ["bitbucket", "ssh://git@bb.corp:7999/PR/b.git", "ssh://git@bb.corp:7999/PR/b.git", "https://bb.corp/scm/PR/b.git"],
  ["git", "git@ssh.dev.azure.com:v3/a/b/c", "ssh://git@ssh.dev.azure.com/v3/a/b/c", "https://dev.azure.com/a/b/_git/c"],
  ["git", "SSH://Git.Corp:22/x/../a/b", "ssh://git@git.corp/a/b", "https://git.corp/a/b"],
  ["git", "git+ssh://jo@[::1]:2222/~/b", "ssh://jo@[::1]:2222/~/b", "https://[::1]/~/b"],
])("%s %s is the address of SSH %s, and on the web %s", (host, typed, url, web) => {
  expect(sshAddress(typed)?.href).toBe(url);
  expect(webAddress(host, url)).toBe(web);
  expect(repositoryAddress(webAddress(host, url))).toBe(repositoryAddress(web));
});

it.each([
  "https://github.com/a/b",
  "git@host",
  "git@host:22/a",
  "ssh://host",
  "ssh://-oProxyCommand=x/a",
  "-oProxyCommand=x@host:a",
  "git@-x:a/b",
  "ssh://git:word@host/a",
  "ssh://host:99999/a",
  "ssh://host/a b",
  "C:\\docs\\a",
])("%j is no address of SSH", (typed) => {
  expect(sshAddress(typed)).toBeUndefined();
});
