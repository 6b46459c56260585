import { lostAnswer, lostRead, refusedWrite } from './failures.js';

for (const failure of [lostRead, refusedWrite, lostAnswer]) console.log(`${failure.name}: ${await failure()}`);
