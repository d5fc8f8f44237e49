export * from "./Api.ts"
export * from "./Operations.ts"
export * from "./Session.ts"
export * from "./Task.ts"
