/**
 * Bundles the load tests for a k6 that does not resolve imports: `node build-load.mjs [folder [test]]`, default dist/load and all.
 * Each becomes one file, `smoke.load.js`, of the JavaScript that k6's engine reads.
 */
import { readdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const home = dirname(fileURLToPath(import.meta.url))
const load = join(home, "load")
const [destination = join(home, "dist", "load"), only] = process.argv.slice(2)

const { build } = await import("rolldown").catch(() => {
  process.stderr.write("rolldown is needed to bundle a load test: node tools/workspace/install.mjs all\n")
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
  readdirSync(load)
    .filter((name) => (only === undefined ? name.endsWith(".load.ts") : name === `${only}.load.ts`))
    .map((name) => ({
      input: join(load, name),
      external: /^k6(?:\/|$)/,
      plugins: [namedArguments],
      resolve: { conditionNames: ["@webagent/source", "import"] },
      transform: { target: "es2021" },
      logLevel: "warn",
      output: { file: join(destination, name.replace(/\.ts$/, ".js")), format: "esm", codeSplitting: false }
    }))
)
