import { catalogDoors } from '@connector/catalog/model/paths';
import { CRM_APP_ID } from '@connector/catalog/model/conversion/mapping';
import { type Conversion, readConversion, readLegacyReaders } from '@connector/catalog/reads/conversion';
import { readInstallation } from '@connector/catalog/reads/installation';
import { openBindingReference } from '@connector/catalog/transitions/binding/open-binding-reference.tx';
import { closeBindingReference } from '@connector/catalog/transitions/binding/close-binding-reference.tx';
import { decideDeletion } from '@connector/catalog/transitions/conversion/delete-legacy-pack.tx';
import { retireLegacyReader } from '@connector/catalog/transitions/conversion/retire-legacy-reader.tx';
import { retireBinding } from '@connector/catalog/transitions/binding/retire-binding.tx';
import { Digest } from '@connector/kernel/digest';
import type { Door } from '@connector/kernel/paths';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import {
  allEvidence,
  CAPABILITY,
  type ConversionWorld,
  conversionWorld,
  CRM_PUBLISHER,
  crmDraft,
  legacyRecord,
  READER,
  signedEvidence,
  signedMapping,
  UNMIGRATED,
  WHOLE_MAPPING,
} from '@connector/testing/fixtures/conversion';
import { askedFor, SERVICE_RELEASE, WORKLOAD } from '@connector/testing/fixtures/publication';
import { asking, type Signer, trustedPublisher } from '@connector/testing/fixtures/registry';
import { countOf } from '@connector/testing/fixtures/serving';
import { upgradeInstallation } from '../installations/change-release';
import { planInstallation } from '../installations/plan';
import { planUpgrade } from '../installations/plan-move';
import { activate, stage } from '../installations/rebind';
import { deletePack, judgeDeletion } from './delete-pack';
import { readFrozenProjection } from './frozen-projection';

let schema: TestSchema;
let signer: Signer;
let world: ConversionWorld;
let standing: Conversion;
const ORG = 'org-1';
const PACK = legacyRecord(ORG);

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  signer = await trustedPublisher(schema.db, CRM_PUBLISHER);
});
afterAll(() => schema.close());

async function converted(mapping = signedMapping()): Promise<void> {
  // Of the first command alone Runtime is heard at once.
  world = await conversionWorld(schema, [ORG], { signer, plan: ['honest', 'fail'] });
  await world.convert(world.asked(ORG, { mapping }));
  const found = await readConversion(schema.db, ORG);
  if (found === undefined) throw new RangeError('not converted');
  standing = found;
}
const upgrade = async (version: string) => {
  const { releaseDigest } = await world.release((draft) => crmDraft(draft), CRM_APP_ID, version);
  const found = await readInstallation(schema.db, ORG, standing.installation);
  if (found.kind !== 'found') throw new RangeError('not installed');
  const seen = {
    organization: ORG,
    installation: standing.installation,
    expectedState: found.state,
    expectedActivationEpoch: found.activationEpoch,
  };
  return upgradeInstallation(world.parts, seen, { ...askedFor({ ...world.release1, releaseDigest }) }, asking());
};
const projection = (reader: string, capabilityId: string) =>
  readFrozenProjection(world.conversion, { organization: ORG, reader, capabilityId });
const retire = (reader: string) => retireLegacyReader(schema.db, { organization: ORG, appId: CRM_APP_ID, reader }, asking());

