export * from "./Api.ts"
export * from "./Session.ts"
