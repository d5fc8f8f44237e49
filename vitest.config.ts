// Workspace packages resolve to their TypeScript source, so nothing is built before tests.
const conditions = ["@webagent/source", "module", "node", "development|production"]

// A plain value: every package runs with this file, and the root itself does not depend on vitest.
export default {
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["test/**/*.test.ts"],
    // npm test names a reporter that tells of failures while the tests still run
    reporters: ["dot", "json"].concat(process.env["WEBAGENT_LIVE"] ?? []),
    // tools/workspace/test.mjs adds these up; turbo keeps them with its cache
    outputFile: { json: ".webagent/tests.json" },
    // for what hangs: a test that starts programs shares two cores with the other packages' tests, and they may be slow
    testTimeout: 180_000,
    hookTimeout: 180_000
  }
}
