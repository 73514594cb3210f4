/** Setting up, running, deploying and hosting; continuous integration, containers and clouds. */
export const running = `
  set up > setup install configure
  set * up > setup configure
  hook up > integrate connect
  wire up > configure connect
  spin up > start create
  without restarting > reload hot
  without reloading > hot
  on my machine | on my laptop > local development
  my own | bring * own > custom
  own server > selfhost deploy
  in production | put * into production | move to production | host it | host * myself | host on > deploy
  run on a server | run it on > deploy
  go live > deploy production
  upload my > publish deploy
  put * online | ship to > deploy publish
  hot reload > reload watch dev
  zero downtime > graceful restart
  keep * running > daemon service restart
  fail the build > exit code ci
  roll out > deploy release
  run on > platform deploy
  on every push | continuous integration | build server | build machine > ci
  on every commit > ci hook
  pull request | pull requests > ci github
`;
