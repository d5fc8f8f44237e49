const conditions = ["@webagent/source", "module", "node", "development|production"]

// As the one of the workspace, which a package may not import, and with the tests of the guide.
export default {
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["test/**/*.test.ts", "testing/*/*.test.ts"],
    reporters: ["dot", "json"].concat(process.env["WEBAGENT_LIVE"] ?? []),
    outputFile: { json: ".webagent/tests.json" },
    // a worker loads effect once, not once for each file
    isolate: false,
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // what a test starts runs from source, too
    env: { NODE_OPTIONS: "--conditions=@webagent/source" }
  }
}
