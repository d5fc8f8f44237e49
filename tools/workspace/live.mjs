/**
 * How a package's tests tell `npm test` of a failure while they still run: a line on standard output. `npm test` asks
 * for it with WEBAGENT_LIVE, the path of this module, which is also the vitest reporter that does so.
 */
import { relative } from "node:path"

const mark = "::failed "

/** Tells of a failed test at once: the file and the name of the test, and why it failed. */
export const tellFailure = (failure) => {
  if (process.env.WEBAGENT_LIVE !== undefined) process.stdout.write(`\n${mark}${JSON.stringify(failure)}\n`)
}

/** The failure that a line of output tells of, if any. */
export const failureIn = (line) => (line.startsWith(mark) ? JSON.parse(line.slice(mark.length)) : undefined)

/** The vitest reporter. */
export default class LiveReporter {
  onInit(vitest) {
    this.vitest = vitest
  }

  #tell(file, test, errors, project) {
    const why = errors.map((error) => this.vitest.logger.formatError(error, { project, showCodeFrame: true }).output)
    tellFailure({ file: relative(process.cwd(), file), test, why: why.join("\n").trim() })
  }

  onTestCaseResult(test) {
    const { errors = [], state } = test.result()
    if (state === "failed") this.#tell(test.module.moduleId, test.fullName, errors, test.project)
  }

  /** A file that could not be loaded, and hooks that failed. */
  onTestModuleEnd(module) {
    const suites = [module, ...module.children.allSuites()]
    for (const suite of suites) {
      const errors = suite.errors()
      if (errors.length > 0) this.#tell(module.moduleId, suite.fullName ?? "", errors, module.project)
    }
  }

  onTestRunEnd(_, unhandled) {
    for (const error of unhandled) this.#tell(process.cwd(), "an error outside of the tests", [error])
  }
}
