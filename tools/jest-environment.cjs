/** Node, and tests whose need is not met are skipped before anything of them runs, their hooks included. */
const { TestEnvironment } = require('jest-environment-node');
const { skipReason } = require('./test-needs.cjs');

module.exports = class extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    this.file = context.testPath;
  }

  handleTestEvent(event, state) {
    if (event.name === 'run_start') skipUnmet(this.file, state.rootDescribeBlock, []);
  }
};

function skipUnmet(file, block, titles) {
  for (const child of block.children) {
    const path = [...titles, child.name];
    if (child.type === 'describeBlock') skipUnmet(file, child, path);
    else if (skipReason(file, path) !== undefined) child.mode = 'skip';
  }
}
