/** Writes the counts of a run, and why tests were skipped, to the file that CONNECTOR_TEST_SUMMARY names. */
const { writeFileSync } = require('node:fs');
const { skipReason } = require('./test-needs.cjs');

module.exports = class {
  onRunComplete(_contexts, results) {
    const reasons = {};
    for (const { testFilePath, testResults } of results.testResults) {
      for (const test of testResults.filter(({ status }) => status !== 'passed' && status !== 'failed')) {
        const reason = skipReason(testFilePath, [...test.ancestorTitles, test.title]) ?? `without a reason: ${test.fullName}`;
        reasons[reason] = (reasons[reason] ?? 0) + 1;
      }
    }
    // A file that could not run is a failure, whatever it would have held; so is a run that did not come to its end.
    const unrun = results.numRuntimeErrorTestSuites + (results.wasInterrupted ? 1 : 0);
    const skipped = results.numPendingTests + results.numTodoTests;
    const summary = { passed: results.numPassedTests, failed: results.numFailedTests + unrun, skipped, reasons };
    if (process.env.CONNECTOR_TEST_SUMMARY) writeFileSync(process.env.CONNECTOR_TEST_SUMMARY, JSON.stringify(summary));
  }
};
