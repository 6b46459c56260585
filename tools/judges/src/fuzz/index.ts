export { caseOf } from './cases.js';
export { readCorpus } from './corpus/corpus.js';
export { judgeReply } from './judge.js';
