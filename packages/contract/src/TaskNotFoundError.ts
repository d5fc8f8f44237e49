import { errorResponse } from "./ErrorResponse.ts"

/** 404: no v2 task has the given id. */
export class TaskNotFoundError extends errorResponse<TaskNotFoundError>()("TaskNotFoundError", 404, "Task not found") {}
