import { EpochId, OperationId } from '@connector/kernel/ids';
import { bindingView, type ViewBinding } from '@connector/catalog/model/documents';
import { readCurrentView } from '@connector/catalog/reads/current-view';
import { readEpochContent, readEpochHeader } from '@connector/connector/reads/serving/epoch';
import type { Db } from '@connector/platform/db/db';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { demoEpoch, type DemoEpoch, owners, SCOPE, wanted } from '@connector/testing/fixtures/demo-epoch';
import { Signals } from '@connector/testing/signals';
import { Epochs, reread } from './epochs';

let schema: TestSchema;
let demo: DemoEpoch;
let epochId: EpochId;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  demo = await demoEpoch(schema);
  epochId = EpochId.mint();
  const question = { ...SCOPE, minCatalogRevision: 2n, configurationId: demo.configurationId };
  expect(await new Epochs(schema.db, owners(schema.db)).prepare(epochId, question)).toMatchObject({ kind: 'prepared' });
});
afterAll(() => schema.close());

const verify = (db: Db) => new Epochs(db, owners(db)).verify(epochId, { operationId: OperationId.mint(), requestedBy: 'test' });
async function view(db: Db = schema.db) {
  const current = await readCurrentView(db, SCOPE, 1n);
  if (current.kind !== 'found') throw new RangeError(current.kind);
  return current;
}
/** The same bindings away and back again: equal rows, and another revision. */
async function membershipMoves(db: Db): Promise<void> {
  const set = async (bindings: readonly ViewBinding[]) => wanted(db, bindings, (await view(db)).lineage.catalogRevision);
  const { bindings } = bindingView.parse((await view(db)).viewBytes).value;
  await set(bindings.slice(1));
  await set(bindings);
}
async function stored() {
  const header = await readEpochHeader(schema.db, epochId);
  const content = header && (await readEpochContent(schema.db, epochId, header.epochDigest));
  if (header === undefined || content === undefined) throw new RangeError('no epoch');
  return { state: header.state, content };
}

describe('epochs › race: membership | verify', () => {
  it('verified: cat:INT-07 of the view that it compared, where the membership moves behind its look; the look before it serves finds it', async () => {
    const signals = new Signals();
    const stop = signals.stopAt('verify-epoch/lock con_epoch');
    const verifying = verify(schema.another(signals.hook));
    await stop.reached;
    const before = await view();
    await membershipMoves(schema.db);
    stop.release();
    expect(await verifying).toMatchObject({ kind: 'verified' });
    const { state, content } = await stored();
    expect([state, content.parts.catalog.viewDigest, content.parts.catalog.lineage]).toEqual([
      'verified',
      before.viewDigest,
      before.lineage,
    ]);
    expect((await view()).viewDigest).not.toBe(before.viewDigest);
    expect(await reread(owners(schema.db), content)).toMatchObject({ kind: 'rejected' });
  });

  it('rejected: cat:INT-07 where the membership comes first, and only from its COMMIT on', async () => {
    const signals = new Signals();
    const stop = signals.stopAt('set-membership/commit');
    const moving = membershipMoves(schema.another(signals.hook));
    await stop.reached;
    expect((await view()).lineage.catalogRevision).toBe(2n);
    stop.release();
    await moving;
    expect(await verify(schema.db)).toMatchObject({ kind: 'rejected' });
    expect((await stored()).state).toBe('rejected');
  });
});
