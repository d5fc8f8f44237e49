import { assert, describe, it } from "vitest"
import { parseClock, timed } from "../../src/measure/TimedProcess.ts"

const node = (script: string) => ({ file: process.execPath, args: ["-e", script] })

describe("TimedProcess", () => {
  it("the CPU time is the last line, and the rest is the program's", () => {
    assert.deepStrictEqual(parseClock("cpu 1.250 0.125\n"), { cpu_s: 1.375, rest: "" })
    assert.deepStrictEqual(parseClock("a warning\ncpu 1.250 0.125\n"), { cpu_s: 1.375, rest: "a warning\n" })
    assert.throws(() => parseClock("a warning\n"), /a warning/u)
  })

  it.runIf(process.platform === "linux")("a program is run with its arguments, timed and weighed", async () => {
    const script =
      "const end = process.cpuUsage().user + 200000; while (process.cpuUsage().user < end); console.log(process.env.WORD + '$1'); console.error('said'); process.exit(99)"
    const { cpu_s, exitCode, peak_MB, stderr, stdout } = await timed(node(script), { WORD: "heard" })
    assert.strictEqual(exitCode, 99)
    assert.strictEqual(stdout, "heard$1\n")
    assert.strictEqual(stderr, "said\n")
    assert.isAtLeast(cpu_s, 0.2)
    assert.isAbove(peak_MB, 20)
  })
})
