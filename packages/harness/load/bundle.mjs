/**
 * Bundles the load tests for a k6 that does not resolve imports: `node bundle.mjs [folder [test]]`, default dist/k6 and all.
 * Each becomes one file, `smoke.load.js`, of the JavaScript that k6's engine reads.
 */
import { readdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const home = dirname(fileURLToPath(import.meta.url))
const scripts = join(home, "k6")
const [destination = join(home, "dist", "k6"), only] = process.argv.slice(2)

const { build } = await import("rolldown").catch(() => {
  process.stderr.write("Bundling a load test needs rolldown. Install it with: node tools/workspace/install.mjs all\n")
  process.exit(1)
})

/**
 * k6's engine takes other values of its stack for the arguments of a function around an arrow function, which Effect's
 * decoders have: those are given a name. Our own k6 does so with every script.
 */
const namedArguments = {
  name: "named-arguments",
  transform: (code) =>
    code.includes("=> body.apply(this, arguments)")
      ? code.replaceAll(
          "() => body.apply(this, arguments)",
          "((self, args) => () => body.apply(self, args))(this, arguments)"
        )
      : undefined
}

await build(
  readdirSync(scripts)
    .filter((name) => (only === undefined ? name.endsWith(".load.ts") : name === `${only}.load.ts`))
    .map((name) => ({
      input: join(scripts, name),
      external: /^k6(?:\/|$)/,
      plugins: [namedArguments],
      resolve: { conditionNames: ["@webagent/source", "import"] },
      transform: { target: "es2021" },
      logLevel: "warn",
      output: { file: join(destination, name.replace(/\.ts$/, ".js")), format: "esm", codeSplitting: false }
    }))
)
