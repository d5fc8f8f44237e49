import { defineConfig } from "webagent-harness"

// the suite files of this folder are for its tests
export default defineConfig({ builtIn: true })
