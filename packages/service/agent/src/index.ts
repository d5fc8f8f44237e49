export * as ModelCost from "./model/ModelCost.ts"
