/** Tests, mocks, browsers under test and coverage. */
export const tests = `
  before each > hook setup
  after each > hook teardown
  between tests > isolate cleanup
  unit test > test mock
  pretend to | without hitting | without calling | without a real | without real | instead of the real > mock
  without network > mock offline
  fake data > fixture mock
  test data > fixture
  only one test | one test | single test > filter only
  some tests > filter tag
  same test with > parametrize
  test with different > parametrize matrix
  tests faster > parallel performance
  sometimes fails | sometimes fail | randomly fails | fails randomly > flaky retry
  picture of the page | take a picture > screenshot
  what is covered > coverage
`;
