import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { folder, type Program, ready, run, source, start, takenPort } from "./program.ts"

const createRun = (baseUrl: string | undefined, key: string) =>
  Effect.promise(() =>
    fetch(`${baseUrl}/runs`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-service-api-key": key },
      body: JSON.stringify({ task: "Find a red mug" })
    })
  )

/** A file that is gone after the test. */
const file = (name: string, text: string) =>
  Effect.map(folder, (path) => {
    writeFileSync(join(path, name), text)
    return join(path, name)
  })

/** Has Node name every module that it loads. */
const naming = `data:text/javascript,${encodeURIComponent(
  'import { registerHooks } from "node:module"; registerHooks({ load: (url, context, next) => (console.error(url), next(url, context)) })'
)}`

describe("webagent-server", () => {
  it.live("doesn't load an agent if it simulates one", () =>
    Effect.gen(function* () {
      const program = yield* start(["simulate", "--port", "0"], { NODE_OPTIONS: `--import ${naming}` }, source)
      yield* ready(program)
      program.process.kill("SIGKILL")
      const { stderr } = yield* program.ended
      assert.include(stderr, "/apps/server/src/serve.ts")
      assert.notMatch(stderr, /packages\/service\/agent\/src\/(?:agent|page)\//u)
    })
  )

  it.live("prints its address and the key, and exits with 0 on Ctrl-C", () =>
    Effect.gen(function* () {
      const program = yield* start(["simulate", "--port", "0"])
      const printed = yield* ready(program)
      assert.match(program.stdout(), /^simulated service on http:\S+, until Ctrl-C\n[^]*\nkey +wak_test\n/u)
      const create = (key: string) => createRun(printed["v4"], key)
      assert.strictEqual((yield* create("wak_test")).status, 201)
      assert.strictEqual((yield* create("wak_other")).status, 401)
      program.process.kill("SIGINT")
      assert.deepStrictEqual(yield* program.ended, { code: 0, stderr: "" })
    })
  )

  it.live("prefers the keys of --api-key to WEBAGENT_SERVER_API_KEY, and makes the same ids with the same seed", () =>
    Effect.gen(function* () {
      const environment = { WEBAGENT_SERVER_API_KEY: "from-environment" }
      const [one, two] = yield* Effect.all(
        [
          start(["simulate", "--port", "0", "--seed", "7", "--turn-duration", "1ms"], environment),
          start(["simulate", "--port", "0", "--seed", "7", "--api-key", "first", "--api-key", "second"], environment)
        ],
        { concurrency: "unbounded" }
      )
      const create = Effect.fnUntraced(function* (program: Program, key: string) {
        const { v4 } = yield* ready(program)
        const answer = yield* createRun(v4, key)
        const { id } = yield* Effect.promise(() => answer.json() as Promise<{ id?: string }>)
        return { status: answer.status, id }
      })
      const first = yield* create(one, "from-environment")
      assert.strictEqual(first.status, 201)
      const second = yield* create(two, "second")
      assert.strictEqual(second.id, first.id)
      assert.strictEqual((yield* create(two, "from-environment")).status, 401)
    })
  )

  it.live("gives the same browser another secret address each time, even with the same seed", () =>
    Effect.gen(function* () {
      const addresses = yield* Effect.all(
        [start(["simulate", "--port", "0", "--seed", "7"]), start(["simulate", "--port", "0", "--seed", "7"])],
        { concurrency: "unbounded" }
      ).pipe(
        Effect.flatMap(
          Effect.forEach((program) =>
            Effect.flatMap(ready(program), ({ key = "", v4 }) =>
              Effect.promise(async () => {
                const headers = { "x-service-api-key": key }
                const answer = await fetch(`${v4}/browsers`, { method: "POST", headers })
                return new URL(((await answer.json()) as { cdpUrl: string }).cdpUrl)
              })
            )
          )
        )
      )
      assert.strictEqual(new Set(addresses.map(({ pathname }) => pathname)).size, 1)
      assert.strictEqual(new Set(addresses.map(({ searchParams }) => searchParams.get("token"))).size, 2)
    })
  )

  for (const isDurable of [false, true]) {
    it.live(`links of a server ${isDurable ? "over a file" : "in memory"} follow --public-url or --trust-proxy`, () =>
      Effect.gen(function* () {
        const command = isDurable ? ["serve", "--data", join(yield* folder, "server.db")] : ["simulate"]
        const cdpUrl = Effect.fnUntraced(function* (
          args: ReadonlyArray<string>,
          environment: Readonly<Record<string, string>> = {}
        ) {
          const program = yield* start([...command, "--port", "0", "--api-key", "wak_links", ...args], environment)
          const { v4 } = yield* ready(program)
          const headers = {
            "x-service-api-key": "wak_links",
            "x-forwarded-proto": "https",
            "x-forwarded-host": "forwarded.example"
          }
          const response = yield* Effect.promise((signal) =>
            fetch(`${v4}/browsers`, { method: "POST", headers, signal })
          )
          const { cdpUrl } = yield* Effect.promise(() => response.json() as Promise<{ cdpUrl: string }>)
          program.process.kill("SIGTERM")
          yield* program.ended
          return { listens: new URL(v4 ?? "").host, start: new URL(cdpUrl).origin }
        })
        const untrusted = yield* cdpUrl([])
        assert.strictEqual(untrusted.start, `ws://${untrusted.listens}`)
        assert.strictEqual((yield* cdpUrl(["--trust-proxy", "127.0.0.0/8"])).start, "wss://forwarded.example")
        const environment = { WEBAGENT_SERVER_PUBLIC_URL: "https://public.example" }
        assert.strictEqual((yield* cdpUrl([], environment)).start, "wss://public.example")
      })
    )
  }

  it.live("reports a port in use in one sentence, and exits with 2", () =>
    Effect.gen(function* () {
      const { port } = yield* takenPort
      const program = yield* start(["simulate", "--port", String(port)])
      assert.deepStrictEqual(yield* program.ended, {
        code: 2,
        stderr: `Port ${port} is in use. Choose another with --port, or 0 for any free port.\n`
      })
      assert.strictEqual(program.stdout(), "")
    })
  )

  it.live("listens on other interfaces only with an explicit key", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* run(["simulate", "--port", "0", "--host", "0.0.0.0"]), {
        code: 2,
        stdout: "",
        stderr: "Other machines can reach 0.0.0.0. Set an API key with --api-key or WEBAGENT_SERVER_API_KEY.\n"
      })
    })
  )

  for (const [args, sentence] of [
    [[], "npm run server -- simulate\nOr, to keep runs in a database: npm run server -- serve"],
    [
      ["--port", "8080"],
      "npm run server -- simulate --port 8080\nOr, to keep runs in a database: npm run server -- serve --port 8080"
    ],
    [
      ["--profile", "./my profile.json", "--time-scale=60", "--control"],
      'npm run server -- simulate --profile "./my profile.json" --time-scale=60 --control'
    ],
    [["--node", "east", "--port", "8080"], "npm run server -- serve --node east --port 8080"],
    // keys and addresses with passwords don't belong in a log
    [
      ["--data", "postgres://user:secret@db/name", "--api-key=K", "--port", "8080"],
      "npm run server -- serve --data ... --api-key=... --port 8080"
    ],
    [
      ["--config", "sim.json"],
      "npm run server -- simulate --config sim.json\nOr, to keep runs in a database: npm run server -- serve --config sim.json"
    ]
  ] as const) {
    it.live(`suggests a command for "${args.join(" ")}" without one`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* run(args), { code: 2, stdout: "", stderr: `No command. Use: ${sentence}\n` })
      })
    )
  }

  it.live("refuses another command's setting in a file, and names that command", () =>
    Effect.gen(function* () {
      const simulated = yield* file("sim.json", '{ "profile": "flaky" }')
      assert.deepStrictEqual(yield* run(["serve", "--config", simulated]), {
        code: 2,
        stdout: "",
        stderr: `${simulated}: setting "profile" works only with the command simulate. Remove it, or use that command.\n`
      })
      const served = yield* file("server.json", '{ "data": "server.db" }')
      const { stderr } = yield* run(["--log-level", "debug", "simulate", "--config", served])
      assert.match(stderr, /: setting "data" works only with the command serve\. /u)
    })
  )

  it.live("names an unknown flag without printing the whole help", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* run(["simulate", "--turn-duration", "soon"])
      assert.deepStrictEqual([code, stdout], [2, ""])
      assert.match(
        stderr,
        /^Invalid value for flag --turn-duration: "soon"\..*a time such as 200ms, 2s or 1m\. See: npm run server -- simulate --help\n$/u
      )
    })
  )

  for (const [profile, waits] of [
    ["realistic", "; requests wait for it because the profile has latency"],
    ["instant", ""]
  ] as const) {
    it.live(`explains what waits with --time manual and the profile ${profile} until time is advanced`, () =>
      Effect.gen(function* () {
        const program = yield* start(["simulate", "--port", "0", "--profile", profile, "--time", "manual"])
        yield* ready(program)
        const [line] = program.stdout().match(/^time .*$/mu) ?? []
        assert.strictEqual(line?.replace(/^time +/u, ""), `manual: moves only through the control API${waits}`)
      })
    )
  }

  it.live("accepts --profile, --time-scale and --control, and the printed key controls the service", () =>
    Effect.gen(function* () {
      const program = yield* start(["simulate", "--port", "0", "--profile", "flaky", "--time-scale", "60", "--control"])
      const printed = yield* ready(program)
      const labels = "simulated v2 v3 v4 docs console profile time control control-key script"
      assert.isTrue(Object.keys(printed).join(" ").startsWith(labels))
      assert.match(program.stdout(), /^time +60 times as fast as real time$/mu)
      const control = (path: string, key: string) =>
        Effect.promise(() => fetch(`${printed["control"]}${path}`, { headers: { "x-control-key": key } }))
      assert.strictEqual((yield* control("/time", "wrong")).status, 401)
      const answer = yield* control("/time", printed["control-key"] ?? "")
      const { time } = yield* Effect.promise(() => answer.json() as Promise<{ time: unknown }>)
      assert.deepStrictEqual(time, { mode: "scaled", factor: 60 })
      const profile = yield* control("/profile", printed["control-key"] ?? "")
      assert.include(yield* Effect.promise(() => profile.text()), '"name":"flaky"')
    })
  )

  it.live("reads settings from files, and doesn't print a control key from one", () =>
    Effect.gen(function* () {
      const profile = yield* file("profile.json", '{ "name": "mine", "extends": "instant", "results": ["found"] }')
      const faults = yield* file("faults.json", '[{ "name": "busy", "fault": { "kind": "status", "status": 500 } }]')
      const program = yield* start(
        ["simulate", "--port", "0", "--profile", profile, "--faults", faults, "--control", "--journal-size", "3"],
        { WEBAGENT_CONTROL_KEY: "from-environment" }
      )
      const printed = yield* ready(program)
      assert.deepStrictEqual([printed["profile"], printed["faults"]], ["mine", "1"])
      assert.notProperty(printed, "control-key")
      for (let index = 0; index < 5; index++) {
        assert.strictEqual((yield* createRun(printed["v4"], printed["key"] ?? "")).status, 500)
      }
      const journal = yield* Effect.promise(async () => {
        const headers = { "x-control-key": "from-environment" }
        return (await fetch(`${printed["control"]}/journal`, { headers })).json() as Promise<{ kept: number }>
      })
      assert.strictEqual(journal.kept, 3)
    })
  )

  const mistakes: Readonly<Record<string, readonly [args: ReadonlyArray<string>, stderr: RegExp]>> = {
    "an unknown preset": [
      ["simulate", "--profile", "flakey"],
      /^Unknown preset "flakey"\. Did you mean flaky\? To use a file, give its path, such as \.\/flakey\.json\.\n$/u
    ],
    "a missing file": [
      ["simulate", "--faults", "./nowhere.json"],
      /^--faults: file \.\/nowhere\.json not found\. Check the path\.\n$/u
    ],
    "two time modes": [
      ["simulate", "--time", "manual", "--time-scale", "60", "--control"],
      /^--time manual and --time-scale cannot be combined\. Remove one of them\.\n$/u
    ],
    "--wizard, which the help replaces": [["--wizard"], /^No flag --wizard\. See: npm run server -- --help\n$/u],
    "an unknown flag with a value": [
      ["serve", "--prot", "8080"],
      /^No flag --prot\. Did you mean --port\? See: npm run server -- serve --help\n$/u
    ],
    "a flag of simulate": [
      ["serve", "--profile", "flaky"],
      /^No flag --profile\. Did you mean the command simulate\? See: npm run server -- serve --help\n$/u
    ],
    "a flag of serve": [
      ["simulate", "--data", "server.db"],
      /^No flag --data\. Did you mean the command serve\? See: npm run server -- simulate --help\n$/u
    ],
    "an unknown command with a flag": [
      ["kyes", "create", "--name", "ci"],
      /^No command "kyes"\. Did you mean keys\? No flag --name\. See: npm run server -- --help\n$/u
    ],
    "a size that isn't a number": [
      ["simulate", "--journal-size", "many"],
      /^Invalid value for flag --journal-size: "many"\. Expected: a number\. See: npm run server -- simulate --help\n$/u
    ],
    "a public URL without a scheme": [
      ["simulate", "--public-url", "agent.example"],
      /^Invalid value for flag --public-url: "agent\.example"\. Expected: an http or https address without user, query and hash, such as https:\/\/agent\.example\. See: npm run server -- simulate --help\n$/u
    ],
    "a trusted proxy given by name": [
      ["simulate", "--trust-proxy", "10.0.0.5,proxy.example"],
      /^Invalid value for flag --trust-proxy: "?10\.0\.0\.5,proxy\.example"?\. Expected: addresses and networks such as 10\.0\.0\.5,10\.1\.0\.0\/16\. See: npm run server -- simulate --help\n$/u
    ],
    "an invalid header": [
      ["simulate", "--api-key-header", "my key"],
      /^Invalid value for flag --api-key-header: "my key"\. Expected: the name of a header, such as X-API-Key\. See: npm run server -- simulate --help\n$/u
    ],
    "an invalid scale": [["simulate", "--time-scale", "0"], /^Invalid value for flag --time-scale: "0"/u],
    "a model without its dialect": [
      ["serve", "--browsers", "chromium", "--model", "gpt"],
      /^Invalid value for flag --model: "gpt"\. Expected: DIALECT:NAME, such as openai:NAME; a dialect is one of openai-compatible, openai, anthropic, google\. See: npm run server -- serve --help\n$/u
    ],
    "a model without real browsers": [
      ["serve", "--browsers", "simulated", "--model", "openai:gpt"],
      /^--model works only with real browsers\. Add --browsers chromium or remove --model\.\n$/u
    ],
    "an invalid model address": [
      ["serve", "--browsers", "chromium", "--model", "openai:gpt", "--model-url", "localhost:11434"],
      /^Invalid value for flag --model-url: "localhost:11434"\. Expected: an address such as http/u
    ],
    "a language that isn't a tag": [
      ["serve", "--browsers", "chromium", "--browser-languages", "de-DE,en_US"],
      /^Invalid value for flag --browser-languages: "de-DE,en_US"\. Expected: 1 to 10 BCP 47 language tags/u
    ],
    "invalid prices": [
      ["serve", "--browsers", "chromium", "--model", "openai:gpt", "--model-price", "input=3"],
      /^Invalid value for flag --model-price: "input=3"\. Expected: prices such as input=3,output=15/u
    ],
    "a domain that is an address": [
      ["serve", "--browsers", "chromium", "--model", "openai:gpt", "--allow-domains", "https://example.com/"],
      /^Invalid value for flag --allow-domains: .* Expected: hosts such as example\.com/u
    ],
    "a model flag without a model": [
      ["serve", "--browsers", "chromium", "--judge"],
      /^--judge works only with a model\. Add --model DIALECT:NAME or remove --judge\.\n$/u
    ],
    "a model flag without a model and without real browsers": [
      ["serve", "--model-url", "http://127.0.0.1:1/v1"],
      /^--model-url works only with a model\. Add --model DIALECT:NAME or remove --model-url\.\n$/u
    ],
    "a vendor's model without a key": [
      ["serve", "--browsers", "chromium", "--model", "openai:gpt"],
      /^--model openai:gpt needs the key of the model\. Set it in WEBAGENT_MODEL_KEY\.\n$/u
    ],
    "a vendor's fallback without a key": [
      "serve --browsers chromium --model openai-compatible:a --fallback-model google:b".split(" "),
      /^--fallback-model google:b needs the key of the model\. Set it in WEBAGENT_FALLBACK_KEY\.\n$/u
    ],
    "no duration for a run": [
      ["serve", "--browsers", "chromium", "--model", "openai:gpt", "--max-run-time", "0s"],
      /^Invalid value for flag --max-run-time: .* Expected: more than 0\. See: npm run server -- serve --help\n$/u
    ],
    "no timeout for a model request": [
      ["serve", "--browsers", "chromium", "--model", "openai:gpt", "--model-timeout", "0s"],
      /^Invalid value for flag --model-timeout: .* Expected: more than 0\. See: npm run server -- serve --help\n$/u
    ],
    "an invalid retry limit": [
      ["serve", "--browsers", "chromium", "--model", "openai:gpt", "--model-retry-for", "5"],
      /^Invalid value for flag --model-retry-for: .* Expected: a time such as 200ms, 2s or 1m\. See: npm run server -- serve --help\n$/u
    ],
    "a cost limit without prices": [
      ["serve", "--browsers", "chromium", "--model", "openai:gpt", "--max-run-cost", "1"],
      /^--max-run-cost needs the prices of the model\. Add --model-price input=USD,output=USD or remove it\.\n$/u
    ],
    "a fallback's address without a fallback": [
      ["serve", "--browsers", "chromium", "--model", "openai:gpt", "--fallback-url", "http://127.0.0.1:1"],
      /^--fallback-url works only with a fallback model\. Add --fallback-model DIALECT:NAME or remove --fallback-url\.\n$/u
    ],
    "a cost limit without the fallback's prices": [
      "serve --browsers chromium --model openai:a --model-price input=1,output=1 --max-run-cost 1 --fallback-model openai:b".split(
        " "
      ),
      /^--max-run-cost needs the prices of the fallback model\. Add --fallback-price input=USD,output=USD or remove it\.\n$/u
    ],
    "a missing secrets file": [
      ["serve", "--browsers", "chromium", "--model", "openai:gpt", "--secrets", "./nowhere.json"],
      /^--secrets: cannot read file \.\/nowhere\.json\. Check the path and its permissions\.\n$/u
    ]
  }

  for (const [what, [args, stderr]] of Object.entries(mistakes)) {
    it.live(`prints one clear error and exits with 2: ${what}`, () =>
      Effect.gen(function* () {
        const ended = yield* run(args)
        assert.match(ended.stderr, stderr)
        assert.deepStrictEqual([ended.code, ended.stdout], [2, ""])
      })
    )
  }

  it.live("reports an invalid secrets file in one error, without values", () =>
    Effect.gen(function* () {
      const path = yield* file(
        "secrets.json",
        '{ "shop": { "value": "hunter2-canary", "domains": ["https://shop.example"] } }'
      )
      const { code, stderr } = yield* run([
        "serve",
        "--browsers",
        "chromium",
        "--model",
        "openai:gpt",
        "--secrets",
        path
      ])
      assert.strictEqual(code, 2)
      assert.strictEqual(
        stderr,
        `--secrets: ${path} must be a JSON object such as { "shop": { "value": "at least 4 characters", "domains": ["shop.example"] } }.\n`
      )
    })
  )

  it.live("reports one line per wrong field of an invalid file", () =>
    Effect.gen(function* () {
      const path = yield* file(
        "bad.json",
        '[{ "fault": { "kind": "hangs" } }, { "fault": { "kind": "reset", "x": 1 } }]'
      )
      const { code, stderr } = yield* run(["simulate", "--port", "0", "--faults", path])
      assert.strictEqual(code, 2)
      const lines = stderr.trimEnd().split("\n")
      assert.strictEqual(lines[0], `${path}:`)
      assert.match(lines[1] ?? "", /^ {2}\[0\]\.fault\.kind: expected one of .*did you mean "hang"\?$/u)
      assert.match(lines[2] ?? "", /^ {2}\[1\]\.fault\.x: is not a known field/u)
    })
  )

  it.live("names the control API's flag if its port is in use", () =>
    Effect.gen(function* () {
      const { port } = yield* takenPort
      assert.deepStrictEqual(yield* run(["simulate", "--port", "0", "--control-port", String(port)]), {
        code: 2,
        stdout: "",
        stderr: `Port ${port} is in use. Choose another with --control-port, or 0 for any free port.\n`
      })
    })
  )
})
