export { Config, defineConfig } from "./config/Config.ts"
