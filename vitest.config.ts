import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"

// Workspace packages resolve to their TypeScript source, so nothing is built before tests.
const conditions = ["@webagent/source", "module", "node", "development|production"]

/** Has a database file wherever tests, or the packages that they test, use the store in memory. */
export const overSqlite = {
  find: /^.*\/MemoryStore\.ts$/u,
  replacement: fileURLToPath(new URL("packages/service/sql/test/InPlaceOfMemory.ts", import.meta.url))
}

// A plain value: every package runs with this file, and the root itself does not depend on vitest.
export default {
  resolve: { alias: process.env["WEBAGENT_STORE"] === "sqlite" ? [overSqlite] : [], conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["test/**/*.test.ts"],
    // what the tests of a package share
    globalSetup: ["test/setup.ts"].filter((path) => existsSync(path)),
    // npm test names a reporter that tells of failures while the tests still run
    reporters: ["dot", "json"].concat(process.env["WEBAGENT_LIVE"] ?? []),
    // tools/workspace/test.mjs adds these up; turbo keeps them with its cache
    outputFile: { json: ".webagent/tests.json" },
    // for what hangs: a test that starts programs shares two cores with the other packages' tests, and they may be slow
    testTimeout: 600_000,
    hookTimeout: 600_000
  }
}
