import { defineConfig } from "oxlint"

/** Barrels cost: a client is three times its size with `effect`'s, a program half a second slower with the other. */
const barrels = [
  { name: "effect", message: "Import the module: effect/Effect, effect/Schema, effect/http/HttpClient, ..." },
  { name: "@effect/platform-node", message: "Import the module: @effect/platform-node/NodeHttpServer, ..." }
]

/** A pipe whose reader is busy refuses a synchronous write with EAGAIN, so a program that prints this way fails under load. */
const printing = {
  name: "node:fs",
  importNames: ["writeSync"],
  message: "Print with process.stdout.write, which waits for the reader."
}

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
    "no-restricted-imports": ["error", { paths: [...barrels, printing] }],
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
    {
      files: ["packages/**/src/**", "apps/**/src/**"],
      rules: { "max-lines-per-function": ["error", { max: 150 }] }
    },
    // writes to a file
    {
      files: ["packages/service/chromium/src/recording/Spool.ts"],
      rules: { "no-restricted-imports": ["error", { paths: barrels }] }
    },
    // style sheets have nothing to name
    {
      files: ["apps/console/src/**", "apps/docs/.vitepress/**"],
      rules: { "import/no-unassigned-import": ["error", { allow: ["**/*.css", "**/styles.ts"] }] }
    },
    // a visit fails for any problem of its page
    {
      files: ["apps/console/test/screens/**"],
      rules: { "vitest/expect-expect": ["error", { assertFunctionNames: ["assert*", "visit*"] }] }
    },
    // runs in the page, which has a clock of its own
    { files: ["packages/service/agent/src/page/world/**"], rules: { "no-restricted-globals": "off" } },
    { files: ["**/*.mjs", "**/*.js"], rules: { "no-console": "off" } }
  ]
})