describe('coexistence', () => {
  beforeEach(() => converted());

  it('frozen: cat:COEX-01 cat:COEX-03 no install, reapply or upgrade of the converted source is accepted; other packs are written as ever', async () => {
    // Sealed, so that its hold cannot be taken back.
    await world.legacy.release(PACK, standing.attemptId);
    expect(world.legacy.install(PACK)).toBe('frozen');
    expect(world.legacy.reapply(PACK)).toBe('frozen');
    expect(world.legacy.upgrade(PACK, [])).toBe('frozen');
    expect(world.legacy.install(legacyRecord('org-2'))).toBe('written');
  });

  it('found: cat:COEX-02 who is in the ledger reads, for the capability that it is named for, what was converted', async () => {
    const found = await projection(READER, UNMIGRATED);
    expect(found).toEqual({ kind: 'found', manifestBytes: PACK.manifest, components: PACK.components });
  });

  it('not-in-ledger: cat:COEX-02 cat:COEX-03 a migrated capability selects nothing, and nobody else reads', async () => {
    expect(await projection(READER, CAPABILITY)).toEqual({ kind: 'not-in-ledger' });
    expect(await projection('io.nexuscrm.newcomer', UNMIGRATED)).toEqual({ kind: 'not-in-ledger' });
  });

  it('changed: cat:COEX-01 one byte of the frozen source is another one, and it is not read', async () => {
    const flipped = (bytes: Buffer | null): Buffer => Buffer.from((bytes ?? Buffer.alloc(0)).toString('utf8').replace('4.2.0', '4.2.1'));
    world.legacy.corrupt(PACK, (record) => ({ ...record, manifest: flipped(record.manifest) }));
    expect(await projection(READER, UNMIGRATED)).toEqual({ kind: 'changed' });
  });

  it('refused: cat:COEX-04 while a reader is in the ledger the App stays at its release, by upgrade and by a new installation', async () => {
    expect(await upgrade('1.1.0')).toMatchObject({
      kind: 'refused',
      refusal: { faults: [{ rule: 'COEX-04', code: 'LEGACY_READER_LEFT' }] },
    });
    await schema.sql(`UPDATE cat_installation SET state = 'REMOVED', live_app_id = NULL`);
    await schema.sql('UPDATE cat_namespace_claim SET open_namespace_id = NULL');
    const next = await world.release((draft) => crmDraft(draft), CRM_APP_ID, '1.1.0');
    expect(await world.install(ORG, askedFor(next))).toMatchObject({
      kind: 'refused',
      refusal: { faults: [{ code: 'LEGACY_READER_LEFT' }] },
    });
    expect(await world.install(ORG, askedFor(world.release1), 'as-converted')).toMatchObject({ kind: 'opened' });
  });

  it('faulty: cat:COEX-04 the plan says what the door would: who reads still, of an upgrade and of a new installation; the last one retired, none', async () => {
    const next = await world.release((draft) => crmDraft(draft), CRM_APP_ID, '1.1.0');
    const place = { organization: ORG, installation: standing.installation };
    const told = { kind: 'faulty', faults: [{ rule: 'COEX-04', code: 'LEGACY_READER_LEFT', expected: expect.stringContaining(READER) }] };
    expect(await planUpgrade(world.parts, place, askedFor(next))).toMatchObject(told);
    await schema.sql(`UPDATE cat_installation SET state = 'REMOVED', live_app_id = NULL`);
    await schema.sql('UPDATE cat_namespace_claim SET open_namespace_id = NULL');
    expect(await planInstallation(world.parts, ORG, askedFor(next))).toMatchObject(told);
    expect(await planInstallation(world.parts, ORG, askedFor(world.release1))).toMatchObject({ kind: 'prepared' });
    await retire(READER);
    expect(await planInstallation(world.parts, ORG, askedFor(next))).toMatchObject({ kind: 'prepared' });
  });

  it('opened: cat:COEX-04 the last reader retired, the App is upgraded', async () => {
    await retire(READER);
    expect(await upgrade('1.2.0')).toMatchObject({ kind: 'opened' });
  });

  it('activated: cat:COEX-04 a service is bound to another release all the same', async () => {
    const other = Digest.sha256(Buffer.from('next service release'));
    const [workload] = world.offered.workloads;
    if (workload === undefined) throw new RangeError('no workload');
    const releases = [...workload.service_releases, { ...workload.service_releases[0], service_release_digest: other }];
    world.offered = { ...world.offered, workloads: [{ ...workload, service_releases: releases as typeof workload.service_releases }] };
    const rebinding = { capabilityId: CAPABILITY, workloadId: WORKLOAD, artifactDigest: other };
    const staged = await stage(world.parts, { organization: ORG, installation: standing.installation, rebinding }, asking());
    if (staged.kind !== 'staged') throw new RangeError(staged.kind);
    const ref = { organization: ORG, installation: standing.installation, bindingId: staged.bindingId, expectedOwnershipEpoch: 1n };
    expect(await activate(world.parts, ref, asking())).toMatchObject({ kind: 'activated' });
    expect(SERVICE_RELEASE).not.toBe(other);
  });

  it('only falls: cat:COEX-05 cat:COEX-02 cat:FAIL-09 the ledger is what was signed, one door retires, and none but the conversion ever names a reader', async () => {
    const ledger = async () => (await readLegacyReaders(schema.db, ORG)).map(({ reader, open }) => `${reader} ${open}`);
    expect(await ledger()).toEqual([`${READER} true`]);
    await retire(READER);
    expect(await ledger()).toEqual([`${READER} false`]);
    const writers = (verb: string) =>
      Object.values<Door>(catalogDoors).flatMap(({ name, steps }) =>
        steps.some((step) => step.table === 'cat_legacy_reader' && step.verb === verb) ? [name] : [],
      );
    expect([writers('insert'), writers('update')]).toEqual([['open-publication'], ['retire-legacy-reader']]);
    await world.convert(world.asked(ORG));
    expect(await ledger()).toEqual([`${READER} false`]);
    expect(await projection(READER, UNMIGRATED)).toEqual({ kind: 'not-in-ledger' });
  });
});

