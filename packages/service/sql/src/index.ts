export * as NodeSqlite from "./NodeSqlite.ts"
export * as Database from "./Database.ts"
