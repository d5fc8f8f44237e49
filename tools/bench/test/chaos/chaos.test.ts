import { assert, describe, it } from "vitest"
import { run } from "../../src/chaos/chaos.ts"
import { fromSource } from "../../src/measure/ServerProcess.ts"

const seed = Number(process.env["WEBAGENT_CHAOS_SEED"] ?? 1)

/** Deletes each key when it is stored. A server that stores the key and the run in two commits can lose it so. */
const forgetful = [
  "CREATE FUNCTION forget() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM idempotency_keys WHERE key = NEW.key; RETURN NULL; END'",
  "CREATE TRIGGER forgets AFTER INSERT ON idempotency_keys FOR EACH ROW EXECUTE FUNCTION forget()"
]

/** Records that a run which is over runs again, as a server would that writes over a newer revision. */
const overwriting = [
  `CREATE FUNCTION again() RETURNS trigger LANGUAGE plpgsql AS '
    BEGIN INSERT INTO events (record) SELECT record FROM events
      WHERE record::json->>''id'' = NEW.id AND record::json->>''to'' = ''running''; RETURN NULL; END'`,
  `CREATE TRIGGER overwrites AFTER UPDATE ON turns FOR EACH ROW
    WHEN (NEW.ended_at_ms IS NOT NULL AND OLD.ended_at_ms IS NULL) EXECUTE FUNCTION again()`
]

/** Leaves every fifth run out of lists, as a trigger would that a create doesn't wait for. */
const unlisting = [
  "CREATE FUNCTION unlist() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN IF NEW.n % 5 = 0 THEN DELETE FROM turn_list WHERE n = NEW.n; END IF; RETURN NULL; END'",
  "CREATE TRIGGER unlists AFTER INSERT ON turns FOR EACH ROW EXECUTE FUNCTION unlist()"
]

const quiet = {
  mode: "chaos",
  seed,
  kills: 0,
  freezes: 0,
  restarts: 0,
  stalls: 0,
  clients: 4,
  log: () => undefined
} as const

// processes that are killed and frozen take the time that they take: only what hangs ends these tests
describe("three servers on one Postgres", { timeout: 900_000 }, () => {
  it("keep every guarantee while they and their database are killed, frozen and cut off for half a minute", async () => {
    const outcome = await run({
      ...quiet,
      uses: "everything",
      duration_ms: 25_000,
      kills: 3,
      freezes: 1,
      restarts: 1,
      drains: 2,
      cuts: 1,
      clients: 10
    })
    assert.deepStrictEqual(outcome.broken, [], `seed ${seed}`)
    assert.isAbove(outcome.runs, 10)
    const { answers, files, profileBrowsers, queued, scheduled, webhookMessages } = outcome.used ?? assert.fail()
    assert.isAbove(webhookMessages, 0)
    assert.isAbove(queued, 0)
    // one run in 17 is cancelled, and as many are answered, so 50 runs may have none
    if (outcome.runs < 100) return
    const { cancelled = 0 } = outcome.ended
    for (const [use, count] of Object.entries({ cancelled, answers, files, profileBrowsers, scheduled })) {
      assert.isAbove(count, 0, `${use}, seed ${seed}`)
    }
    assert.isAbove(outcome.walks, 5)
    assert.isAbove(webhookMessages, outcome.runs)
  })

  it("are detected as wrong if keys are forgotten, finished runs start again, or lists lack runs", async () => {
    const plant = [...forgetful, ...overwriting, ...unlisting]
    // no node is lost: a client that asks another one of a slow machine has one answer, and sees no second run
    const { broken } = await run({ ...quiet, clientPatience_ms: 120_000, together: 1, duration_ms: 4000, plant })
    assert.match(broken.join("\n"), /^key \S+ made \S+ and /mu)
    assert.match(broken.join("\n"), /^run \S+ was running 2 times$/mu)
    assert.match(broken.join("\n"), /^a walk missed run \S+$/mu)
  })

  it("are detected as wrong if they serve the newest launch first, and launch more browsers than they may", async () => {
    const command = [process.execPath, "--import", import.meta.resolve("./unfairQueue.ts"), ...fromSource]
    const { broken } = await run({ ...quiet, uses: "everything", command, clients: 24, duration_ms: 15_000 })
    assert.match(broken.join("\n"), /^browser \S+ of \S+ got a place at \S+ at \S+, \d+ ms before \S+/mu)
    assert.match(broken.join("\n"), /^browser \S+ is number 3 of n\d\.\S+, which has 2$/mu)
  })
})