describe('retire-legacy-reader', () => {
  it('retired: already-retired: no-reader: once, then so told, and so told of somebody who never was in the ledger', async () => {
    await converted();
    const request = asking();
    const input = { organization: ORG, appId: CRM_APP_ID, reader: READER };
    expect(await retireLegacyReader(schema.db, input, request)).toEqual({ kind: 'retired' });
    expect(await retireLegacyReader(schema.db, input, request)).toEqual({ kind: 'retired' });
    expect(await countOf(schema, 'cat_legacy_reader')).toBe(1);
  });

  it('already-retired: another asking', async () => {
    await converted();
    await retire(READER);
    expect(await retire(READER)).toEqual({ kind: 'already-retired' });
  });

  it('no-reader: nobody of this name was in the ledger, and there is no ledger', async () => {
    await converted();
    expect(await retire('io.nexuscrm.newcomer')).toEqual({ kind: 'no-reader' });
    expect(await retireLegacyReader(schema.db, { organization: 'org-9', appId: CRM_APP_ID, reader: READER }, asking())).toEqual({
      kind: 'no-reader',
    });
  });
});

const decide = (request = asking(), catalogRevision = 1n) =>
  decideDeletion(schema.db, { organization: ORG, appId: CRM_APP_ID, catalogRevision, entry: {} }, request);

describe('delete-legacy-pack', () => {
  it('decided: once; the same asking is told so again', async () => {
    await converted(signedMapping(WHOLE_MAPPING));
    const request = asking();
    expect(await decide(request)).toEqual({ kind: 'decided' });
    expect(await decide(request)).toEqual({ kind: 'decided' });
    expect(await countOf(schema, 'cat_legacy_deletion')).toBe(1);
  });

  it('already-decided: another asking finds the decision', async () => {
    await converted(signedMapping(WHOLE_MAPPING));
    await decide();
    expect(await decide()).toEqual({ kind: 'already-decided' });
  });

  it('judged-past: cat:COEX-13 what serves moved since the gates were judged, or an attempt of the App is open', async () => {
    await converted(signedMapping(WHOLE_MAPPING));
    expect(await decide(asking(), 0n)).toEqual({ kind: 'judged-past', catalogRevision: 1n });
    await upgrade('1.1.0');
    expect(await decide()).toEqual({ kind: 'judged-past', catalogRevision: 1n });
    expect(await countOf(schema, 'cat_legacy_deletion')).toBe(0);
  });

  it('readers-left: cat:COEX-12 somebody reads yet', async () => {
    await converted();
    expect(await decide()).toEqual({ kind: 'readers-left', readers: [READER] });
    expect(await countOf(schema, 'cat_legacy_deletion')).toBe(0);
  });

  it('not-converted: nothing was, in an organization with a history and in one without', async () => {
    world = await conversionWorld(schema, [ORG], { signer });
    expect(await decide()).toEqual({ kind: 'not-converted' });
    await world.install(ORG, askedFor(world.release1));
    expect(await decide()).toEqual({ kind: 'not-converted' });
  });
});

