export * from "./Errors.ts"
export * from "./Options.ts"
