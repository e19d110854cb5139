import type { Lineage } from '@connector/kernel/digest-profile';
import { Digest } from '@connector/kernel/digest';
import { viewVectors } from '@connector/testing/vectors/load';
import type { ActiveTuple, WorkloadGrant } from './active-tuple';
import type { BindingView, SourceSnapshot } from './documents';
import { capabilityVersionOf, viewOf } from './view-of';

const snapshot = viewVectors.source_snapshot as SourceSnapshot;
const view = viewVectors.view as unknown as BindingView;
const grant: WorkloadGrant = { workloadId: view.authorized_workload_id, capabilities: snapshot.granted_runtime_capabilities };
const tuple: ActiveTuple = {
  organization: snapshot.organization_id,
  installation: snapshot.app_installation_id,
  appReleaseDigest: snapshot.app_release_digest,
  dependencyReleaseDigests: snapshot.dependency_release_digests,
  grants: [grant],
};
const lineage: Lineage = {
  lineageId: view.lineage.lineage_id,
  catalogRevision: BigInt(view.lineage.catalog_revision),
  activationEpoch: BigInt(view.lineage.activation_epoch),
};
const made = (over: Partial<ActiveTuple> = {}, at: Lineage = lineage, bindings = view.bindings) =>
  viewOf({ ...tuple, ...over }, grant, at, bindings);
const digests = (one: ReturnType<typeof made>) => [one.snapshot.digest, one.view.digest];

describe('view of a workload', () => {
  it('computed: the facts of the vectors give their digests (cat:INT-10)', () => {
    expect(digests(made())).toEqual([viewVectors.source_snapshot_digest.digest, viewVectors.view_digest.digest]);
  });

  it('equal: whatever order the bindings were inserted in, and the dependencies (cat:INT-05, cat:INT-08)', () => {
    const turned = view.bindings.map((_, at) => [...view.bindings.slice(at), ...view.bindings.slice(0, at)]);
    for (const bindings of [...turned, [...view.bindings].reverse()]) expect(made({}, lineage, bindings)).toEqual(made());
  });

  it('other: each fact that it is computed from, and the revision, makes another view (cat:INT-07, cat:INT-20)', () => {
    const release = Digest.sha256(Buffer.from('another release'));
    const others = [
      made({ appReleaseDigest: release }),
      made({ dependencyReleaseDigests: [] }),
      made({ installation: '018f3c2a-9d44-7a02-8b77-51c0a7e3f903' }),
      made({ organization: '018f3c2a-7b10-7c4e-9a51-2d6f0b1c8e02' }),
      made({}, { ...lineage, catalogRevision: lineage.catalogRevision + 1n }),
      made({}, { ...lineage, activationEpoch: lineage.activationEpoch + 1n }),
      made({}, { ...lineage, lineageId: '018f3c2a-0000-7000-8000-000000000002' }),
      made({}, lineage, view.bindings.slice(1)),
      viewOf(tuple, { ...grant, capabilities: [] }, lineage, view.bindings),
      viewOf(tuple, { ...grant, workloadId: 'wl.other' }, lineage, view.bindings),
    ];
    const all = [made(), ...others].map((one) => one.view.digest);
    expect(new Set(all).size).toBe(all.length);
  });

  it('other: the same revision of another history, as a database has that was restored and written to again (cat:A-26)', () => {
    const restored = { ...lineage, lineageId: '018f3c2a-0000-7000-8000-000000000002' };
    const [one, other] = [made(), made({}, restored)].map((each) => each.view);
    for (const each of [one, other])
      expect(each?.bytes.toString('utf8')).toContain(`"catalog_revision":"${view.lineage.catalog_revision}"`);
    expect(other?.digest).not.toBe(one?.digest);
  });

  it('other: epochs and revisions that no double tells apart, up to the last of 64 bits (cat:A-27)', () => {
    const numbers = [2n ** 53n, 2n ** 53n + 1n, 2n ** 64n - 1n];
    for (const name of ['catalogRevision', 'activationEpoch'] as const) {
      const views = numbers.map((number) => made({}, { ...lineage, [name]: number }).view);
      expect(new Set(views.map(({ digest }) => digest)).size).toBe(3);
      for (const [at, { bytes }] of views.entries()) expect(bytes.toString('utf8')).toContain(`"${numbers[at]}"`);
    }
  });

  it.each<[bigint, readonly string[]]>([
    [0n, []],
    [
      0n,
      ['runtime.records.evaluate-access.v4', 'runtime.integrations.run', 'runtime.integrations.run.v0', 'x.runtime.integrations.run.v1'],
    ],
    [1n, ['runtime.integrations.run.v1']],
    [12n, ['runtime.integrations.run.v2', 'runtime.integrations.run.v12', 'runtime.records.read.v99']],
  ])('%s: the major of the capability under which a workload may run the connector: %j', (version, capabilities) => {
    expect(capabilityVersionOf({ workloadId: 'wl.one', capabilities })).toBe(version);
  });
});
