import { bindingView } from '@connector/catalog/model/documents';
import type { OwnerReaders } from '@connector/connector/contract/owners';
import type { PinRequest } from '@connector/connector/model/serving/pins';
import { owners } from '@connector/testing/fixtures/demo-epoch';
import { preparing, type Sees, verifying } from './groups-verification';
import type { Group } from './group';
import type { Mutant } from './mutant';

type Reader = OwnerReaders['catalog']['readCurrent'];
const readingAs =
  (read: (real: Reader) => Reader): Sees =>
  (real) => ({ ...real, catalog: { readCurrent: read((scope, revision) => real.catalog.readCurrent(scope, revision)) } });

/** The view of a look that went before. */
const stale = readingAs((real) => async (scope, revision) => {
  const first = await real(scope, revision);
  await real(scope, revision);
  return first;
});
/** The view of one look under the lineage and receipt of another. */
const torn = readingAs((real) => async (scope, revision) => {
  const first = await real(scope, revision);
  const second = await real(scope, revision);
  if (first.kind !== 'found' || second.kind !== 'found') return second;
  const { viewBytes, viewDigest, sourceSnapshotDigest } = first;
  return { ...second, viewBytes, viewDigest, sourceSnapshotDigest };
});
const bindingsOf = (viewBytes: Buffer): string => JSON.stringify(bindingView.parse(viewBytes).value.bindings);

/** Equal bindings are taken for the view that was frozen. */
const bindingsAlone: Sees = (real, site) => {
  const { frozen } = site;
  if (frozen.kind !== 'found') throw new RangeError(frozen.kind);
  return readingAs((read) => async (scope, revision) => {
    const seen = await read(scope, revision);
    return seen.kind === 'found' && bindingsOf(seen.viewBytes) === bindingsOf(frozen.viewBytes) ? frozen : seen;
  })(real, site);
};

/** What keeps the generations is written when the candidate is verified already. */
const pinsLast: Group['arrange'] = (at) => {
  let owed: PinRequest | undefined;
  const sees: Sees = (real) => ({
    ...real,
    retention: {
      ...real.retention,
      pin: (request) => {
        owed = request;
        return Promise.resolve({ kind: 'pinned' });
      },
    },
  });
  return verifying(1, sees, async (db) => {
    if (owed !== undefined) await owners(db).retention.pin(owed);
  })(at);
};

const plantAs = (kind: Mutant['kind'], group: string, says: string, arrange: Group['arrange'], path = 'verify-epoch'): Mutant => ({
  ...{ path, kind, group, instead: { says, arrange } },
});

/** What a verification rests on is compared, not locked: its faults are other readers, and no change of a statement. */
export const VERIFICATION_MUTANTS: readonly Mutant[] = [
  plantAs('one read made two', 'membership | verify', 'the view of an earlier look', verifying(1, stale)),
  plantAs('written too late', 'membership | verify', 'pins after the verification', pinsLast),
  plantAs('less compared', 'membership | verify, away and back', 'the bindings without lineage and receipt', verifying(2, bindingsAlone)),
  plantAs(
    'one read made two',
    'membership | prepare',
    'the view of one look under the receipt of another',
    preparing(torn),
    'prepare-epoch',
  ),
];
