export * from "./sandbox/Sandbox.ts"
