import { AttemptId } from '@connector/kernel/ids';
import type { OpenAttempt } from '@connector/catalog/model/installation/attempt';
import type { InstallationState } from '@connector/catalog/model/installation/installation';
import { readStepsDone } from '@connector/catalog/reads/publication';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { Life } from '@connector/testing/fixtures/life';
import {
  APP,
  askedFor,
  emptyInstallations,
  PUBLISHER,
  type PublicationWorld,
  publicationWorld,
} from '@connector/testing/fixtures/publication';
import { asking, type Signer, trustedPublisher } from '@connector/testing/fixtures/registry';
import { countOf } from '@connector/testing/fixtures/serving';
import { abandonInstallation } from './abandon';
import { continuePublication } from './continue-publication';
import { publicationLoop } from './installation-parts';
import { passGates, removeInstallation } from './remove';

let schema: TestSchema;
let signer: Signer;
let world: PublicationWorld;
let life: Life;
const ORG = 'org-1';
const attemptId = AttemptId.mint();

beforeAll(async () => {
  schema = await mainSchema();
  signer = await trustedPublisher(schema.db, PUBLISHER);
});
beforeEach(async () => {
  await emptyInstallations(schema);
  world = await publicationWorld(schema, { signer });
  life = await Life.active(schema, world, await world.release());
});
afterAll(() => schema.close());

const hold = () => schema.sql("UPDATE cat_publication_barrier SET state = 'held', attempt_id = ?", [AttemptId.bytes(attemptId)]);
const open = () => schema.sql("UPDATE cat_publication_barrier SET state = 'open', attempt_id = NULL");
const WAITING = { kind: 'waiting', for: 'barrier' };
const seen = (expectedState: InstallationState) => ({
  ...{ organization: ORG, installation: life.installation },
  ...{ expectedState, expectedActivationEpoch: 1n },
});
async function upgrading(): Promise<OpenAttempt> {
  return (await life.opened('upgrade', await world.release(undefined, APP, '2.0.0'))).at;
}

describe('publications behind a held barrier', () => {
  it('waiting: cat:INT-16 cat:PUBL-09 an attempt goes up to its step 4 and stays there; when the barrier is open it is published', async () => {
    const at = await upgrading();
    await hold();
    expect(await continuePublication(world.parts, at)).toEqual(WAITING);
    expect(await readStepsDone(schema.db, at)).toEqual(['opened', 'compiled', 'acknowledged']);
    await open();
    expect(await publicationLoop(world.parts, 1_000).once(new AbortController().signal, 'poll')).toBe('worked');
    expect((await life.row()).epoch).toBe(2n);
  });

  it('waiting: cat:INT-16 an attempt that cannot go on does not end either, and ends when the barrier is open', async () => {
    const at = await upgrading();
    world.security.moveOtherInputs(ORG);
    await hold();
    expect(await continuePublication(world.parts, at)).toEqual(WAITING);
    expect((await life.row()).state).toBe('UPGRADING');
    await open();
    expect(await continuePublication(world.parts, at)).toEqual({ kind: 'failed', code: 'SECURITY_EPOCH_STALE' });
  });

  it('waiting: cat:INT-16 what takes an attempt back waits with its end, and with another command in its place', async () => {
    const at = await upgrading();
    const back = { ...at, attempt: at.attempt + 1n };
    await life.at({ kind: 'opened', attempt: at.attempt }).toPublish();
    await hold();
    expect(await abandonInstallation(world.parts, seen('UPGRADING'), asking())).toEqual({ kind: 'barrier-held', attemptId });
    await open();
    const { advance } = world.parts.security;
    const late = {
      ...world.parts,
      security: { ...world.parts.security, advance: async (command: Parameters<typeof advance>[0]) => (await hold(), advance(command)) },
    };
    expect(await abandonInstallation(late, seen('UPGRADING'), asking())).toEqual({ kind: 'taking-back', end: WAITING });
    await open();
    expect(await continuePublication(world.parts, back)).toEqual({ kind: 'abandoned' });
  });

  it('waiting: cat:INT-16 a removal whose gates are passed is not finished behind it', async () => {
    const at = life.at(await life.openRemoval()).at;
    await life.at({ kind: 'opened', attempt: at.attempt }).toPublish();
    await hold();
    expect(await continuePublication(world.parts, at)).toEqual(WAITING);
    await open();
    expect(await continuePublication(world.parts, at)).toMatchObject({ kind: 'published' });
    await hold();
    expect(await passGates(world.parts, { organization: ORG, installation: life.installation })).toEqual(WAITING);
    await open();
    expect(await passGates(world.parts, { organization: ORG, installation: life.installation })).toEqual({ kind: 'removed' });
  });

  it('barrier-held: cat:INT-16 nothing new is opened, and the journal does not say that anybody asked', async () => {
    await hold();
    const steps = await countOf(schema, 'cat_publication_step');
    expect(await removeInstallation(world.parts, seen('ACTIVE'), asking())).toEqual({ kind: 'barrier-held', attemptId });
    expect(await life.open('upgrade', askedFor(await world.release(undefined, APP, '2.0.0')))).toEqual({ kind: 'barrier-held', attemptId });
    expect(await countOf(schema, 'cat_publication_step')).toBe(steps);
  });
});
