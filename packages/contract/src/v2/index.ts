export * from "./Api.ts"
export * from "./Session.ts"
export * from "./Task.ts"
