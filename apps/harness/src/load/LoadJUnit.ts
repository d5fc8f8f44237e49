import { element, escape } from "../reporters/Xml.ts"
import type { LoadReport } from "./LoadReport.ts"

/** A load test as JUnit XML, as CI systems read it: one testcase a threshold. */
export const render = ({ startedAt, target, test, thresholds, took_ms }: LoadReport): string => {
  const numbers = {
    tests: thresholds.length,
    failures: thresholds.filter(({ ok }) => !ok).length,
    errors: 0,
    skipped: 0
  }
  const time = (took_ms / 1000).toFixed(3)
  const cases = thresholds.map(({ limit, measured, name, ok }) =>
    element("testcase", { name: `${name} ${limit}`, classname: `load.${test}`, time: "0.000" }, [
      ...(ok
        ? []
        : [element("failure", { message: `${name} was ${measured}, limit ${limit}`, type: "threshold" }, [])]),
      element("system-out", {}, [escape(`measured ${measured}`)])
    ])
  )
  const suite = element(
    "testsuite",
    { name: `load ${test}`, ...numbers, time, timestamp: startedAt.slice(0, 19), hostname: target.address },
    cases
  )
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element("testsuites", { name: "webagent-harness", ...numbers, time }, [suite])}\n`
}
