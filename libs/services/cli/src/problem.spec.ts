import { EXIT } from './exit';
import { failureOf } from './problem';

describe('the failure of a problem document', () => {
  it.each([
    [401, 'HOUSE:http:CallerUnknown', 'stop npm start and start it again'],
    [403, 'HOUSE:http:CallerNotAllowed', 'the same under a role that may'],
  ])('4: whoever was not let in by %i %s is told the way in', (status, code, text) => {
    const { exit, lines } = failureOf(status, { code, detail: 'No.' });
    expect([exit, lines.at(-1)]).toEqual([EXIT.notAllowed, expect.stringContaining(`  Do       ${text}`)]);
  });
});
