const conditions = ["@webagent/source", "module", "node", "development|production"]

// As the one of the workspace, which a package may not import; everything is packed and installed once.
export default {
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/setup.ts"],
    reporters: ["dot", "json"].concat(process.env["WEBAGENT_LIVE"] ?? []),
    outputFile: { json: ".webagent/tests.json" },
    // for what hangs: npm, compilers and runtimes share two cores with the other packages' tests, and they may be slow
    testTimeout: 600_000,
    hookTimeout: 600_000,
    teardownTimeout: 600_000
  }
}
