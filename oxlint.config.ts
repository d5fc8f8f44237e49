import { defineConfig } from "oxlint"

/** Barrels cost: a client is three times its size with `effect`'s, a program half a second slower with the other. */
const barrels = [
  { name: "effect", message: "Import the module: effect/Effect, effect/Schema, effect/http/HttpClient, ..." },
  { name: "@effect/platform-node", message: "Import the module: @effect/platform-node/NodeHttpServer, ..." }
]

/** A package is reached by its public entry, never through the file system. */
const acrossPackages = {
  group: ["**/packages/**", "**/apps/**", "@webagent/*/src/**"],
  message: "Import another package by its public entry."
}

/** What a folder may not import, beyond what holds everywhere. */
const restricted = (files: ReadonlyArray<string>, group: ReadonlyArray<string>, message: string) => ({
  files: [...files],
  rules: {
    "no-restricted-imports": [
      "error",
      { paths: barrels, patterns: [acrossPackages, ...(group.length === 0 ? [] : [{ group: [...group], message }])] }
    ]
  }
})

// The arrows inside packages/service/server and apps/harness, as ARCHITECTURE.md draws them: a folder may import the
// ones before it. turbo boundaries holds the arrows between packages.
const server = "packages/service/server/src"
const adapters = ["**/SimulatedAgent.ts", "**/SimulatedBrowserPool.ts", "**/MemoryStore.ts"]
const harness = "apps/harness/src"

