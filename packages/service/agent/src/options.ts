// what a program reads before it needs an agent: nothing here loads a model, a page or effect/ai
export * as ModelConfig from "./model/ModelConfig.ts"
export * as ModelCost from "./model/ModelCost.ts"
