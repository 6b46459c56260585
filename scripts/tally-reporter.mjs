// A vitest reporter that writes the tally of the tests to the file in TALLY. Each skipped test needs a reason.
import { writeFileSync } from 'node:fs';
import { nothing } from './tally.mjs';

/** A vitest reporter. */
export default class TallyReporter {
  /**
   * @param {readonly import('vitest/node').TestModule[]} modules
   * @param {readonly { readonly message: string }[]} unhandled
   */
  onTestRunEnd(modules, unhandled) {
    const file = process.env['TALLY'];
    if (file === undefined) return;
    const tally = nothing();
    for (const { message } of unhandled) tally.failed.push({ title: 'an error outside every test', reason: message });
    for (const module of modules) {
      const suites = [module, ...module.children.allSuites()];
      for (const suite of suites) {
        for (const { message } of suite.errors())
          tally.failed.push({ title: module.relativeModuleId, reason: message });
      }
      for (const test of module.children.allTests()) {
        const title = `${module.relativeModuleId} > ${test.fullName}`;
        const result = test.result();
        const reason =
          result.state === 'skipped' ? (result.note ?? /\(skipped: (.*)\)$/.exec(test.name)?.[1]) : undefined;
        if (result.state === 'passed') tally.passed += 1;
        else if (result.state === 'failed') tally.failed.push({ title, reason: result.errors[0]?.message ?? '' });
        else if (reason !== undefined) tally.skipped.push({ title, reason });
        else
          tally.failed.push({
            title,
            reason:
              'the test was skipped without a reason: use `context.skip(condition, reason)`, or a title that ends in `(skipped: reason)`',
          });
      }
    }
    writeFileSync(file, JSON.stringify(tally));
  }
}