export default defineConfig({
  plugins: ["typescript", "import", "unicorn", "oxc", "promise", "node", "vitest"],
  categories: { correctness: "error", suspicious: "error" },
  env: { node: true, es2024: true },
  ignorePatterns: ["**/dist/**", "**/node_modules/**", "**/.webagent/**"],
  rules: {
    "import/no-cycle": ["error", { ignoreTypes: false }],
    "import/no-self-import": "error",
    "typescript/no-explicit-any": "error",
    "typescript/no-non-null-assertion": "error",
    "typescript/consistent-type-imports": "error",
    "no-restricted-imports": ["error", { paths: barrels, patterns: [acrossPackages] }],
    // `_tag` is how Effect tells one case from another
    "no-underscore-dangle": "off",
    // the compiler does this, and reads sources where this rule would read an old build
    "import/namespace": "off",
    // a generator that yields nothing is still the shape that Effect.gen and scenario take
    "require-yield": "off",
    // a small function beside its only use reads better than one far away
    "unicorn/consistent-function-scoping": "off",
    // Effect's modules are named as globals: Array, String, Number
    "no-shadow-restricted-names": "off",
    "no-shadow": "off"
  },
  overrides: [
    restricted(
      [`${server}/domain/**`],
      ["**/store/**", "**/agent/**", "**/browser/**", "**/engine/**", "**/api/**", "**/http/**", "**/Server.ts"],
      "domain is pure: it imports nothing of the server."
    ),
    ...["store", "agent", "browser"].map((folder) =>
      restricted(
        [`${server}/${folder}/**`],
        [
          ...["store", "agent", "browser"].filter((other) => other !== folder).map((other) => `**/${other}/**`),
          "**/engine/**",
          "**/api/**",
          "**/http/**",
          "**/Server.ts"
        ],
        "A port and its adapters import domain only."
      )
    ),
    restricted(
      [`${server}/engine/**`],
      [...adapters, "**/simulation/**", "**/api/**", "**/http/**", "**/Server.ts"],
      "The engine knows ports, no adapter, no version, and nothing of simulation."
    ),
    ...["v2", "v3", "v4"].map((version) =>
      restricted(
        [`${server}/api/${version}/**`],
        [
          ...adapters,
          "**/simulation/**",
          "**/store/**",
          "**/agent/**",
          "**/browser/**",
          "**/http/**",
          "**/Server.ts",
          ...["v2", "v3", "v4"]
            .filter((other) => other !== version)
            .flatMap((other) => [`**/${other}/**`, `@webagent/contract/${other}`])
        ],
        "A version knows the engine and no other version."
      )
    ),
    restricted(
      [`${server}/simulation/*.ts`, `${server}/simulation/{delivery,oracles}/**`],
      // not "**/http/**": that is Effect's folder, too
      [...adapters, ...["api", "http"].flatMap((folder) => [`../${folder}/**`, `../../${folder}/**`]), "**/Server.ts"],
      "What a simulation is made of stands before the app: only its control and SimulatedService know what is served."
    ),
    restricted([`${server}/simulation/SimulatedService.ts`], [], ""),
    restricted(
      [`${server}/http/**`],
      [...adapters, "**/store/**", "**/agent/**", "**/Server.ts"],
      "Only Server.ts assembles, and only the engine writes."
    ),
    restricted(
      [`${harness}/target/**`],
      ["**/suites/**", "**/commands/**", "**/reporters/**", "**/load/**", "**/main.ts"],
      "target comes before suites and commands."
    ),
    restricted(
      [`${harness}/runner/**`],
      [
        "**/target/**",
        "**/suites/**",
        "**/commands/**",
        "**/reporters/**",
        "**/load/**",
        "**/history/**",
        "**/main.ts"
      ],
      "The runner knows no target and no history: it is given them."
    ),
    restricted([`${harness}/trace/**`], ["../*", "../**"], "A trace is what was seen: it knows nothing of who looked."),
    restricted(
      [`${harness}/invariants/**`],
      ["**/suites/**", "**/commands/**", "**/reporters/**", "**/target/**", "**/load/**", "**/main.ts"],
      "Invariants know what was seen of a trial, and no target."
    ),
    restricted(
      [`${harness}/load/**`],
      ["**/suites/**", "**/commands/**", "**/runner/**", "**/target/**", "**/history/**", "**/main.ts"],
      "load knows k6 and its scripts; commands bring it a target."
    ),
    restricted(
      [`${harness}/history/**`],
      ["**/suites/**", "**/commands/**", "**/target/**", "**/runner/Runner.ts", "**/main.ts"],
      "history knows what was measured, and no target."
    ),
    restricted(
      [`${harness}/reap/**`],
      ["**/suites/**", "**/commands/**", "**/runner/**", "**/target/**", "**/load/**", "**/main.ts"],
      "reap knows a ledger and a service; commands bring it both."
    ),
    restricted(
      [`${harness}/suites/**`],
      ["**/commands/**", "**/reporters/**", "**/target/**", "**/runner/**", "**/main.ts"],
      "A suite is a value made of @webagent/scenario alone, as a user's is."
    ),
    restricted(
      [`${harness}/reporters/**`],
      [
        "**/runner/Runner.ts",
        "**/runner/Plan.ts",
        "**/runner/TrialLog.ts",
        "**/commands/**",
        "**/suites/**",
        "**/target/**",
        "**/load/**",
        "**/main.ts"
      ],
      "Reporters see results only."
    ),
    restricted(
      [`${harness}/page/**`],
      ["**/runner/Runner.ts", "**/commands/**", "**/suites/**", "**/target/**", "**/load/**", "**/main.ts"],
      "The page is drawn from results, traces and nights, whoever made them."
    ),
    {
      files: ["packages/**/src/**"],
      rules: {
        "no-restricted-globals": [
          "error",
          { name: "setTimeout", message: "Wait with Effect.sleep: tests move the clock." },
          { name: "setInterval", message: "Repeat with a Schedule: tests move the clock." },
          { name: "performance", message: "Read effect/Clock: tests move it." }
        ],
        "no-restricted-properties": [
          "error",
          { object: "Date", property: "now", message: "Read effect/Clock: tests move it." },
          {
            object: "Math",
            property: "random",
            message: "Draw from effect/Random or the seed: every failure replays."
          },
          { object: "crypto", property: "randomUUID", message: "Draw from the seed: every failure replays." }
        ]
      }
    },
    { files: ["**/*.mjs", "**/*.js"], rules: { "no-console": "off" } }
  ]
})
