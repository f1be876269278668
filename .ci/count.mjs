// `node count.mjs REPORT EXIT_CODE` prints "PASSED FAILED" of a vitest JSON report. Plain JavaScript: it also runs on
// a system's Node 20.
import { existsSync, readFileSync } from 'node:fs';

const [report, exitCode] = process.argv.slice(2);

/** @returns {[passed: number, failed: number, why: string]} */
function count() {
  if (!existsSync(report)) return [0, 1, 'the runner left no report'];
  const { numPassedTests, numFailedTests, numTotalTests, testResults } = JSON.parse(readFileSync(report, 'utf8'));
  // A file that fails before its first test has no test to count.
  const emptyFailures = testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  ).length;
  const failed = numFailedTests + emptyFailures;
  if (numPassedTests === 0 && failed === 0) return [0, 1, 'no test ran'];
  if (numTotalTests > numPassedTests + numFailedTests)
    return [numPassedTests, failed + 1, `${numTotalTests - numPassedTests - numFailedTests} tests did not run`];
  if (failed === 0 && exitCode !== '0')
    return [numPassedTests, 1, `every test passed, but the runner exited ${exitCode}`];
  return [numPassedTests, failed, ''];
}

const [passed, failed, why] = count();
if (why) console.error(why);
console.log(`${passed} ${failed}`);
