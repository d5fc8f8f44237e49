import { defineConfig } from "webagent-harness"

// the suite files of this repository are examples and tests
export default defineConfig({ builtIn: true })
