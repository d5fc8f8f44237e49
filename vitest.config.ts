import { defineConfig } from "vitest/config"

// Workspace packages resolve to their TypeScript source, so nothing is built before tests.
const conditions = ["@webagent/source", "module", "node", "development|production"]

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["test/**/*.test.ts"],
    reporters: ["dot", "json"],
    // tools/workspace/test.mjs adds these up; turbo keeps them with its cache
    outputFile: { json: ".webagent/tests.json" },
    testTimeout: 20_000
  }
})