describe('deletion', () => {
  beforeEach(() => converted(signedMapping(WHOLE_MAPPING)));
  const judge = (evidence = allEvidence(standing.key)) => judgeDeletion(world.conversion, ORG, evidence);
  const missing = async (evidence = allEvidence(standing.key)): Promise<readonly string[]> => {
    const judged = await judge(evidence);
    return judged.kind === 'passed' || judged.kind === 'closed'
      ? judged.gates.flatMap(({ rule, missing: what }) => what.map((one) => `${rule} ${one}`))
      : [judged.kind];
  };
  const remove = (evidence = allEvidence(standing.key)) => deletePack(world.conversion, ORG, evidence, asking());

  it('deleted: cat:COEX-13 cat:COEX-14 cat:COEX-15 with all seven gates passed everything of the CRM is gone, and other packs are as they were', async () => {
    const tracker = legacyRecord(ORG, { name: 'issue-tracker', category: 'integration' }, { packInstallId: 'issue-tracker-1' });
    world.legacy.install(tracker);
    const other = JSON.stringify(await world.legacy.read(tracker));
    expect(world.legacy.remainsOf(PACK)).toHaveLength(5);
    expect(await remove()).toEqual({ kind: 'deleted' });
    expect(world.legacy.remainsOf(PACK)).toEqual([]);
    expect(await world.legacy.read(PACK)).toEqual({ kind: 'absent' });
    expect([world.legacy.install(PACK), world.legacy.reapply(PACK)]).toEqual(['no-authority', 'no-authority']);
    expect(JSON.stringify(await world.legacy.read(tracker))).toBe(other);
    expect([world.legacy.remainsOf(tracker).length, world.legacy.reapply(tracker)]).toEqual([5, 'written']);
    expect(await remove([])).toEqual({ kind: 'deleted' });
    expect(await world.convert(world.asked(ORG))).toMatchObject({ kind: 'converted', state: 'ACTIVE' });
  });

  it('closed: cat:COEX-11 cat:COEX-13 an upgrade opened between the gates and the decision, so they are judged again', async () => {
    let opened = 0;
    const between = schema.another(async ({ point }) => {
      if (point === 'delete-legacy-pack/begin' && opened++ === 0) await upgrade('1.1.0');
    });
    const parts = { ...world.conversion, preparation: { ...world.conversion.preparation, db: between } };
    const answer = await deletePack(parts, ORG, allEvidence(standing.key), asking());
    const closed = answer.kind === 'closed' ? answer.gates.filter(({ missing: what }) => what.length > 0) : [];
    expect(closed.map(({ rule, missing: what }) => `${rule} ${what.join()}`)).toEqual([`COEX-11 rollback ${standing.installation}`]);
    expect([opened, await countOf(schema, 'cat_legacy_deletion')]).toEqual([1, 0]);
    expect(await world.legacy.read(PACK)).toMatchObject({ kind: 'found' });
  });

  it('no-legacy-world: decided or not, where this deployment has none', async () => {
    const without = { ...world.conversion, legacy: undefined };
    expect(await deletePack(without, ORG, allEvidence(standing.key), asking())).toEqual({ kind: 'no-legacy-world' });
    await decide();
    expect(await deletePack(without, ORG, allEvidence(standing.key), asking())).toEqual({ kind: 'no-legacy-world' });
  });

  it('remains: cat:COEX-14 what the legacy world could not let go is told, and the decision is carried on', async () => {
    world.legacy.stuck = 'startup-fallback';
    expect(await remove()).toEqual({ kind: 'remains', remains: ['startup-fallback'] });
    world.legacy.stuck = undefined;
    expect(await remove([])).toEqual({ kind: 'deleted' });
  });

  it('closed: cat:COEX-13 with any evidence left out nothing is decided or deleted', async () => {
    const before = world.legacy.content();
    for (const left of allEvidence(standing.key)) {
      expect(await remove(allEvidence(standing.key).filter((one) => !one.statement.equals(left.statement)))).toMatchObject({
        kind: 'closed',
      });
    }
    expect([world.legacy.content(), await countOf(schema, 'cat_legacy_deletion')]).toEqual([before, 0]);
  });

  it('evidence-refused: cat:COEX-13 evidence that somebody else signed, or that is about another release', async () => {
    const [first, ...rest] = allEvidence(standing.key);
    if (first === undefined) throw new RangeError('no evidence');
    expect(await judge([{ ...first, signature: Buffer.alloc(64) }, ...rest])).toEqual({ kind: 'evidence-refused', at: 0 });
    const key = { ...standing.key, appReleaseDigest: Digest.sha256(Buffer.from('other')) };
    expect(await judge([...rest, signedEvidence('a1c-tests', key)])).toEqual({ kind: 'evidence-refused', at: rest.length });
  });

  it('closed: cat:COEX-06 a component of the release is not in the registry any more', async () => {
    expect(await missing()).toEqual([]);
    const [component] = world.release1.bundle.components;
    world.artifacts.damage(component?.content_digest ?? standing.key.appReleaseDigest);
    expect((await missing()).every((one) => one.startsWith('COEX-06 '))).toBe(true);
    expect(await missing()).not.toEqual([]);
  });

  it('closed: cat:COEX-09 what the mapping gives to the App is not served by it', async () => {
    await schema.sql('UPDATE cat_installation SET active_release_digest = NULL');
    expect(await missing()).toEqual([`COEX-09 ${CAPABILITY} is of an App that does not serve it`]);
  });

  it('closed: cat:COEX-11 a handler drains, and work refers to it; when both are gone the gate holds', async () => {
    const [row] = await schema.sql('SELECT binding_id FROM cat_binding_state');
    const ref = { organization: ORG, installation: standing.installation, bindingId: String(row?.['binding_id']) };
    await openBindingReference(schema.db, { ...ref, referenceId: 'job-1', kind: 'work' }, 'test');
    await schema.sql(`UPDATE cat_binding_state SET state = 'DRAINING', active_capability_id = NULL`);
    expect(await missing()).toEqual([`COEX-11 handler ${ref.bindingId}`, 'COEX-11 work job-1']);
    await closeBindingReference(schema.db, { ...ref, referenceId: 'job-1' }, 'test');
    await retireBinding(schema.db, ref, asking());
    expect(await missing()).toEqual([]);
  });

  it('closed: cat:COEX-11 an attempt of the App is open, so what it replaces may come back', async () => {
    await upgrade('1.1.0');
    expect(await missing()).toEqual([`COEX-11 rollback ${standing.installation}`]);
  });
});
