export { evaluateLet, expressionCompiler, type ExpressionContext } from './compile.js';
export {
  checkStageNames,
  type Done,
  type OwnStage,
  parsePipeline,
  parseTransform,
  type Pipeline,
  type PipelineContext,
  type Transform,
} from './pipeline.js';
export { type Ambience } from './scope.js';
export { type Environment, type Leading } from './stage.js';
export { type Target, type Terminal, type WhenMatched } from './terminal.js';
