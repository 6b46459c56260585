import { countEach, print, readArguments, run } from '../index.js';
import { findingsBelow } from './check.js';

const usage = `npm run language [-- FOLDER ...]

Prints the sentences of pages, comments, titles of tests and messages that should be rewritten in plain English.
`;

await run(
  usage,
  given => readArguments({ options: {}, words: { noun: 'folder' } }, given).words,
  folders => {
    const findings = findingsBelow(folders);
    for (const { file, line, sentence, complaints } of findings)
      print(`${file}:${line}: ${complaints.join('; ')}\n    ${sentence}`);
    for (const [file, count] of countEach(findings.map(finding => finding.file))) print(`${count} in ${file}`);
    print(`${findings.length} sentences to rewrite.`);
    return findings.length === 0 ? 0 : 1;
  },
);
