import { readFileSync } from 'node:fs';

/** By file: the package is published for `import` only, and jest asks for `require`. */
const methods = jest.requireActual<typeof import('@octokit/webhooks-methods', { with: { 'resolution-mode': 'import' } })>(
  '../../node_modules/@octokit/webhooks-methods/dist-node/index.js',
);

/** Every set of the package: the public site, and each release of the server that people run themselves. */
const SETS = ['api.github.com', 'ghes-31', 'ghes-32', 'ghes-33', 'ghes-34', 'ghes-35'];

interface Kind {
  readonly name: string;
  readonly examples: readonly object[];
}

/** A delivery as GitHub would send it: the recorded payload, signed by GitHub's own library. */
export interface RecordedDelivery {
  readonly id: string;
  readonly event: string;
  readonly payload: object;
  readonly body: string;
  readonly signature: string;
}

/** Each payload under a delivery id of its own; the same payload under two ids is two deliveries. */
export async function recordedDeliveries(secret: string): Promise<readonly RecordedDelivery[]> {
  const found = SETS.flatMap((set) =>
    kindsOf(set).flatMap(({ name, examples }) => examples.map((payload, at) => ({ set, name, payload, at }))),
  );
  return Promise.all(
    found.map(async ({ set, name, payload, at }) => {
      const body = JSON.stringify(payload);
      return { id: `${set}/${name}/${at}`, event: name, payload, body, signature: await methods.sign(secret, body) };
    }),
  );
}

function kindsOf(set: string): readonly Kind[] {
  return JSON.parse(readFileSync(require.resolve(`@octokit/webhooks-examples/${set}/index.json`), 'utf8')) as readonly Kind[];
}
