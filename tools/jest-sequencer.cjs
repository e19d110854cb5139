/**
 * Jest begins with the files that took longest, and a fresh clone knows of none: it would take them by size, and the longest is a short one
 * that explores for most of a minute. Alone at the end it would leave the other worker idle, so these come first.
 */
const { default: Sequencer } = require('@jest/test-sequencer');

const LONGEST = ['tests/explorer/explorer.race.spec.ts', 'tests/unknown-commit/', 'tests/real-input/', 'tests/cases/keys.db.spec.ts'];

const placeOf = ({ path }) => {
  const place = LONGEST.findIndex((name) => path.includes(name));
  return place < 0 ? LONGEST.length : place;
};

module.exports = class extends Sequencer {
  sort(tests) {
    return super.sort(tests).sort((one, other) => placeOf(one) - placeOf(other));
  }
};
