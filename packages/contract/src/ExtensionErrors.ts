// errors of operations that the description doesn't show; each has a module, so that a client ships its own alone
export * from "./BadCursorError.ts"
export * from "./MessageNotFoundError.ts"
export * from "./ProfileNotFoundError.ts"
export * from "./ShareNotFoundError.ts"
export * from "./TaskNotFoundError.ts"
export * from "./WorkspaceNotFoundError.ts"
