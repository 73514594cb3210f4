import { analyseText } from "./analyse.ts";

/**
 * Words that documentation and those who ask it use for the same thing, one group a line. A group has only words that
 * may stand for each other in the documentation of any library; what is a matter of opinion is left out, since each
 * word lets in what it stands for.
 */
const groups = `
  auth authentication authenticate authn
  authorization authorisation authz
  login signin
  logout signout
  signup registration
  config configuration
  settings options
  env environment
  var variable
  db database
  async asynchronous
  sync synchronous
  delete remove
  init initialize initialise initialization
  param parameter
  arg argument
  func function fn
  dir directory folder
  repo repository
  dev development
  prod production
  err error exception
  msg message
  req request
  res response
  ts typescript
  js javascript
  py python
  attr attribute
  prop property
  cmd command
  regex regexp
  ws websocket
  ssl tls
  id identifier
  num number
  max maximum
  min minimum
  temp temporary
  spec specification
  ref reference
  upgrade migrate
  install installation
  dependency dep
  package pkg
  k8s kubernetes
  i18n internationalization internationalisation
  l10n localization localisation
  img image
  perf performance
  serialize serialise
  normalize normalise
  customize customise
  optimize optimise
  color colour
  behavior behaviour
  cancel abort
  shutdown terminate
`;

/** For each term of a group, the other terms of it. */
const synonyms: ReadonlyMap<string, readonly string[]> = toMap();

/** Terms that mean what this one does; none for most. */
export function synonymsOf(term: string): readonly string[] {
  return synonyms.get(term) ?? [];
}

function toMap(): Map<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const line of groups.trim().split("\n")) {
    const terms = [...new Set(line.trim().split(" ").map(analyseText))];
    for (const term of terms) {
      const others = terms.filter((other) => other !== term);
      found.set(term, [...new Set([...(found.get(term) ?? []), ...others])]);
    }
  }
  return found;
}
