import shared, { overSqlite } from "./vitest.config.ts"

const { outputFile, reporters, ...test } = shared.test

/** Every test over the store in memory, and those of all operations also over a database file. */
export default {
  ...shared,
  test: {
    reporters,
    outputFile,
    projects: [
      { ...shared, test: { ...test, name: "memory" } },
      {
        ...shared,
        resolve: { ...shared.resolve, alias: [overSqlite] },
        test: { ...test, name: "sqlite", include: ["test/{V2,V3,V4,Walk}.test.ts"] }
      }
    ]
  }
}
