import { join } from 'node:path';
import { DIGEST_PROFILE } from '@connector/kernel/digest-profile';
import { EpochId, OperationId } from '@connector/kernel/ids';
import { jcs, type JsonObject } from '@connector/kernel/jcs';
import { bindingView } from '@connector/catalog/model/documents';
import { readCurrentView } from '@connector/catalog/reads/current-view';
import { askOwners } from '@connector/connector/contract/ask-owners';
import { assembleEpoch } from '@connector/connector/model/serving/assemble-epoch';
import { prepareEpoch } from '@connector/connector/transitions/serving/prepare-epoch.tx';
import { readPack } from '@connector/packs/authoring/pack-source';
import { checkPack } from '@connector/packs/engine/publish-check';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { demoEpoch, type DemoEpoch, owners, registerChecked, SCOPE, wanted } from '@connector/testing/fixtures/demo-epoch';
import { countOf } from '@connector/testing/fixtures/serving';
import { Epochs } from './epochs';

let schema: TestSchema;
let demo: DemoEpoch;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  demo = await demoEpoch(schema);
});
afterAll(() => schema.close());

const question = () => ({ ...SCOPE, minCatalogRevision: 2n, configurationId: demo.configurationId });
const epochs = (): Epochs => new Epochs(schema.db, owners(schema.db));

/** The desk that asks for the latest position, its order changed behind the check of the pack; the bytes of a whole definition. */
function desk(change: (ordering: JsonObject) => JsonObject) {
  const checked = checkPack(readPack(join(__dirname, '../../../shipped-packs/tern-desk')));
  if (!checked.ok) throw new Error('the desk is faulty');
  const whole = checked.definitions.find(({ kind }) => kind === 'inbound-route')?.definition as JsonObject;
  const definitions = checked.definitions.map((one) =>
    one.kind === 'inbound-route' ? { ...one, definition: { ...whole, ordering: change(whole['ordering'] as JsonObject) } } : one,
  );
  return { pack: { ...checked, packVersion: '9.0.0', definitions }, whole: jcs(whole) };
}

/** In the registry by its own door, and named by the next view in place of the desk that was there. */
async function planted(change: (ordering: JsonObject) => JsonObject): Promise<Buffer> {
  const { pack, whole } = desk(change);
  const [row] = await registerChecked(schema.db, pack);
  const current = await readCurrentView(schema.db, SCOPE, 1n);
  if (current.kind !== 'found' || row === undefined) throw new Error('no view, or no pack');
  const { bindings } = bindingView.parse(current.viewBytes).value;
  const named = bindings.map((one) => (one.owner_pack === pack.ownerPack ? { ...one, pack_payload_digest: row.pack_payload_digest } : one));
  await wanted(schema.db, named, current.lineage.catalogRevision);
  return whole;
}

/** A candidate of it, made by whoever does not look at orders. */
async function candidate(whole: Buffer): Promise<EpochId> {
  const epochId = EpochId.mint();
  const asked = await askOwners(owners(schema.db), question());
  if (asked.kind !== 'found') throw new Error(asked.kind);
  const definitions = asked.answers.definitions.map((one) =>
    one.definitionBytes.toString('utf8').includes('latest_source_position') ? { ...one, definitionBytes: whole } : one,
  );
  const assembled = assembleEpoch(epochId, { ...asked.answers, definitions });
  if (assembled.kind !== 'assembled') throw new Error(assembled.code);
  expect(await prepareEpoch(schema.db, { digestProfile: DIGEST_PROFILE, parts: assembled.parts })).toMatchObject({ kind: 'prepared' });
  return epochId;
}
const verify = (epochId: EpochId) => epochs().verify(epochId, { operationId: OperationId.mint(), requestedBy: 'test' });

describe('epochs', () => {
  it('prepared, verified: con:ORD-04 the next version of a desk whose latest order says everything', async () => {
    const whole = await planted((ordering) => ordering);
    const epochId = EpochId.mint();
    expect(await epochs().prepare(epochId, question())).toMatchObject({ kind: 'prepared' });
    expect((await verify(epochId)).kind).toBe('verified');
    expect((await verify(await candidate(whole))).kind).toBe('verified');
  });

  it.each(['position', 'tie_breaker', 'settle_ms'])(
    'refused, and rejected where a candidate exists: a latest order without %s that came past the check of its pack (PUB-ORD-04, con:ORD-04 con:ORD-08)',
    async (member) => {
      const whole = await planted(({ [member]: _gone, ...rest }) => rest);
      expect(await epochs().prepare(EpochId.mint(), question())).toEqual({ kind: 'refused', owner: 'packs', code: 'ordering-incomplete' });
      expect(await countOf(schema, 'con_epoch')).toBe(1);
      const epochId = await candidate(whole);
      expect(await verify(epochId)).toEqual({ kind: 'rejected', epochId, reason: 'packs: ordering-incomplete' });
    },
  );
});
