export * from "./Api.ts"
export * from "./Browser.ts"
export * from "./Run.ts"
export * from "./Session.ts"
