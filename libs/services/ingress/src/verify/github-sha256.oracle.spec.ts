import { altered, BODIES, BODY_NAMES, flipped, GITHUB, GITHUB_SECRET, NOW } from './signature-vectors.fixture';
import { verifyDelivery } from './verify-delivery';

/** By file: the package is published for `import` only, and jest asks for `require`. */
const oracle = jest.requireActual<typeof import('@octokit/webhooks-methods', { with: { 'resolution-mode': 'import' } })>(
  '../../../../../node_modules/@octokit/webhooks-methods/dist-node/index.js',
);

const SECRET = GITHUB_SECRET.toString('ascii');
/** The oracle takes text alone; ff and fe are no text. */
const TEXTS = BODY_NAMES.filter((name) => name !== 'ff' && name !== 'fe');

function weAccept(body: Buffer, signature: string): boolean {
  const keys = [{ version: 1, secret: GITHUB_SECRET }];
  const rawHeaders = ['X-GitHub-Delivery', 'd1', 'X-Hub-Signature-256', signature];
  return verifyDelivery('github-sha256', { rawHeaders, body, keys, now: NOW, toleranceSeconds: 300 }).kind === 'verified';
}

describe('@octokit/webhooks-methods as oracle', () => {
  it('verified: every text body that the oracle signs, with the published signature', async () => {
    for (const name of TEXTS) {
      const signature = await oracle.sign(SECRET, BODIES[name].toString('utf8'));
      expect(signature).toBe(GITHUB[name]);
      expect(weAccept(BODIES[name], signature)).toBe(true);
    }
  });

  it('agrees with the oracle on every published pair, every altered digit and every flipped byte that stays text', async () => {
    const bodies = TEXTS.map((name) => BODIES[name]);
    const signatures = [
      ...TEXTS.map((name) => GITHUB[name]),
      ...[...GITHUB.odd].map((_, at) => altered(GITHUB.odd, at)),
      GITHUB.odd.toUpperCase(),
    ];
    const flips = [...BODIES.odd.keys()].map((at) => flipped(BODIES.odd, at, 0));
    let agreed = 0;
    for (const body of [...bodies, ...flips]) {
      for (const signature of signatures) {
        expect(weAccept(body, signature)).toBe(await oracle.verify(SECRET, body.toString('utf8'), signature));
        agreed += 1;
      }
    }
    expect(agreed).toBe((5 + 24) * (5 + 71 + 1));
  });
});
