export { type Config, defineConfig } from "./config/Config.ts"
