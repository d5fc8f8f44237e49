export { Config, defineConfig } from "./config/Config.ts"
export {
  defineReporter,
  type Handled,
  type Reporter,
  type ReporterContext,
  type ReporterDefinition,
  type ReporterServices,
  type RunEnded,
  type ScenarioName
} from "./reporters/Reporter.ts"
