export type * from "./Browsers.ts"
export type { ErrorClass } from "./ErrorClass.ts"
export * from "./Errors.ts"
export * from "./Options.ts"
