import { config } from "../src/Config.ts"

export default config()
